#!/bin/sh
# Every C file is as clang-format leaves it.
#
#	tools/check-format.sh		complain
#	tools/check-format.sh --fix	rewrite
set -eu
cd "$(dirname "$0")/.."

if ! command -v clang-format >/dev/null; then
	echo 'clang-format is not installed' >&2
	exit 77 # meson: skipped
fi

mode='--dry-run --Werror'
[ "${1:-}" != --fix ] || mode=-i

# shellcheck disable=SC2086 # options are words
find include src tests bench examples -name '*.[ch]' -print0 2>/dev/null |
	xargs -0 -r clang-format $mode
