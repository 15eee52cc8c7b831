#!/bin/sh
# Put what follows from the table of path attributes into docs/attributes.md.
# Run it after changing the table; a test says when it was forgotten.
#
#	tools/attribute-docs.sh BUILD
set -eu
doc=$(cd "$1" && pwd)/attribute_doc
cd "$(dirname "$0")/.."

page=docs/attributes.md
{
	sed '/^<!-- from the table -->$/q' $page
	"$doc"
	echo
	sed -n '/^<!-- end of it -->$/,$p' $page
} >$page.new
mv $page.new $page
