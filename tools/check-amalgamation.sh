#!/bin/sh
# The runtime as one file (tools/amalgamate.sh) as a program would use it that is
# not of this tree: compiled with the program's own flags, by gcc and clang, with
# each optimisation level, with LTO, under the sanitizers and valgrind, and from
# C++. The programs are the examples and unit tests; what they include is
# spargio.h. None of the flags of this tree is used.
#
#	tools/check-amalgamation.sh FOLDER
#
# A compiler that is not installed is skipped, and named.
set -u
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit
passed=0 failed=0 skipped=0

judge() { # NAME STATUS LOG
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		head -n 60 "$3"
		echo "FAILED  amalgamation/$1"
	fi
}

has() { # COMMAND NAME
	command -v "$1" >/dev/null && return
	echo "skipped amalgamation/$2: no $1"
	skipped=$((skipped + 1))
	return 1
}

# The same tree gives the same bytes.
tools/amalgamate.sh "$work" && tools/amalgamate.sh "$work/again" &&
	cmp "$work/spargio.c" "$work/again/spargio.c" >"$work/again.log" 2>&1 &&
	cmp "$work/spargio.h" "$work/again/spargio.h" >>"$work/again.log" 2>&1
judge deterministic $? "$work/again.log"

# Programs of this tree include the headers by their own names.
mkdir -p "$work/names/spargio"
for header in include/spargio/*.h; do
	echo '#include "../../spargio.h"' >"$work/names/spargio/${header##*/}"
done

# TSan of gcc 12 and clang 14 cannot live with more address randomisation.
plain="setarch $(uname -m) -R"
warnings='-Wall -Wextra -Werror'

# with NAME COMPILER FLAGS: compile it and the programs, run them on both back ends
with() {
	name=$1 compiler=$2 flags=$3
	has "$compiler" "$name" || return 0
	folder=$work/$name
	mkdir -p "$folder"
	# shellcheck disable=SC2086 # flags are words
	(
		set -e
		$compiler $flags $warnings -I "$work" -c "$work/spargio.c" \
			-o "$folder/spargio.o"
		for source in examples/channels.c examples/net_steal.c \
			tests/unit/test_spargio_fiber.c \
			tests/unit/test_spargio_sync.c; do
			program=$folder/$(basename "$source" .c)
			$compiler $flags -std=gnu17 -D_GNU_SOURCE -I "$work" \
				-I "$work/names" "$source" "$folder/spargio.o" \
				-lcmocka -pthread -o "$program"
			for backend in auto epoll; do
				SP_BACKEND=$backend timeout -s KILL 120 $plain \
					"$program"
			done
		done
	) >"$folder/log" 2>&1
	judge "$name" $? "$folder/log"
}

export CMOCKA_MESSAGE_OUTPUT=STDOUT
export ASAN_OPTIONS=detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

with gcc-O0 gcc '-std=c11 -O0 -g'
with gcc-O1 gcc '-std=gnu17 -O1 -Wshadow'
with gcc-O2 gcc '-std=c11 -O2 -fPIC'
with gcc-O3 gcc '-std=gnu17 -O3 -march=native'
with gcc-lto gcc '-O2 -flto=auto'
with gcc-asan gcc '-O1 -g -fsanitize=address,undefined'
with gcc-tsan gcc '-O1 -g -fsanitize=thread'
with clang-O0 clang '-std=gnu17 -O0 -g'
with clang-O1 clang '-std=c11 -O1 -Wshadow'
with clang-O2 clang '-std=gnu17 -O2 -fPIC'
with clang-O3 clang '-std=c11 -O3 -march=native'
with clang-lto clang '-O2 -flto'
with clang-asan clang '-O1 -g -fsanitize=address,undefined'
with clang-tsan clang '-O1 -g -fsanitize=thread'

# valgrind on the back end that is the default. Without its header it does not know
# the stacks and complains of them, but the program must not stand still.
under_valgrind() { # NAME FLAGS OPTION
	has valgrind "$1" || return 0
	# shellcheck disable=SC2086 # flags are words
	gcc -O1 -g $2 -D_GNU_SOURCE -I "$work" -I "$work/names" \
		"$work/spargio.c" examples/channels.c -pthread \
		-o "$work/$1" >"$work/$1.log" 2>&1 &&
		SP_BACKEND='' timeout -s KILL 120 valgrind --quiet "$3" \
			"$work/$1" >>"$work/$1.log" 2>&1 &&
		grep -q 'first: the quick one' "$work/$1.log" &&
		! grep 'unhandled' "$work/$1.log"
	judge "$1" $? "$work/$1.log"
}
under_valgrind valgrind '' --error-exitcode=99
under_valgrind valgrind-blind -DSP_NO_VALGRIND --error-exitcode=0

# From C++. The public headers are C++ as well once they say extern "C".
from_cxx() { # COMPILER STANDARD
	has "$1" "$1-$2" || return 0
	"$1" -std="$2" -Wall -Wextra -Werror -I "$work" tests/unit/amalgamation.cc \
		"$work/gcc-O2/spargio.o" -pthread -o "$work/$1-$2" \
		>"$work/$1-$2.log" 2>&1 &&
		timeout -s KILL 60 "$work/$1-$2" >>"$work/$1-$2.log" 2>&1
	judge "$1-$2" $? "$work/$1-$2.log"
}
if grep -q 'extern "C"' include/spargio/sync.h; then
	for standard in c++11 c++20; do
		from_cxx g++ $standard
		from_cxx clang++ $standard
	done
else
	echo 'skipped amalgamation/c++: the headers are not C++'
	skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
