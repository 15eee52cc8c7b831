#!/bin/sh
# Draw comments of src and include at random, to be read by somebody who does
# not know them (issue 20: at most 5 % may need a second reading).
#
#	tools/draw-comments.sh [COUNT [SEED]]
#
# COUNT is 200 and SEED the first eight hex digits of the commit unless given.
# The same tree and seed draw the same comments. Each is printed with its place,
# its text on one line, and the code beside or below it.
set -eu
cd "$(dirname "$0")/.."

count=${1:-200}
seed=${2:-$(git rev-parse --short=8 HEAD | cut -c 1-8)}

# shellcheck disable=SC2016 # $0 is awk's
find include src -name '*.[ch]' | LC_ALL=C sort |
	xargs awk '
	# Directives for tools are no prose.
	function comment_end()
	{
		gsub(/[ \t]+/, " ", text)
		sub(/^ /, "", text)
		sub(/ $/, "", text)
		if (text == "" || text ~ /clang-format o|NOLINT|cppcheck-/)
			return
		waiting = place ": " text
		if (before !~ /^[ \t]*$/) {
			print waiting " | " before
			waiting = ""
		}
	}
	function comment_print(code)
	{
		gsub(/^[ \t]+/, "", code)
		print waiting " | " code
		waiting = ""
	}
	FNR == 1 {
		if (waiting != "")
			comment_print("")
		inside = 0
	}
	{
		line = $0
		if (inside) {
			sub(/^[ \t]*\*?[ \t]?/, " ", line)
			if (sub(/\*\/.*/, "", $0)) {
				sub(/\*?\/.*/, "", line)
				text = text " " line
				inside = 0
				comment_end()
			} else {
				text = text " " line
			}
			next
		}
		at = index(line, "/*")
		if (at == 0 || substr(line, 1, at) ~ /"[^"]*$/) {
			if (waiting != "" && line !~ /^[ \t]*$/)
				comment_print(line)
			next
		}
		before = substr(line, 1, at - 1)
		if (waiting != "")
			comment_print(before)
		place = FILENAME ":" FNR
		text = substr(line, at + 2)
		if (sub(/\*\/.*/, "", text))
			comment_end()
		else
			inside = 1
	}
	END {
		if (waiting != "")
			comment_print("")
	}' |
	awk -v count="$count" -v x="$((0x$seed % 2147483646 + 1))" '
	# A random sample (reservoir), with the generator of Park and Miller.
	function below(n)
	{
		x = x * 16807 % 2147483647
		return x % n
	}
	{
		at = NR <= count ? NR - 1 : below(NR)
		if (at < count)
			drawn[at] = $0
	}
	END {
		for (i = 0; i < count && i < NR; i++)
			print drawn[i]
	}' | LC_ALL=C sort
