#!/bin/sh
# Build the Debian packages from the working tree, in a folder of their own, so
# that neither the tree nor its build folders are touched.
#
#	tools/deb.sh FOLDER
set -eu
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n "s/^ *version : '\(.*\)',/\1/p" meson.build | head -n 1)

rm -rf "$to/source"
mkdir "$to/source"
# Outside of git's reach (an archive, a container) all but what a build makes.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	git ls-files -z --cached --others --exclude-standard |
		tar -cf - --null --files-from=-
else
	tar -cf - --exclude='./build*' --exclude=./data --exclude=./.git .
fi | tar -xf - -C "$to/source"
cd "$to/source"
cp -r deploy/debian debian
# The date is that of the sources: the same tree makes the same package.
cat >debian/changelog <<END
arancini ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- arancini developers <arancini@localhost>  $(date -R -u -r CHANGELOG.md)
END
dpkg-buildpackage -b -us -uc
rm -rf "$to/source"
ls "$to"/*.deb
