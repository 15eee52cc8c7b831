#!/bin/sh
# Run an example; it must succeed and say a certain line.
#
#	examples/expect.sh PROGRAM LINE
set -eu

# Meson says how programs of another architecture are run.
# shellcheck disable=SC2086 # a command of several words
said=$(${MESON_EXE_WRAPPER:-} "$1") || {
	echo "$said"
	echo "$1 failed" >&2
	exit 1
}
echo "$said"
echo "$said" | grep -qxF "$2" || {
	echo "$1 did not say: $2" >&2
	exit 1
}
