#!/bin/sh
# A layer may include itself and the layers upstream of it, nothing else.
# Data flows down this list; a line may name only what stands above it.
set -eu
cd "${1:-$(dirname "$0")/..}"

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

# includes LAYER PATTERN: lines of a layer that include a system header like it
includes() {
	grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$2" "$1"
}

bad=0
complain() {
	echo "$*" >&2
	bad=1
}

set -f
for layer in spargio bmp load rib egress capture collector cli; do
	# shellcheck disable=SC2013 # no include of ours has a blank in it
	for inc in $(grep -rhoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' \
	    "src/$layer" 2>/dev/null | cut -d'"' -f2 | sort -u); do
		ok=no
		for pattern in $(may_include "$layer"); do
			# shellcheck disable=SC2254 # a pattern on purpose
			case $inc in $pattern) ok=yes ;; esac
		done
		[ $ok = yes ] || complain "src/$layer may not include \"$inc\""
	done
	# io_uring has one door.
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

# A folder of src/spargio may include itself and those before it in this list.
below=
for folder in sched io runtime sync net fs stream process; do
	below="$below $folder"
	# shellcheck disable=SC2013 # no include of ours has a blank in it
	for inc in $(grep -rhoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"spargio/[^"]+"' \
	    "src/spargio/$folder" 2>/dev/null | cut -d'"' -f2 | sort -u); do
		part=${inc#spargio/}
		case "$below " in
		*" ${part%%/*} "*) ;;
		*) complain "src/spargio/$folder may not include \"$inc\"" ;;
		esac
	done
done

if includes include/spargio liburing ||
   grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' include/spargio
then
	complain 'include/spargio may include only C, POSIX and itself'
fi
exit $bad
