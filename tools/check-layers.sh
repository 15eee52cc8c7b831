#!/bin/sh
# A layer may include itself and the layers upstream of it, nothing else, and
# no two modules of a layer may include each other, directly or around a
# corner. A module is a .c file and its header. Data flows down the list of
# layers; a line may name only what stands above it.
set -eu
cd "${1:-$(dirname "$0")/..}"

# Headers that one header may pull in, ours only.
HEADERS_MAX=25

may_include() {
	case $1 in
	spargio)	echo 'spargio/*' ;;
	bmp)		echo 'bmp/*' ;;
	load)		echo 'load/* bmp/*' ;;
	rib)		echo 'rib/* bmp/*' ;;
	egress)		echo 'egress/* rib/event.h bmp/* schema/*' ;;
	capture)	echo 'capture/* bmp/*' ;;
	collector)	echo 'collector/* egress/* rib/* bmp/*' ;;
	cli)		echo 'cli/* collector/* capture/* egress/* rib/* load/* bmp/*' ;;
	esac
}

# The parts of a layer in their order; each may include those before it.
spargio_order='sched/ io/ sim/ runtime/ sync/ net/ fs/ stream/ process/'
collector_order='
base/ policy/ config/ collector_env worker_state router/ ingest/ worker
output checkpoint/ query/ telemetry/ http/ confine collector reload'

# includes LAYER PATTERN: lines of a layer that include a system header like it
includes() {
	grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$2" "$1"
}

bad=0
complain() {
	echo "$*" >&2
	bad=1
}

# "FILE INCLUDED" for each include of a header of ours: in quotes those below
# src/, in brackets the public ones of the runtime.
edges=$(mktemp)
found=$(mktemp)
trap 'rm -f "$edges" "$found"' EXIT
grep -rE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' src include |
	sed -n -e 's|^src/\([^:]*\):[^"]*"\([^"]*\)".*|\1 \2|p' \
	    -e 's|^src/\([^:]*\):[^<]*<\(spargio/[^>]*\)>.*|\1 include/\2|p' \
	    -e 's|^\(include/[^:]*\):[^<]*<\(spargio/[^>]*\)>.*|\1 include/\2|p' \
	    >"$edges"

# Modules of one layer that include each other in a circle: tsort(1) names them.
check_circles() { # LAYER
	awk -v layer="$1/" '
		index($1, layer) == 1 && index($2, layer) == 1 {
			sub(/\.[ch]$/, "", $1)
			sub(/\.h$/, "", $2)
			if ($1 != $2)
				print $1, $2
		}' "$edges" | tsort >/dev/null 2>"$found" && return
	complain "src/$1: modules include each other in a circle:"
	sed -n 's/^tsort: \([a-z].*\/.*\)/	\1/p' "$found" >&2
}

check_order() { # LAYER ORDER
	awk -v layer="$1/" -v order="$2" '
		function rank(file,    i, best) {
			best = 0
			file = substr(file, length(layer) + 1)
			sub(/\.[ch]$/, "", file)
			for (i = 1; i <= n; i++)
				if (file == part[i] ||
				    (part[i] ~ /\/$/ && index(file, part[i]) == 1))
					best = i
			return best
		}
		BEGIN { n = split(order, part, /[ \n]+/) }
		index($1, layer) == 1 && index($2, layer) == 1 {
			if (rank($1) == 0)
				print "src/" $1 " has no place in the order"
			else if (rank($1) < rank($2))
				print "src/" $1 " may not include \"" $2 \
					"\", which comes later"
		}' "$edges" | sort -u >"$found"
	[ -s "$found" ] || return 0
	cat "$found" >&2
	bad=1
}

check_weight() {
	awk -v max="$HEADERS_MAX" '
		{ to[$1] = to[$1] " " $2 }
		$1 ~ /\.h$/ { header[$1] = 1 }
		function visit(file,    list, i, n) {
			n = split(to[file], list, " ")
			for (i = 1; i <= n; i++)
				if (!(list[i] in seen)) {
					seen[list[i]] = 1
					count++
					visit(list[i])
				}
		}
		END {
			for (h in header) {
				# It includes all of them, for those who ask.
				if (h == "include/spargio/spargio.h")
					continue
				split("", seen)
				count = 0
				visit(h)
				if (count > max)
					print "src/" h " pulls in " count \
						" headers, " max " at most"
			}
		}' "$edges" | sort >"$found"
	[ -s "$found" ] || return 0
	cat "$found" >&2
	bad=1
}

set -f
for layer in spargio bmp load rib egress capture collector cli; do
	# shellcheck disable=SC2013 # no include of ours has a blank in it
	for inc in $(awk -v layer="$layer/" 'index($1, layer) == 1 && $2 !~ /^include\// { print $2 }' \
	    "$edges" | sort -u); do
		ok=no
		for pattern in $(may_include "$layer"); do
			# shellcheck disable=SC2254 # a pattern on purpose
			case $inc in $pattern) ok=yes ;; esac
		done
		[ $ok = yes ] || complain "src/$layer may not include \"$inc\""
	done
	check_circles "$layer"
	# io_uring is used through the runtime only.
	if [ $layer != spargio ] && includes "src/$layer" liburing; then
		complain "src/$layer may not use liburing; use <spargio/...>"
	fi
	case $layer in
	bmp|load|rib|capture)
		# These do no I/O of their own: the runtime is not theirs.
		if includes "src/$layer" 'spargio/'; then
			complain "src/$layer may not use the runtime"
		fi ;;
	esac
	case $layer in
	bmp)
		if includes src/bmp '(stdio|time|unistd|pthread|errno)\.h>'; then
			complain 'src/bmp may not do I/O, wait or tell time'
		fi
		if grep -rnE '\b(malloc|calloc|realloc|free)\(' src/bmp; then
			complain 'src/bmp may not allocate'
		fi ;;
	esac
done
check_order spargio "$spargio_order"
check_order collector "$collector_order"
check_weight

if includes include/spargio liburing ||
   grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' include/spargio
then
	complain 'include/spargio may include only C, POSIX and itself'
fi
exit $bad
