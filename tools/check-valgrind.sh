#!/bin/sh
# Unit tests of the runtime under memcheck, which is told of the fibers' stacks
# (src/spargio/sched/stack.c). No back end is asked for: under valgrind the runtime
# must take epoll by itself, and use no call that valgrind 3.19 does not know.
# pidfd_open() is one, so the processes are not among them, and tests that measure
# time have no meaning there.
#
#	tools/check-valgrind.sh BUILD
set -u
build=$1
passed=0 failed=0

for test in fiber message cancel signal sim; do
	# What a simulated host had when it crashed is not freed.
	leaks=full
	[ $test != sim ] || leaks=no
	# What a test forks is not ours to judge. One that hangs does so in the
	# kernel, where only SIGKILL ends it.
	if SP_BACKEND='' CMOCKA_MESSAGE_OUTPUT=TAP timeout -s KILL 120 valgrind --quiet \
	     --error-exitcode=99 --leak-check=$leaks --errors-for-leak-kinds=definite \
	     --show-leak-kinds=definite --fair-sched=yes \
	     --child-silent-after-fork=yes \
	     "$build/tests/unit/test_spargio_$test" \
	     >"$build/valgrind-$test.log" 2>&1 &&
	   ! grep -q 'unhandled' "$build/valgrind-$test.log"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		grep -E '^(==|--|not ok)' "$build/valgrind-$test.log" | head -n 40
		echo "FAILED  valgrind/test_spargio_$test"
	fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
