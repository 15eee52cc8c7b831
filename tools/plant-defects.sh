#!/bin/sh
# Plant known defects, one at a time, and look for the first seed of the
# simulated world that finds each. A defect is a patch in tests/sim/defects
# whose first lines say what is wrong with it. Only a copy of the tree is
# patched, and only the simulated world is built from it.
#
#	tools/plant-defects.sh [NAME...]	all of them, or those named
#	tools/plant-defects.sh --check		does each patch still apply?
#
# SEEDS=A..B is the range, default 1..1000; JOBS=n the seeds at a time,
# default 2; COPY=FOLDER keeps the copy, with its build, for the next time.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd -P)
defects=$tree/tests/sim/defects
range=${SEEDS:-1..1000}

if [ "${1:-}" = --check ]; then
	status=0
	for patch in "$defects"/*.patch; do
		patch -d "$tree" -p1 --dry-run --force --quiet <"$patch" || {
			echo "$patch does not apply" >&2
			status=1
		}
	done
	exit $status
fi

if [ -n "${COPY:-}" ]; then
	copy=$COPY
else
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
fi
rm -rf "$copy/tree"
mkdir -p "$copy/tree"
git -C "$tree" ls-files -z |
	(cd "$tree" && xargs -0 tar -cf - 2>/dev/null) | tar -xf - -C "$copy/tree"
[ -f "$copy/build/build.ninja" ] ||
	meson setup "$copy/build" "$copy/tree" --buildtype=debugoptimized \
		-Db_ndebug=true -Dbench=false >"$copy/setup.log" || {
	cat "$copy/setup.log" >&2
	exit 1
}

# NAME: print its row of the table. 1 if it was not found.
try_defect() {
	name=$1
	patch -d "$copy/tree" -p1 --quiet <"$defects/$name.patch"
	ninja -C "$copy/build" tests/sim/sim_world >"$copy/build.log" || {
		cat "$copy/build.log" >&2
		exit 1
	}
	found=0
	"$copy/build/tests/sim/sim_world" --jobs "${JOBS:-2}" --first "$range" \
		>"$copy/$name.log" 2>&1 || found=1
	patch -d "$copy/tree" -p1 --quiet -R <"$defects/$name.patch"
	seed=$(sed -n 's/^seed \([0-9]*\) fails$/\1/p' "$copy/$name.log")
	what=$(sed -n 's/^failure: //p' "$copy/$name.log" | head -n 1)
	# shellcheck disable=SC2016 # backticks of Markdown
	printf '| `%s` | %s | %s |\n' "$name" "${seed:-not found}" "$what"
	[ $found -eq 1 ]
}

[ $# -gt 0 ] || {
	for patch in "$defects"/*.patch; do
		set -- "$@" "$(basename "$patch" .patch)"
	done
}
missed=0
echo '| defect | first seed | what failed |'
echo '|---|---|---|'
for name in "$@"; do
	try_defect "$name" || missed=$((missed + 1))
done
echo "$(($# - missed)) passed, $missed failed, 0 skipped"
[ $missed -eq 0 ]
