#!/bin/sh
# Write the runtime as one source file and one header, for programs that want to
# compile it with their own flags (docs/runtime.md):
#
#	tools/amalgamate.sh FOLDER [DEPFILE]	FOLDER/spargio.c, FOLDER/spargio.h
#
# DEPFILE gets what they depend on, as make and ninja read it.
#
# The sources are those that src/spargio/meson.build lists, in its order; the
# same tree gives the same bytes. In one translation unit names that are private
# to a file meet: a static name, enumerator or tag that two files have gets the
# file's name appended, a macro of a source file ends with it, and errno, where
# it is read, becomes sp_errno(): a compiler that sees a wait and what surrounds
# it in one function may keep the address of errno across it.
#
# It reads text, not C, and relies on clang-format for that as check-style.sh
# does. What it cannot tell apart does not compile; nothing is changed silently.
set -eu
out=${1:?usage: tools/amalgamate.sh FOLDER [DEPFILE]}
target=$out/spargio.c
mkdir -p "$out"
out=$(cd "$out" && pwd)
depfile=
[ -z "${2:-}" ] || depfile=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL

version=$(sed -n "s/^  version : '\(.*\)',/\1/p" meson.build)
sources=$(sed -n "s|^ *'\([a-z0-9_/]*\.c\)',.*|src/spargio/\1|p" \
	src/spargio/meson.build)
public=$(ls include/spargio/*.h)
assembly=$(ls src/spargio/sched/context_*.S)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unlisted=$(find src/spargio -name '*.c' | grep -vxF "$sources") || :
if [ -n "$unlisted" ]; then
	echo "tools/amalgamate.sh: not in src/spargio/meson.build: $unlisted" >&2
	exit 1
fi

# "FILE INCLUDED" for the headers of ours that each file includes.
edges() {
	# shellcheck disable=SC2086 # no file of ours has a blank in its name
	awk '
		/^[ \t]*#[ \t]*include[ \t]*"spargio\// {
			split($0, part, "\"")
			print FILENAME, "src/" part[2]
		}
		/^[ \t]*#[ \t]*include[ \t]*<spargio\// {
			split($0, part, /[<>]/)
			print FILENAME, "include/" part[2]
		}' "$@"
}

# Those of "$@" and what they include, each behind what it needs itself.
in_order() {
	# shellcheck disable=SC2046 # as above
	edges $(find src/spargio include/spargio -name '*.[ch]' | sort) |
		awk -v roots="$*" '
			{ to[$1] = to[$1] " " $2 }
			function visit(file,    list, n, i) {
				if (file in seen)
					return
				seen[file] = 1
				n = split(to[file], list, " ")
				for (i = 1; i <= n; i++)
					visit(list[i])
				print file
			}
			END {
				n = split(roots, root, /[ \n]+/)
				for (i = 1; i <= n; i++)
					visit(root[i])
			}'
}

# Those of "$@" without their includes of ours.
bodies() {
	for file in "$@"; do
		printf '\n/* %s */\n\n' "$file"
		grep -vE '^[ 	]*#[ 	]*include[ 	]*["<]spargio/' "$file"
	done
}

# The licence as a comment, below what the file is.
heading() { # WHAT
	printf '/*\n * %s - the spargio runtime, version %s\n *\n' "$1" "$version"
	printf ' * Made by tools/amalgamate.sh: do not edit. docs/runtime.md says how to use it.\n *\n'
	sed -e 's/^/ * /' -e 's/ $//' LICENSE
	printf ' */\n'
}

# A macro of C in front of a file of assembly, as one asm statement.
assembly_of() { # FILE
	cpu=${1##*/context_}
	printf '\n/* %s */\n\n#if defined(__%s__)\n__asm__(\n' "$1" "${cpu%.S}"
	printf '\t".pushsection .text\\n"\n'
	awk '
		# The notes are those of the whole object.
		/^[ \t]*\.section/ { exit }
		{
			while (match($0, /\/\*/)) {
				head = substr($0, 1, RSTART - 1)
				rest = substr($0, RSTART + 2)
				while (!index(rest, "*/"))
					if ((getline rest) <= 0)
						exit
				$0 = head substr(rest, index(rest, "*/") + 2)
			}
			gsub(/[ \t]+/, " ")
			sub(/^ /, "")
			sub(/ $/, "")
			if ($0 != "" && $0 != ".text")
				print "\t\"" $0 "\\n\""
		}' "$1"
	printf '\t".popsection\\n");\n#endif\n'
}

# Shared by the two passes: cut a line into tokens, the first of each kind.
# shellcheck disable=SC2016 # awk's own
cut_token='
	# Cut the first token from the global line; its kind is returned.
	function next_token(    n) {
		if (in_comment) {
			n = index(line, "*/")
			n = n == 0 ? length(line) : n + 1
			in_comment = n == length(line) && line !~ /\*\/$/
			return cut(n, "comment")
		}
		if (match(line, /^[ \t]+/))
			return cut(RLENGTH, "blank")
		if (line ~ /^\/\*/) {
			token = "/*"
			line = substr(line, 3)
			in_comment = 1
			if (line == "")
				return "comment"
			n = index(line, "*/")
			n = n == 0 ? length(line) : n + 1
			in_comment = n == length(line) && line !~ /\*\/$/
			token = token substr(line, 1, n)
			line = substr(line, n + 1)
			return "comment"
		}
		if (match(line, /^[A-Za-z_][A-Za-z_0-9]*/))
			return cut(RLENGTH, "name")
		if (match(line, /^[0-9][0-9A-Za-z_.]*/))
			return cut(RLENGTH, "number")
		if (match(line, /^"([^"\\]|\\.)*"/) ||
		    match(line, /^\047([^\047\\]|\\.)*\047/))
			return cut(RLENGTH, "string")
		if (line ~ /^->/)
			return cut(2, "mark")
		return cut(1, "mark")
	}
	function cut(n, kind) {
		token = substr(line, 1, n)
		line = substr(line, n + 1)
		return kind
	}
	# Where we are: braces open, and of what kind the outermost is.
	function enter(mark) {
		if (mark == "{" && depth++ == 0) {
			outer = initialises ? "value" : \
				before ~ /^(struct|union|enum)$/ || tagged ? \
				aggregate : "function"
			body_begins = 1
		} else if (mark == "}" && --depth == 0) {
			if (outer == "function")
				end_declaration()
		}
	}
	function end_declaration() {
		is_static = named = initialises = tagged = 0
		aggregate = last_name = before = ""
	}
	FNR == 1 {
		in_comment = depth = round = directive = 0
		end_declaration()
	}
	{
		is_directive = directive || (!in_comment && /^[ \t]*#/)
		directive = is_directive && /\\$/
	}'

# "NAMESPACE NAME FILE" for each name at file scope that is private to a source
# file: "tag", "other" (functions, variables, enumerators) or "macro".
# shellcheck disable=SC2016 # awk's own
private_names='
	function found(space, name) { print space, name, FILENAME }
	/^#[ \t]*define/ && is_directive {
		name = $0
		sub(/^#[ \t]*define[ \t]+/, "", name)
		sub(/[^A-Za-z_0-9].*/, "", name)
		found("macro", name)
	}
	is_directive { next }
	function scan(kind) {
		if (depth == 1 && outer == "enum" && kind == "name" &&
		    (body_begins || before == ",")) {
			found("other", token)
			body_begins = 0
		}
		if (depth == 0 && round == 0 && kind == "name") {
			if (token == "static")
				is_static = 1
			else if (before ~ /^(struct|union|enum)$/)
				tag = token
			else
				last_name = token
			if (token ~ /^(struct|union|enum)$/)
				aggregate = token
		}
		if (depth == 0 && round == 0 && token ~ /^[(\[=;,]$/ &&
		    is_static && !named && !initialises && last_name != "" &&
		    last_name !~ /^(__attribute__|_Alignas|alignas|const)$/) {
			found("other", last_name)
			named = token != ","
		}
		if (depth == 0 && token == "{" && tagged)
			found("tag", tag)
		move(kind)
	}
	function move(kind) {
		if (token == "{" || token == "}")
			enter(token)
		else if (token == "(")
			round++
		else if (token == ")")
			round--
		if (depth == 0 && round == 0) {
			if (token == "=")
				initialises = 1
			if (token == ";")
				end_declaration()
			tagged = kind == "name" && before ~ /^(struct|union|enum)$/
		}
		before = token
	}
	{
		line = $0
		while (line != "") {
			kind = next_token()
			if (kind != "blank" && kind != "comment")
				scan(kind)
		}
	}'

# A source file with its private names told apart. CLASHES has "NAMESPACE NAME".
# shellcheck disable=SC2016 # awk's own
told_apart='
	BEGIN {
		while ((getline row < clashes) > 0)
			clash[row] = 1
	}
	FNR == 1 {
		suffix = FILENAME
		sub(/^src\/spargio\//, "", suffix)
		sub(/\.c$/, "", suffix)
		gsub(/\//, "_", suffix)
		suffix = "__" suffix
	}
	/^[ \t]*#[ \t]*include/ { print; next }
	# A member of a struct that this file declares is not the name meant.
	function is_member(    rest) {
		rest = line
		sub(/^[ \t]+/, "", rest)
		return depth > 0 && outer ~ /^(struct|union)$/ &&
			rest ~ /^[;,\[:)]/
	}
	function renamed() {
		if (before ~ /^(struct|union|enum)$/)
			return ("tag " token) in clash ? token suffix : token
		if (before == "." || before == "->" || is_member())
			return token
		if (token == "errno" && !keeps_errno && line !~ /^ = /)
			return "sp_errno()"
		return ("other " token) in clash ? token suffix : token
	}
	function place(kind,    is_tag) {
		is_tag = kind == "name" && before ~ /^(struct|union|enum)$/
		if (token == "{" || token == "}")
			enter(token)
		else if (token == "(")
			round++
		else if (token == ")")
			round--
		if (depth == 0 && round == 0) {
			if (token ~ /^(struct|union|enum)$/)
				aggregate = token
			if (token == "=")
				initialises = 1
			if (token == ";")
				end_declaration()
			tagged = is_tag
		}
		before = token
	}
	{
		line = $0
		text = ""
		while (line != "") {
			kind = next_token()
			text = text (kind == "name" ? renamed() : token)
			if (kind == "blank" || kind == "comment")
				continue
			if (is_directive)
				before = token
			else
				place(kind)
		}
		print text
	}'

# shellcheck disable=SC2086 # as above
awk "$cut_token $private_names" $sources >"$work/names"
grep -v '^macro ' "$work/names" | sort -u | cut -d ' ' -f 1,2 | sort |
	uniq -d >"$work/clashes"

emit_source() { # FILE
	keeps_errno=0
	if grep -q 'int sp_errno(void)$' "$1"; then
		keeps_errno=1
	fi
	grep -vE '^[ 	]*#[ 	]*include[ 	]*["<]spargio/' "$1" >"$work/body" || :
	printf '\n/* %s */\n\n' "$1"
	mkdir -p "$work/$(dirname "$1")"
	mv "$work/body" "$work/$1"
	(cd "$work" && awk -v clashes=clashes -v keeps_errno=$keeps_errno \
		"$cut_token $told_apart" "$1")
	sed -n "s|^macro \([^ ]*\) $1\$|#undef \1|p" "$work/names" | sort -u
}

write_header() {
	heading spargio.h
	printf '#ifndef SPARGIO_H\n#define SPARGIO_H\n'
	# shellcheck disable=SC2046,SC2086 # as above
	set -- $(in_order $public)
	if ! grep -q 'extern "C"' "$@"; then
		cat "$@" | grep -hE '^#include <[^s]|^#include <s[^p]' | sort -u |
			sed '1s/^/\n/'
		printf '\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
		bodies "$@"
		printf '\n#ifdef __cplusplus\n}\n#endif\n'
	else
		bodies "$@"
	fi
	printf '\n#endif\n'
}

write_source() {
	heading spargio.c
	cat <<-'END'

	#ifndef _GNU_SOURCE
	#define _GNU_SOURCE 1
	#endif

	/* valgrind is told of stacks where its header is, unless SP_NO_VALGRIND. */
	#if !defined(SP_VALGRIND) && !defined(SP_NO_VALGRIND) && defined(__has_include)
	#if __has_include(<valgrind/valgrind.h>)
	#define SP_VALGRIND 1
	#endif
	#endif

	#include "spargio.h"

	/*
	 * Here a local of one file and a static name of another meet, and inline
	 * functions of a header are functions of this file.
	 */
	#pragma GCC diagnostic ignored "-Wshadow"
	#pragma GCC diagnostic ignored "-Wunused-function"
	END
	# shellcheck disable=SC2046,SC2086 # as above
	bodies $(in_order $sources | grep '^src/.*\.h$')
	for file in $assembly; do
		assembly_of "$file"
	done
	for file in $sources; do
		emit_source "$file"
	done
}

write_header >"$out/spargio.h"
write_source >"$out/spargio.c"
if [ -n "$depfile" ]; then
	# The folder, too: it changes with a header that comes or goes.
	for file in include/spargio meson.build LICENSE tools/amalgamate.sh \
		src/spargio/meson.build $public $assembly $sources \
		$(find src/spargio -name '*.h' | sort); do
		printf '%s: %s\n' "$target" "$(pwd)/$file"
	done >"$depfile"
fi
