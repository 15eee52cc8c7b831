#!/bin/sh
# Install the Debian packages that the named groups need and this machine lacks.
#
#	tools/deps.sh build test ...	install what is missing; quiet if nothing is
#	tools/deps.sh --list GROUP...	print the packages, install nothing
#	tools/deps.sh --pypi FOLDER FILE	what the requirements in FILE name,
#					from PyPI, into FOLDER and nowhere else
#
# FILE pins each package by version and hash. Only the fault driver (make chaos)
# and the check of the HTTP API (make check-api) need packages that Debian does
# not have.
#
# docs/dependencies.md says why each package is here.
set -eu

packages_of() {
	case $1 in
	build)	echo 'gcc libc6-dev make meson ninja-build pkg-config
		      liburing-dev libxxhash-dev libpcap-dev zlib1g-dev
		      libbz2-dev liblzma-dev libzstd-dev libinih-dev
		      capnproto libcmocka-dev libnats-dev
		      libmicrohttpd-dev libjs-chart.js libcurl4-openssl-dev
		      libjson-c-dev' ;;
	spargio) echo 'gcc libc6-dev make meson ninja-build pkg-config
		      liburing-dev' ;;
	test)	echo 'g++ cmake python3 python3-pytest python3-pytest-timeout
		      python3-pytest-xdist gdb bgpdump xz-utils zstd openssl
		      iproute2 nats-server mandoc nodejs golang-go
		      golang-github-nats-io-go-nats-dev prometheus
		      python3-jsonschema python3-yaml' ;;
	clang)	echo 'clang libclang-rt-14-dev llvm' ;;
	format)	echo 'clang-format' ;;
	lint)	echo 'clang clang-tidy cppcheck shellcheck' ;;
	interop) echo 'frr gobgpd iproute2' ;;
	browser) echo 'chromium chromium-driver python3-selenium
		      fonts-inter fonts-jetbrains-mono' ;;
	arm)	echo 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user' ;;
	valgrind) echo 'valgrind' ;;
	coverage) echo 'gcovr' ;;
	kernels) echo 'qemu-system-x86 busybox-static cpio kmod xz-utils' ;;
	deb)	echo 'build-essential debhelper dpkg-dev fakeroot' ;;
	fresh)	echo 'debootstrap' ;;
	peers)	echo 'pmacct' ;;
	api)	echo 'python3 python3-pip python3-yaml' ;;
	chaos)	echo 'python3 python3-pip nats-server capnproto libzstd1
		      libxxhash0 util-linux mount' ;;
	*)	echo "tools/deps.sh: unknown group '$1'" >&2; exit 2 ;;
	esac
}

missing_of() {
	for package in "$@"; do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2>/dev/null) || state=
		[ "$state" = installed ] || printf '%s ' "$package"
	done
}

# install_pypi FOLDER FILE: nothing if FOLDER was filled from the same FILE
install_pypi() {
	[ $# -eq 2 ] || { echo 'usage: tools/deps.sh --pypi FOLDER FILE' >&2
			  exit 2; }
	! cmp -s "$2" "$1/requirements.txt" || return 0
	echo "installing into $1: $(sed -n 's/ *\\$//; /==/p' "$2" | tr '\n' ' ')"
	rm -rf "$1"
	mkdir -p "$1"
	# Debian's python3, which is the one that runs the tests.
	/usr/bin/python3 -m pip install --quiet --isolated --no-deps \
		--disable-pip-version-check --root-user-action ignore \
		--only-binary :all: --require-hashes --target "$1" -r "$2"
	cp "$2" "$1/requirements.txt"
}

if [ "${1:-}" = --pypi ]; then
	shift
	install_pypi "$@"
	exit 0
fi

list=no
if [ "${1:-}" = --list ]; then
	list=yes
	shift
fi
[ $# -gt 0 ] || { echo 'usage: tools/deps.sh [--list] GROUP...' >&2; exit 2; }

wanted=
for group in "$@"; do
	packages=$(packages_of "$group") || exit 2
	wanted="$wanted $packages"
done

if [ $list = yes ]; then
	# shellcheck disable=SC2086 # a list of words on purpose
	printf '%s\n' $wanted | sort -u
	exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	# shellcheck disable=SC2086 # a list of words, on one line
	echo 'tools/deps.sh: this is not a Debian system; install the' \
	     'equivalents of these by hand, then run make with DEPS=no:' \
	     $wanted >&2
	exit 1
fi

# shellcheck disable=SC2086
missing=$(missing_of $wanted)
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "tools/deps.sh: as root, run: apt-get install $missing" >&2
		exit 1
	fi
	as_root=sudo
fi

echo "installing: $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# sudo clears the environment, so the setting goes behind it.
apt="$as_root env DEBIAN_FRONTEND=noninteractive
     apt-get -q -o DPkg::Lock::Timeout=120"
# shellcheck disable=SC2086
if ! { $apt update && $apt -y install --no-install-recommends $missing; } \
     >"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	echo "tools/deps.sh: could not install: $missing" >&2
	exit 1
fi
