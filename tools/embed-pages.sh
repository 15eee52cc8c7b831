#!/bin/sh
# Print a C file that holds the named files, for src/collector/http/static_files.h.
#
#	tools/embed-pages.sh PATH FILE [PATH FILE...] > pages.c
#
# PATH is what a browser asks for. Each file is there twice, as it is and
# compressed, with a tag that changes when it does.
set -eu
[ $# -ge 2 ] || { echo 'usage: tools/embed-pages.sh PATH FILE...' >&2; exit 2; }

type_of() {
	case $1 in
	*.html)	echo 'text/html; charset=utf-8' ;;
	*.css)	echo 'text/css; charset=utf-8' ;;
	*.js)	echo 'text/javascript; charset=utf-8' ;;
	*.svg)	echo 'image/svg+xml' ;;
	*.png)	echo 'image/png' ;;
	*.woff2) echo 'font/woff2' ;;
	*)	echo "tools/embed-pages.sh: what is $1?" >&2; exit 1 ;;
	esac
}

# bytes NAME < FILE: an array
bytes() {
	echo "static const unsigned char $1[] = {"
	od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
	echo '};'
}

echo '/* Made by tools/embed-pages.sh: change web/ instead. */'
echo '#include "collector/http/static_files.h"'
rows=
n=0
while [ $# -ge 2 ]; do
	[ -s "$2" ] || { echo "tools/embed-pages.sh: $2 is empty" >&2; exit 1; }
	type=$(type_of "$1")
	tag=$(sha256sum <"$2" | cut -c1-16)
	bytes "plain$n" <"$2"
	gzip -9 -n <"$2" | bytes "packed$n"
	rows="$rows	{ \"$1\", \"$type\", \"\\\"$tag\\\"\", plain$n,
	  sizeof(plain$n), packed$n, sizeof(packed$n) },
"
	n=$((n + 1))
	shift 2
done
[ $# -eq 0 ] || { echo 'tools/embed-pages.sh: a path without a file' >&2; exit 2; }
echo 'const struct static_file pages[] = {'
printf '%s' "$rows"
echo '};'
echo "const size_t page_count = $n;"
