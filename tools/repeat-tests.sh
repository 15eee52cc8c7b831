#!/bin/sh
# Run the runtime's unit tests again and again: what a race breaks once in a
# hundred runs is found by a hundred runs.
#
#	tools/repeat-tests.sh BUILD [FAST [SLOW]]
#
# Tests that end within a second (LIMIT, for a busy machine) run FAST times
# (100), the others SLOW times (5), each on io_uring and on epoll, as many at
# once as there are CPUs (JOBS). BUILD may be a sanitizer's folder, or one
# configured with -Donly_spargio=true. The last line is "N passed, N failed",
# counting runs; meson stops repeating at the first round that fails.
set -eu
build=$1
fast=${2:-100}
slow=${3:-5}
limit=${LIMIT:-1}
jobs=${JOBS:-$(nproc)}

# gcc 12's and clang 14's TSan cannot live with more address randomisation.
wrap=
case $build in
*tsan*) wrap="setarch $(uname -m) -R" ;;
esac

# repeat LOG TIMES NAME...: what failed is told, and kept in the log
repeat() {
	log=$build/meson-logs/repeat-$1
	times=$2
	shift 2
	# shellcheck disable=SC2086 # options are words
	$wrap meson test -C "$build" --no-rebuild --num-processes "$jobs" \
		--repeat "$times" --timeout-multiplier 5 \
		--logbase "${log##*/}" "$@" >"$log.out" 2>&1 ||
		grep -E '^ *[0-9]+/.* (FAIL|TIMEOUT|ERROR|INTERRUPT)' \
			"$log.out" || true
	ok=$((ok + $(grep -c '"result": "OK"' "$log.json" || true)))
	bad=$((bad + $(grep -vc '"result": "\(OK\|SKIP\)"' "$log.json" ||
		true)))
}

names=$(meson test -C "$build" --list 2>/dev/null |
	sed -n 's|.* / \(.*spargio_.*\)$|\1|p')
ok=0 bad=0
# shellcheck disable=SC2086 # names are words
repeat once 1 $names
# The name is the first field and the time one of the last: a quotation mark in
# what a test printed has a backslash before it.
sorted=$(sed -n 's/^{"name": "[^"]* \([^ "]*\)".*"duration": \([0-9]*\).*/\1 \2/p' \
	"$log.json")
quick=$(echo "$sorted" | awk -v limit="$limit" '$2 < limit { print $1 }')
long=$(echo "$sorted" | awk -v limit="$limit" '$2 >= limit { print $1 }')
echo "once: $ok passed, $bad failed;" \
	"$(echo "$quick" | wc -w) are fast, $(echo "$long" | wc -w) are not"
ok=0 bad=0
# shellcheck disable=SC2086
[ -z "$quick" ] || [ "$fast" -eq 0 ] || repeat fast "$fast" $quick
# shellcheck disable=SC2086
[ -z "$long" ] || [ "$slow" -eq 0 ] || repeat slow "$slow" $long
echo "$ok passed, $bad failed"
[ "$bad" -eq 0 ]
