#include "collector/base/peer_id.h"

#include "collector/base/ip.h"

#include "bmp/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t peer_id_text(uint8_t type, uint64_t distinguisher,
		    const uint8_t address[16], char out[PEER_ID_MAX])
{
	int n = snprintf(out, PEER_ID_MAX, "%u-%" PRIx64 "-", type,
			 distinguisher);
	struct text t = text_start(out + n, PEER_ID_MAX - (size_t)n);

	text_ip(&t, address);
	return (size_t)n + text_end(&t);
}

/*
 * Take a number and the "-" after it. Only digits are accepted, because
 * strtoull() would also accept blanks and signs.
 */
static bool take_number(const char **text, int base, uint64_t max,
			uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strcspn(*text, "-");

	if (len == 0 || len > 16 || (*text)[len] != '-')
		return false;
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		const char *d = memchr(digits, (*text)[i], (size_t)base);

		if (d == NULL)
			return false;
		*out = *out * (uint64_t)base + (uint64_t)(d - digits);
	}
	*text += len + 1;
	return *out <= max;
}

int peer_id_parse(const char *text, struct bmp_peer *out)
{
	struct bmp_peer peer = { .type = 0 };
	uint64_t type, distinguisher;

	if (!take_number(&text, 10, UINT8_MAX, &type) ||
	    !take_number(&text, 16, UINT64_MAX, &distinguisher) ||
	    ip_parse(text, peer.address) < 0)
		return -EINVAL;
	peer.type = (uint8_t)type;
	peer.distinguisher = distinguisher;
	*out = peer;
	return 0;
}
