#!/bin/sh
# What an AArch64 build links that the cross compiler does not bring: unpack
# Debian's arm64 packages of it into a folder. Nothing is installed, no foreign
# architecture is added to this machine, and no root is needed.
#
#	tools/arm-sysroot.sh FOLDER	quiet if it is there already
#
# FOLDER/paths.ini then tells tools/aarch64.cross.ini where it is.
set -eu
packages='libcmocka0 libcmocka-dev liburing-dev'

to=$1
[ ! -e "$to/paths.ini" ] || exit 0
rm -rf "$to"
mkdir -p "$to/apt/lists/partial" "$to/apt/archives/partial" "$to/deb"
to=$(cd "$to" && pwd)
: >"$to/apt/status"

# A package system of its own, with this machine's sources and keys.
apt() {
	apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State="$to/apt" -o Dir::State::status="$to/apt/status" \
		-o Dir::Cache="$to/apt" -o APT::Sandbox::User=root "$@"
}

# shellcheck disable=SC2086 # a list of words on purpose
if ! { apt update && cd "$to/deb" && apt download $packages; } \
     >"$to/log" 2>&1 </dev/null; then
	tail -n 20 "$to/log" >&2
	echo "tools/arm-sysroot.sh: could not fetch: $packages" >&2
	exit 1
fi
for deb in "$to"/deb/*.deb; do
	dpkg-deb -x "$deb" "$to"
done
rm -rf "$to/apt" "$to/deb" "$to/log"
cat >"$to/paths.ini" <<EOF
[constants]
sysroot = '$to'
EOF
