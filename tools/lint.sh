#!/bin/sh
# Every C file of a configured build folder through clang-tidy and cppcheck,
# every script through shellcheck.
#
#	tools/lint.sh BUILD
#
# The checks are in .clang-tidy, what cppcheck must not say in
# tools/cppcheck-suppressions.txt. A line that is right although a tool says
# otherwise carries NOLINT(check), cppcheck-suppress or shellcheck disable, with
# the reason.
set -eu
build=$(cd "$1" && pwd -P)
cd "$(dirname "$0")/.."
tree=$(pwd -P)
jobs=$(nproc)

for tool in clang-tidy cppcheck shellcheck; do
	command -v $tool >/dev/null || {
		echo "tools/lint.sh: $tool is not installed" >&2
		exit 1
	}
done

# Meson writes paths relative to the build folder. Sources a build makes are
# nobody's to mend.
files=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" |
	grep '^\.\./.*\.c$' | sort -u | sed "s|^\.\./|$tree/|")
[ -n "$files" ] || { echo "tools/lint.sh: no file to look at" >&2; exit 1; }

passed=0 failed=0
judge() { # NAME STATUS
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "lint: $1 FAILED"
	fi
}

# The flags are those of gcc when gcc configured the folder; clang need not
# know them all. Its count of suppressed warnings goes to stderr and is noise.
status=0
printf '%s\n' "$files" | xargs -d '\n' -n 1 -P "$jobs" \
	clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
	--extra-arg=-Wno-ignored-optimization-argument 2>"$build/clang-tidy.err" ||
	status=$?
# An error without a check behind it (no such file, a crash) is only there.
[ $status -eq 0 ] || grep -v 'warnings\{0,1\} \(generated\|treated\)' \
	"$build/clang-tidy.err" || true
judge clang-tidy $status

# Not what the build makes: it would take for ever over the pages built in. The
# filters are absolute, as are the names it makes of a project so given.
status=0
mkdir -p "$build/cppcheck"
cppcheck --quiet --project="$build/compile_commands.json" -j "$jobs" \
	--cppcheck-build-dir="$build/cppcheck" --std=c11 \
	--file-filter="$tree/src/*" --file-filter="$tree/tests/*" \
	--file-filter="$tree/bench/*" --file-filter="$tree/examples/*" \
	--file-filter="$tree/tools/*" \
	--library=tools/cppcheck.cfg \
	--enable=warning,performance,portability --inline-suppr \
	--suppressions-list=tools/cppcheck-suppressions.txt \
	--error-exitcode=1 || status=$?
judge cppcheck $status

# A script is what says so in its first line.
status=0
find .ci tools tests bench deploy -type f -print0 2>/dev/null |
	xargs -0 grep -lE '^#!(/bin/sh|/usr/bin/env (ba)?sh)' |
	xargs shellcheck || status=$?
judge shellcheck $status

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
