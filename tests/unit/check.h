/*
 * check.h - cmocka, and the one macro our tables of cases want
 *
 * cmocka's headers must come in this order.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Fail with a sentence that names the case, not only the line. */
#define CHECK(condition, ...)                     \
	do {                                      \
		if (!(condition)) {               \
			print_error(__VA_ARGS__); \
			print_error("\n");        \
			fail();                   \
		}                                 \
	} while (0)

#define BYTES(...)                        \
	(const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ })

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
