#!/bin/sh
# What "make install" puts in a folder runs from there.
set -eu
cd "$(dirname "$0")/.."

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
trap 'exit 1' HUP INT TERM

make install DESTDIR="$to" PREFIX=/opt/arancini
binary=$to/opt/arancini/bin/arancini
version=$("$binary" --version)
case $version in
'arancini '[0-9]*) ;;
*) echo "the installed binary says '$version'" >&2; exit 1 ;;
esac
"$binary" --help >/dev/null
[ -s "$to/opt/arancini/share/arancini/update.capnp" ] || {
	echo 'the schema was not installed' >&2
	exit 1
}
