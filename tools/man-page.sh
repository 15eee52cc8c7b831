#!/bin/sh
# Make a man page: lines of the form @word@ in the template become what
# config_doc prints for that word, the list of commands of arancini --help, or
# a synopsis of each command, from the first lines of its --help.
#
#	tools/man-page.sh CONFIG_DOC ARANCINI TEMPLATE >PAGE
set -eu
doc=$1 arancini=$2 template=$3

commands() {
	echo '.Bl -tag -width snapshot'
	"$arancini" --help | sed -n '/^Commands:/,/^$/p' |
	    sed -n 's/^  \([a-z]*\) *\(.*\)$/.It Cm \1\n\2./p'
	echo '.El'
}

names() {
	"$arancini" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The first line of the help: "Usage: arancini rib [OPTION]... PREFIX".
synopsis() {
	for name in $(names); do
		"$arancini" "$name" --help |
		    sed -n "1s/^Usage: arancini $name /.Nm arancini Cm $name\\n/p"
	done
}

while IFS= read -r line; do
	case $line in
	@commands@)	commands ;;
	@synopsis@)	synopsis ;;
	@man-*@)	word=${line#@}; "$doc" "${word%@}" ;;
	*)		printf '%s\n' "$line" ;;
	esac
done <"$template"
