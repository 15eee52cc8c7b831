#!/bin/sh
# Compare the simulations of several builds: the same seeds must give the same
# runs whatever the compiler, its flags and sanitizers.
#
#	tools/compare-sim.sh build build-clang build-asan
#
# SEEDS=n is how many of the simulated world are compared; default 200.
set -eu
[ $# -ge 2 ] || {
	echo "usage: tools/compare-sim.sh BUILD BUILD..." >&2
	exit 2
}
first=
for build in "$@"; do
	hashes=$("$build/tests/unit/test_spargio_sim" 2>&1 |
		sed -n 's/.*\(schedules\|echoes\) \([0-9a-f]*\).*/\1 \2/p')
	[ ! -x "$build/tests/sim/sim_world" ] || hashes="$hashes
$("$build/tests/sim/sim_world" --hashes "1..${SEEDS:-200}")"
	[ -n "$hashes" ] || {
		echo "tools/compare-sim.sh: $build has no simulation" >&2
		exit 1
	}
	if [ -z "$first" ]; then
		first=$hashes
		echo "$hashes" | head -n 4
	elif [ "$hashes" != "$first" ]; then
		printf '%s differs from %s:\n%s\n' "$build" "$1" "$hashes" >&2
		exit 1
	fi
done
echo "$# builds agree"
