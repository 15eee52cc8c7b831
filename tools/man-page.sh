#!/bin/sh
# Make a man page: lines of the form @word@ in the template become what
# config_doc prints for that word, or the list of commands of arancini --help.
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

while IFS= read -r line; do
	case $line in
	@commands@)	commands ;;
	@man-*@)	word=${line#@}; "$doc" "${word%@}" ;;
	*)		printf '%s\n' "$line" ;;
	esac
done <"$template"
