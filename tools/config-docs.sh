#!/bin/sh
# Put what follows from the table of options into the tree: deploy/arancini.conf
# and the tables of docs/configuration.md. Run it after changing the table; a
# test says when it was forgotten.
#
#	tools/config-docs.sh BUILD
set -eu
doc=$(cd "$1" && pwd)/config_doc
cd "$(dirname "$0")/.."

"$doc" conf >deploy/arancini.conf.new
mv deploy/arancini.conf.new deploy/arancini.conf

page=docs/configuration.md
{
	sed '/^<!-- from the table -->$/q' $page
	"$doc" markdown
	echo
	sed -n '/^<!-- end of it -->$/,$p' $page
} >$page.new
mv $page.new $page
