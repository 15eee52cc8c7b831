#!/bin/sh
# Print line and branch coverage of each layer of src by the unit tests, in
# percent. tools/coverage.sh BUILD; BUILD was configured with -Db_coverage=true,
# and its tests have run.
set -eu
[ $# -eq 1 ] || { echo 'usage: tools/coverage.sh BUILD' >&2; exit 2; }
cd "$(dirname "$0")/.."

summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
gcovr --root . --filter src/ --exclude-throw-branches --json-summary "$summary" \
	"$1" >/dev/null 2>&1
/usr/bin/python3 - "$summary" <<'END'
import json
import sys

layers = {}
for file in json.load(open(sys.argv[1]))["files"]:
    sums = layers.setdefault(file["filename"].split("/")[1], [0] * 4)
    for n, name in enumerate(("line_covered", "line_total",
                              "branch_covered", "branch_total")):
        sums[n] += file[name]
layers["all"] = [sum(column) for column in zip(*layers.values())]
print(f"{'layer':10} {'lines':>7} {'covered':>8} {'branches':>9} {'covered':>8}")
for layer in sorted(layers, key=lambda name: (name == "all", name)):
    line, lines, branch, branches = layers[layer]
    print(f"{layer:10} {lines:7} {100 * line / max(lines, 1):7.1f}%"
          f" {branches:9} {100 * branch / max(branches, 1):7.1f}%")
END
