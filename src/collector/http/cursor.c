#include "collector/http/cursor.h"

#include "collector/http/target.h"

#include <assert.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char digits[16] = "0123456789abcdef";

uint64_t http_cursor_seed(uint64_t seed, const struct http_target *t)
{
	for (size_t i = 0; i < t->param_count; i++) {
		const struct http_param *p = &t->params[i];

		if (strcmp(p->name, "limit") == 0 ||
		    strcmp(p->name, "cursor") == 0)
			continue;
		/*
		 * The hash of the parameters is a sum, so that their order does
		 * not matter.
		 */
		seed += XXH3_64bits_withSeed(p->value, strlen(p->value),
					     XXH3_64bits(p->name,
							 strlen(p->name)));
	}
	return seed;
}

static uint64_t hash_of(uint64_t seed, uint8_t kind, const uint8_t *place,
			size_t len)
{
	uint8_t bytes[1 + HTTP_CURSOR_BYTES] = { kind };

	memcpy(bytes + 1, place, len);
	/* Use another seed than the hash tables. */
	return XXH3_64bits_withSeed(bytes, 1 + len,
				    seed ^ UINT64_C(0x637572736f72));
}

void http_cursor_write(uint64_t seed, uint8_t kind, const void *place,
		       size_t len, char out[HTTP_CURSOR_TEXT])
{
	uint8_t bytes[8 + HTTP_CURSOR_BYTES];
	uint64_t hash;

	assert(len <= HTTP_CURSOR_BYTES);
	hash = hash_of(seed, kind, place, len);
	memcpy(bytes, &hash, 8);
	memcpy(bytes + 8, place, len);
	for (size_t i = 0; i < 8 + len; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

bool http_cursor_read(uint64_t seed, uint8_t kind, const char *text,
		      void *place, size_t len)
{
	uint8_t bytes[8 + HTTP_CURSOR_BYTES];
	uint64_t hash;

	if (strlen(text) != 2 * (8 + len))
		return false;
	for (size_t i = 0; i < 8 + len; i++) {
		const char *high = memchr(digits, text[2 * i], 16);
		const char *low = memchr(digits, text[2 * i + 1], 16);

		if (high == NULL || low == NULL)
			return false;
		bytes[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	hash = hash_of(seed, kind, bytes + 8, len);
	if (memcmp(bytes, &hash, 8) != 0)
		return false;
	memcpy(place, bytes + 8, len);
	return true;
}
