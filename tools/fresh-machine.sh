#!/bin/sh
# Run the README's two commands as a newcomer would: on a minimal Debian 12
# that has git and make and nothing else of ours.
#
#	tools/fresh-machine.sh [--keep]
#
# Needs root, for chroot and mounts. Package sources, proxy, certificates and
# name servers are those of this machine at this moment; none is written down
# here. The tree is HEAD: what is not committed is not there, as for anybody
# else. Captures, if ARANCINI_DATA or ../shared/data has them, are mounted read
# only; without them the tests that need them skip and say so.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
: "${ARANCINI_DATA:=$tree/../shared/data}"
: "${FRESH_TIMEOUT:=1800}" # seconds for each of the two commands
suite=bookworm
keep=no
case ${1:-} in
'') ;;
--keep) keep=yes ;;
*) echo 'usage: tools/fresh-machine.sh [--keep]' >&2; exit 2 ;;
esac

say() {
	echo "fresh-machine: $*"
}

if [ "$(id -u)" -ne 0 ]; then
	say 'needs root, for chroot and mounts' >&2
	exit 1
fi
"$tree/tools/deps.sh" fresh

root=$(mktemp -d "${TMPDIR:-/tmp}/fresh-machine.XXXXXX")
running= # leader of the process group at work

# bounded SECONDS COMMAND...: waited for and not run in the foreground, where
# the shell would look at signals only after it ended.
bounded() {
	timeout --kill-after=10 "$@" &
	running=$!
	status=0
	wait $running || status=$?
	running=
	return $status
}

# What is mounted below $root, deepest first, whoever mounted it.
mounts() {
	awk -v root="$root/" 'index($5, root) == 1 { print $5 }' \
		/proc/self/mountinfo | sort -r
}

# rm -rf must never walk into a mount, so if one stays, everything stays.
cleanup() {
	status=$?
	trap '' HUP INT TERM
	trap - EXIT
	[ -z "$running" ] || kill -KILL "-$running" 2>/dev/null || true
	for where in $(mounts); do
		umount "$where" 2>/dev/null || umount -l "$where" || true
	done
	if [ -n "$(mounts)" ]; then
		say "still mounted, remove by hand: $(mounts)" >&2
		[ $status -ne 0 ] || status=1
	elif [ $keep = yes ]; then
		say "kept in $root"
	else
		rm -rf --one-file-system "$root"
	fi
	exit $status
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# The mirror this machine takes $suite from, and its proxy, for debootstrap.
# shellcheck disable=SC2016 # apt's variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' \
	'Created-By: Packages' | awk -v suite=$suite '$1 == suite { print $2; exit }')
if [ -z "$mirror" ]; then
	say "this machine has no package source for Debian $suite" >&2
	exit 1
fi
eval "$(apt-config shell apt_proxy Acquire::http::Proxy)"
[ -z "${apt_proxy:-}" ] || export http_proxy="$apt_proxy"

start=$(date +%s)
if ! bounded 600 debootstrap --variant=minbase $suite "$root" "$mirror" \
    >"$root/bootstrap.log" 2>&1; then
	tail -n 20 "$root/bootstrap.log" >&2
	say 'debootstrap failed' >&2
	exit 1
fi
say "Debian $suite in $(($(date +%s) - start)) s"

# Package sources with their keys, and the settings that are about the
# network. Login data (auth.conf) stays where it is.
rm -f "$root"/etc/apt/sources.list
for from in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    /etc/apt/sources.list.d/*.sources /etc/apt/keyrings/* \
    /etc/apt/trusted.gpg.d/* /usr/share/keyrings/*; do
	[ -f "$from" ] || continue
	mkdir -p "$root$(dirname "$from")"
	cp -L "$from" "$root$from"
done
apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv[46])(::| )' \
	>"$root/etc/apt/apt.conf.d/99host" || true
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/hosts "$root/etc/hosts"
# Where the packages come over https, apt needs these before ca-certificates.
mkdir -p "$root/etc/ssl/certs" "$root/usr/local/share/ca-certificates"
[ ! -f /etc/ssl/certs/ca-certificates.crt ] ||
	cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
for from in /usr/local/share/ca-certificates/*.crt; do
	[ ! -f "$from" ] || cp -L "$from" "$root$from"
done

# Private mounts, so that nothing done to them comes back to this machine.
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
	: >"$root/dev/$node"
	mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"

# there SECONDS COMMAND: as the newcomer's shell would run it. The script is a
# file and not a function, so that a session of its own can be made of it.
cat >"$root/enter" <<'EOF'
root=$1
exec env -i HOME=/home TERM=dumb LANG=C.UTF-8 \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	${http_proxy:+http_proxy="$http_proxy"} \
	${https_proxy:+https_proxy="$https_proxy"} \
	${no_proxy:+no_proxy="$no_proxy"} \
	chroot "$root" sh -c "$2" </dev/null
EOF
there() {
	bounded "$1" sh "$root/enter" "$root" "$2"
}

if ! there 300 'apt-get -q update &&
    DEBIAN_FRONTEND=noninteractive \
    apt-get -qy install --no-install-recommends git make' \
    >"$root/install.log" 2>&1; then
	tail -n 20 "$root/install.log" >&2
	say 'could not install git and make' >&2
	exit 1
fi

git clone -q --no-hardlinks "$tree" "$root/home/arancini"
say "the tree is $(git -C "$tree" rev-parse --short HEAD)"
if [ -d "$ARANCINI_DATA" ]; then
	mkdir -p "$root/home/shared/data"
	mount --bind "$ARANCINI_DATA" "$root/home/shared/data"
	mount -o remount,ro,bind "$root/home/shared/data"
else
	say 'no captures here: the tests that need them will skip'
fi

failed=0
trouble() {
	say "FAILED: $*" >&2
	failed=1
}

healthy() {
	wget -q --no-proxy -T 2 -t 1 -O /dev/null http://127.0.0.1:8080/healthz
}

# README, first command. It is over when the collector answers or says that
# it listens; as long as none does, when it has said what works and ended well.
taken=no
! healthy || taken=yes # by somebody else, so it proves nothing
start=$(date +%s)
deadline=$((start + FRESH_TIMEOUT))
setsid sh "$root/enter" "$root" 'cd /home/arancini && exec make run' \
	>"$root/run.out" 2>&1 &
running=$!
verdict=
while [ -z "$verdict" ]; do
	if grep -qi listening "$root/run.out"; then
		verdict='listens'
	elif [ $taken = no ] && healthy; then
		verdict='answers on its HTTP port'
	elif ! kill -0 $running 2>/dev/null; then
		if wait $running; then
			verdict='ended with status 0'
		else
			verdict="ended with status $?"
			trouble "make run $verdict"
		fi
		running=
	elif [ "$(date +%s)" -ge $deadline ]; then
		verdict="does nothing after $FRESH_TIMEOUT s"
		trouble "make run $verdict"
	else
		sleep 0.5
	fi
done
if [ -n "$running" ]; then
	kill -TERM "-$running" 2>/dev/null || true
	wait $running || true
	running=
fi
sed 's/^/| /' "$root/run.out"
say "make run $verdict, $(($(date +%s) - start)) s"

# README, second command.
start=$(date +%s)
tested=0
there "$FRESH_TIMEOUT" 'cd /home/arancini && exec make test 2>/test.err' \
	>"$root/test.out" || tested=$?
sed 's/^/| /' "$root/test.out" "$root/test.err"
[ $tested -eq 0 ] || trouble "make test ended with status $tested"
tail -n 1 "$root/test.out" |
	grep -qE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' ||
	trouble 'the last line of make test is not the closing line'
say "make test, $(($(date +%s) - start)) s"

[ $failed -eq 0 ] || exit 1
say 'both commands of the README work on a fresh machine'
