#!/bin/sh
# What docs/style.md says and no compiler checks, for the C files below src and
# include, unit tests, scripts and Markdown. Each complaint is "FILE:LINE: what
# is wrong".
#
#	tools/check-style.sh [TREE]
#
# It reads text, not C, and relies on clang-format for that: a function, its
# opening and its closing brace begin in the first column, a struct's does not.
set -eu
cd "${1:-$(dirname "$0")/..}"

FUNCTION_MAX=60	# lines between the braces
SOURCE_MAX=700	# lines of a .c file
HEADER_MAX=400	# lines of a .h file
PROSE_MAX=119	# columns of a line of Markdown that is not a table or code

files=$(mktemp)
code=$(mktemp)
found=$(mktemp)
trap 'rm -f "$files" "$code" "$found"' EXIT
find src include -name '*.[ch]' | LC_ALL=C sort >"$files"

# "FILE LINE CODE" with tabs between, of every line: strings are emptied, of a
# comment only its brackets are left.
# shellcheck disable=SC2016 # awk's own
strip='
	FNR == 1 { comment = 0 }
	/^[ \t]*#[ \t]*include/ { print FILENAME "\t" FNR "\t" $0; next }
	{
		line = $0
		out = ""
		while (line != "") {
			if (comment) {
				end = index(line, "*/")
				if (end == 0)
					break
				line = substr(line, end + 2)
				comment = 0
			}
			if (!match(line, /["\047]|\/\*|\/\//)) {
				out = out line
				break
			}
			out = out substr(line, 1, RSTART - 1)
			mark = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (mark == "/*") {
				comment = 1
				out = out "/**/"
			} else if (mark == "//") {
				out = out "//"
				break
			} else {
				if (mark == "\"")
					match(line, /^([^"\\]|\\.)*"/)
				else
					match(line, /^([^\047\\]|\\.)*\047/)
				line = substr(line, RLENGTH + 1)
				out = out mark mark
			}
		}
		print FILENAME "\t" FNR "\t" out
	}'
# shellcheck disable=SC2046 # no file of ours has a blank in its name
awk "$strip" $(cat "$files") >"$code"

# Functions: names, length, goto. A head is what stands before the brace.
check_functions() {
	awk -F '\t' -v max="$FUNCTION_MAX" '
		function complain(line, what) { print file ":" line ": " what }
		function end_function(    n) {
			for (n in jumps)
				if (labels[jumps[n]] < n + 0)
					complain(n, "goto goes backwards")
			split("", jumps)
			split("", labels)
			inside = 0
		}
		function name_of(head) {
			if (!match(head, /[A-Za-z_][A-Za-z_0-9]*\(/))
				return ""
			return substr(head, RSTART, RLENGTH - 1)
		}
		$1 != file { file = $1; head = ""; inside = 0 }
		{
			text = $0
			sub(/^[^\t]*\t[^\t]*\t/, "", text)
		}
		text ~ /^\{/ {
			is_static = head ~ /(^|[ \t])static[ \t]/
			name = name_of(head)
			if (name != "" && name !~ /_/ && name != "main")
				complain(begin, name "() has one word, no noun")
			if (name != "" && file ~ /^src\/spargio\// &&
			    !is_static && name !~ /^sp_/)
				complain(begin, name "() of the runtime lacks sp_")
			inside = $2
			head = ""
			next
		}
		text ~ /^\}/ && inside {
			if ($2 - inside - 1 > max)
				complain(inside, name "() has " $2 - inside - 1 \
					" lines, " max " at most")
			end_function()
			next
		}
		inside && match(text, /goto [a-z_]+;/) {
			label = substr(text, RSTART + 5, RLENGTH - 6)
			jumps[$2] = label
			if (label != "fail" && label != "out")
				complain($2, "goto " label ": fail and out are the labels")
			next
		}
		inside && text ~ /^[a-z_]+:$/ {
			sub(/:$/, "", text)
			labels[text] = $2 + 0
			next
		}
		inside { next }
		{
			gsub(/__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\) */, "", text)
		}
		text == "" || text ~ /^#/ { head = ""; next }
		# The name may begin a line, below the type.
		text ~ /^[A-Za-z_]/ && head !~ /^[A-Za-z_0-9 *]+$/ {
			head = text
			begin = $2
			next
		}
		{ head = head " " text }
	' "$code"
}

# Variables that are neither const nor on a stack, but for those of the runtime.
check_variables() {
	awk -F '\t' '
		# Whether @text declares what can be changed: there is no const
		# behind the last star, or none at all.
		function is_mutable(text) {
			sub(/[ \t]*=.*/, "", text)
			if (match(text, /\(/)) {
				if (substr(text, RSTART, 2) != "(*")
					return 0	# a function
				return text !~ /\(\*[ ]*const/
			}
			sub(/.*\*/, "*", text)
			return text !~ /(^|[ \t*])const([ \t]|$)/
		}
		function check(text, what) {
			if (is_mutable(text))
				print file ":" begin ": a " what \
					" variable that is not const"
		}
		$1 != file { file = $1; inside = 0; head = "" }
		file ~ /^(src|include)\/spargio\// { next }
		{
			text = $0
			sub(/^[^\t]*\t[^\t]*\t/, "", text)
			gsub(/\/\*\*\//, "", text)
			sub(/[ \t]+$/, "", text)
		}
		text ~ /^[ \t]*#/ { next }
		text ~ /^\{/ { inside = 1; head = ""; next }
		text ~ /^\}/ { inside = 0; head = ""; next }
		inside && text ~ /^\t+static / {
			begin = $2
			check(text, "static")
			next
		}
		inside { next }
		text ~ /^[A-Za-z_]/ { head = text; begin = $2 }
		text !~ /^[A-Za-z_]/ && head != "" { head = head " " text }
		head ~ /^(typedef|_?[Ss]tatic_assert)/ ||
		head ~ /^(struct|union|enum)( [a-z_0-9]+)?( \{|;)/ { head = "" }
		head ~ /[;={]/ {
			check(head, "global")
			head = ""
		}
	' "$code"
}

# Single lines.
check_lines() {
	awk -F '\t' '
		function complain(what) { print $1 ":" $2 ": " what }
		function word(text, words) {
			return text ~ "(^|[^A-Za-z_0-9])(" words ")([^A-Za-z_0-9]|$)"
		}
		{
			text = $0
			sub(/^[^\t]*\t[^\t]*\t/, "", text)
		}
		text ~ /^[ \t]*#[ \t]*include/ { next }
		text ~ /\/\// { complain("a comment is /* */") }
		word(text, "typedef") && text ~ /typedef (struct|union|enum)/ {
			complain("a struct, union or enum has no typedef")
		}
		$1 ~ /^src\// && text ~ /return -1;[ \t]*$/ {
			complain("an error is -errno; another -1 is explained on its line")
		}
		$1 !~ /^src\/(collector|cli)\// &&
		text ~ /(^|[^A-Za-z_0-9])(v?f?printf|v?dprintf|f?puts|perror|v?syslog)\(/ {
			complain("src/collector logs and src/cli prints, nothing else")
		}
		$1 ~ /^src\/collector\// &&
		(word(text, "stderr|stdout") ||
		 text ~ /(^|[^A-Za-z_0-9])(v?printf|puts|perror|v?syslog)\(/) {
			complain("the collector logs through collector/base/log.h")
		}
		# Of a macro of more than one line, each. These define functions.
		text ~ /^[ \t]*#[ \t]*define/ {
			macro = text !~ /define SP_(MAIN|MAIN_WITH|_MAIN_FIBER)\(/
			defining = 1
		}
		defining {
			if (macro && word(text, "return|goto|break|continue"))
				complain("a macro hides a jump")
			defining = text ~ /\\$/
		}
		# Words that docs/glossary.md has others for.
		text ~ /(^|[^a-z])(veil|seat|desk|clerk|shelf|bell|thief|lane|deed|diary|pulse|vitals|keeper)s?([^a-z]|$)/ {
			complain("a word that was replaced: docs/glossary.md")
		}
		$1 ~ /\.h$/ &&
		text ~ /_(destroy|delete|cleanup|deinit|dispose)\(/ {
			complain("a destructor is fini, free, put or close")
		}
	' "$code"
}

# Headers: the first line names the file and what it is, the guard is its path.
# All files: length, order of includes.
check_files() {
	# shellcheck disable=SC2046 # no file of ours has a blank in its name
	awk -v source_max="$SOURCE_MAX" -v header_max="$HEADER_MAX" '
		function end_file(    max) {
			max = file ~ /\.h$/ ? header_max : source_max
			if (lines > max)
				print file ":" lines ": " max " lines at most"
		}
		# 0 its own header, 1 other layers, 2 the runtime, 3 the system
		function rank(line,    part) {
			if (line ~ /"/) {
				split(line, part, "\"")
				return part[2] == own ? 0 : 1
			}
			if (line !~ /<spargio\//)
				return 3
			split(line, part, /[<>]/)
			return part[2] == public && last == 0 ? 0 : 2
		}
		FNR == 1 {
			if (file != "")
				end_file()
			file = FILENAME
			path = file
			sub(/^(src|include)\//, "", path)
			own = path
			sub(/\.c$/, ".h", own)
			public = own
			sub(/.*\//, "spargio/", public)
			guard = toupper(path)
			gsub(/[^A-Z0-9]/, "_", guard)
			last = 0
		}
		{ lines = FNR }
		FNR == 2 && file ~ /\.h$/ && index($0, " * " path " - ") != 1 {
			print file ":2: a header begins with \"" path " - what it is\""
		}
		file ~ /\.h$/ && !(file in guarded) && /^#[ \t]*if/ {
			guarded[file] = 1
			if ($0 != "#ifndef " guard)
				print file ":" FNR ": the guard is " guard
		}
		/^[ \t]*#[ \t]*include/ {
			now = rank($0)
			if (now < last)
				print file ":" FNR ": includes are in the order own" \
					" header, layers, runtime, system"
			last = now
		}
		END { end_file() }
	' $(cat "$files")
}

# A unit test waits for what it waits for. (Those that stress are no test_*.c.)
check_sleep() {
	find tests/unit -name 'test_*.c' -exec \
		grep -HnE '(^|[^a-z_])sleep\(' {} + 2>/dev/null |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: a unit test does not sleep for seconds/'
}

# Scripts. One that goes on after a failure, to count them, has -u alone.
check_scripts() {
	find tools tests .ci bench deploy -type f 2>/dev/null | LC_ALL=C sort |
		while read -r script; do
			first=
			read -r first <"$script" 2>/dev/null || true
			case "$script $first" in
			*' #!/bin/sh'|'.ci/run #!'*) ;;
			*' #!'*sh)
				echo "$script:1: a script is for /bin/sh"
				continue ;;
			*) continue ;;
			esac
			grep -qE '^set -e?u$' "$script" ||
				echo "$script:1: a script begins with set -eu"
		done
}

# Python is for tests and examples, and for gdb, which knows nothing else.
check_python() {
	find src include tools web deploy -name '*.py' ! -name 'gdb_*' 2>/dev/null |
		sed 's/$/:1: a tool is a shell script/'
}

# Markdown: the length of prose. Tables, code and a link alone on its line may
# be longer. In the C locale awk counts bytes, so those that continue a
# character are taken out.
check_prose() {
	find . -name '*.md' ! -path './build*' ! -path './.git/*' |
		sed 's/^\.\///' | LC_ALL=C sort |
		while read -r page; do
			LC_ALL=C awk -v max="$PROSE_MAX" -v page="$page" '
				/^[ \t]*```/ { code = !code; next }
				code || /^[ \t]*\|/ || /^[ \t]*[^ \t]+$/ { next }
				{ gsub(/[\200-\277]/, "") }
				length($0) > max {
					print page ":" FNR ": a line of prose has " \
						length($0) " columns, " max " at most"
				}
			' "$page"
		done
}

{
	check_functions
	check_variables
	check_lines
	check_files
	check_sleep
	check_scripts
	check_python
	check_prose
} >"$found"
[ -s "$found" ] || exit 0
LC_ALL=C sort -t : -k 1,1 -k 2,2n "$found" >&2
exit 1
