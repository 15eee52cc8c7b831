#include "egress/nats/inbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int nats_inbox_make(const struct nats_options *from, char out[NATS_INBOX_MAX])
{
	uint64_t random[2];
	const char *prefix = from->inbox_prefix != NULL ? from->inbox_prefix
							: NATS_INBOX_PREFIX;

	if (strlen(prefix) >= NATS_INBOX_PREFIX_MAX)
		return -EINVAL;
	if (getrandom(random, sizeof(random), 0) < 0)
		return -errno;
	snprintf(out, NATS_INBOX_MAX, "%s.%016" PRIx64 "%016" PRIx64, prefix,
		 random[0], random[1]);
	return 0;
}
