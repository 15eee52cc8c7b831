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

/*
 * cmocka 1.1.5 prints a skipped case as "not ok", which TAP readers take for a
 * failure. A case that a build cannot have is left out of its table instead.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Sanitizers make fibers expensive. */
#ifdef SANITIZED
#define FEWER_IF_SANITIZED(n) ((n) / 10)
#else
#define FEWER_IF_SANITIZED(n) (n)
#endif

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
