#include "egress/subject.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t mapped_v4[12] = { [10] = 0xff, [11] = 0xff };

static size_t router_v4(const uint8_t *a, char out[SUBJECT_ROUTER_MAX])
{
	return (size_t)snprintf(out, SUBJECT_ROUTER_MAX, "v4_%u_%u_%u_%u", a[0],
				a[1], a[2], a[3]);
}

size_t subject_router(const uint8_t addr[16], char out[SUBJECT_ROUTER_MAX])
{
	size_t used = 2;

	if (memcmp(addr, mapped_v4, sizeof(mapped_v4)) == 0)
		return router_v4(addr + 12, out);

	memcpy(out, "v6", 2);
	for (int i = 0; i < 16; i += 2) {
		unsigned int group = (unsigned int)addr[i] << 8 | addr[i + 1];

		used += (size_t)snprintf(out + used, SUBJECT_ROUTER_MAX - used,
					 "_%x", group);
	}
	return used;
}

int subject_update(const char *prefix, const char *router, uint32_t peer_as,
		   uint16_t afi, uint8_t safi, char out[SUBJECT_MAX])
{
	char made[SUBJECT_MAX];
	int len = snprintf(made, sizeof(made), "%s.%s.%" PRIu32 ".%u_%u",
			   prefix, router, peer_as, afi, safi);

	if (len >= (int)sizeof(made))
		return -ENAMETOOLONG;
	memcpy(out, made, (size_t)len + 1);
	return len;
}
