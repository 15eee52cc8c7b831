/*
 * The first bytes of a connection from a load balancer. A header lies within
 * them, and no beginning of it is judged otherwise than as incomplete.
 */
#include "collector/ingest/proxy_header.h"

#include <stdlib.h>

static void demand(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proxy_header header, shorter;
	enum proxy_status status = proxy_header_parse(data, size, &header);

	if (status == PROXY_PARTIAL)
		demand(size < PROXY_HEADER_MAX);
	if (status != PROXY_WHOLE)
		return 0;
	demand(header.len > 0 && header.len <= size &&
	       header.len <= PROXY_HEADER_MAX);
	demand(proxy_header_parse(data, header.len, &shorter) == PROXY_WHOLE);
	demand(shorter.len == header.len);
	for (size_t len = 0; len < header.len; len++)
		demand(proxy_header_parse(data, len, &shorter) ==
		       PROXY_PARTIAL);
	return 0;
}
