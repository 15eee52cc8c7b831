/*
 * Bytes of a manifest. Whatever they are, they are read or refused; and what
 * was read, written and read back is the same. The first byte says whether the
 * rest gets a right sum, since the engine could not make one.
 */
#include "collector/checkpoint/manifest.h"
#include "rib/checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM "sum 00000000\n"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* Entries are sorted. */
static bool is_repeated(const struct manifest *m, size_t i)
{
	const char *token = m->entries[i].token;

	return (i > 0 && strcmp(m->entries[i - 1].token, token) == 0) ||
	       (i + 1 < m->count &&
		strcmp(m->entries[i + 1].token, token) == 0);
}

static void check_round_trip(const struct manifest *m)
{
	struct manifest again;
	size_t len;
	char *text = manifest_format(m, "ams1", &len);

	demand(text != NULL);
	demand(manifest_parse((struct wire_view){ (uint8_t *)text, len },
			      "ams1", &again) == MANIFEST_OK);
	demand(again.count == m->count);
	demand(m->held.created_ns == 0 ||
	       memcmp(&again.held, &m->held, sizeof(m->held)) == 0);
	for (size_t i = 0; i < m->count; i++) {
		const struct manifest_entry *same =
			manifest_find(&again, m->entries[i].token);
		struct rib_identity id;

		demand(identity_from_token(m->entries[i].token, &id) == 0);
		demand(same != NULL);
		/* Of a token that is there twice, either may be found. */
		demand(is_repeated(m, i) ||
		       record_id_compare(same->relies_on,
					 m->entries[i].relies_on) == 0);
	}
	manifest_release(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest m;
	char *text;
	size_t len;

	if (size == 0)
		return 0;
	len = size - 1;
	text = malloc(len + sizeof(SUM));
	demand(text != NULL);
	memcpy(text, data + 1, len);
	if (data[0] != 0)
		len += (size_t)snprintf(text + len, sizeof(SUM), "sum %08x\n",
					rib_checksum(0, text, len));
	if (manifest_parse((struct wire_view){ (uint8_t *)text, len }, "ams1",
			   &m) == MANIFEST_OK)
		check_round_trip(&m);
	else
		demand(m.entries == NULL && m.count == 0);
	manifest_release(&m);
	free(text);
	return 0;
}
