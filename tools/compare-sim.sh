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
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

hashes_of() { # BUILD: the hashes, to standard output
	"$1/tests/unit/test_spargio_sim" 2>&1 |
		sed -n 's/.*\(schedules\|echoes\) \([0-9a-f]*\).*/\1 \2/p'
	[ ! -x "$1/tests/sim/sim_world" ] ||
		"$1/tests/sim/sim_world" --hashes "1..${SEEDS:-200}"
}

pids=
for build in "$@"; do
	hashes_of "$build" >"$tmp/$(basename "$build")" &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || {
		echo "tools/compare-sim.sh: a seed fails" >&2
		exit 1
	}
done
first=$tmp/$(basename "$1")
head -n 4 "$first"
for build in "$@"; do
	other=$tmp/$(basename "$build")
	[ -s "$other" ] || {
		echo "tools/compare-sim.sh: $build has no simulation" >&2
		exit 1
	}
	diff "$first" "$other" >&2 || {
		echo "tools/compare-sim.sh: $build differs from $1" >&2
		exit 1
	}
done
echo "$# builds agree"
