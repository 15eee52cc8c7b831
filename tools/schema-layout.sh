#!/bin/sh
# Print where the fields of a Cap'n Proto schema stand, as a C header.
#
#	tools/schema-layout.sh schema/update.capnp > layout.h
#
# Encoder and reader use these numbers and no others, so they cannot differ
# from the schema. For a field of struct Update called timeReceivedNs:
#
#	UPDATE_TIME_RECEIVED_NS_AT	its first bit in the data section
#	UPDATE_TIME_RECEIVED_NS_BITS	how many it has
#	UPDATE_ROUTER_ADDR_PTR		or its number in the pointer section
#	UPDATE_DATA_WORDS, UPDATE_PTRS	the size of the struct
#	REASON_PEER_DOWN		the number of an enumerant
set -eu
[ $# -eq 1 ] || { echo 'usage: tools/schema-layout.sh FILE' >&2; exit 2; }

layout=$(capnp compile --no-standard-import -ocapnp "$1")
printf '%s\n' "$layout" | awk '
function upper(name) {
	gsub(/[A-Z]/, "_&", name)
	sub(/^_/, "", name)
	return toupper(name)
}
function prefix(  i, p) {
	p = ""
	for (i = 1; i <= depth; i++)
		p = p names[i] "_"
	return p
}
function define(name, value) {
	printf "#define %s%s %d\n", prefix(), name, value
}
BEGIN {
	print "/* Made by tools/schema-layout.sh: change the schema instead. */"
	print "#ifndef SCHEMA_LAYOUT_H"
	print "#define SCHEMA_LAYOUT_H"
}
$1 == "struct" || $1 == "enum" {
	print ""
	names[++depth] = upper($2)
	kinds[depth] = $1
	if ($1 == "struct" && match($0, /# [0-9]+ bytes, [0-9]+ ptrs/)) {
		split(substr($0, RSTART + 2, RLENGTH - 2), size, " ")
		define("DATA_WORDS", size[1] / 8)
		define("PTRS", size[3])
	}
	next
}
$1 == "}" {
	depth--
	next
}
kinds[depth] == "enum" && $2 ~ /^@/ {
	define(upper($1), substr($2, 2))
	fields++
	next
}
match($0, /# ptr\[[0-9]+\]/) {
	define(upper($1) "_PTR", substr($0, RSTART + 6))
	fields++
	next
}
match($0, /# bits\[[0-9]+, [0-9]+\)/) {
	split(substr($0, RSTART + 7, RLENGTH - 8), bits, ", ")
	define(upper($1) "_AT", bits[1])
	define(upper($1) "_BITS", bits[2] - bits[1])
	fields++
	next
}
END {
	print ""
	print "#endif"
	# Another format than the one we know must not pass for an empty schema.
	if (fields == 0 || depth != 0)
		exit 1
}'
