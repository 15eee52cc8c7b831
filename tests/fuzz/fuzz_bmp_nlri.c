/*
 * An NLRI field of any family (the first byte says which, the second how):
 * counting and walking agree, batches hold the same routes, and a route that
 * is written again has the same key.
 */
#include "bmp/bgp_writer.h"
#include "bmp/nlri.h"
#include "bmp/nlri_describe.h"
#include "bmp/nlri_key.h"
#include "bmp/nlri_text.h"

#include <stdlib.h>

#define BATCH 7

static uint8_t key[70100], key_again[70100], wire[70100];

/* What the text is long, it is long in any buffer. */
static void check_text(const struct bgp_nlri *n)
{
	char small[16], large[1024];
	size_t len = bgp_nlri_text(n, large, sizeof(large));

	if (bgp_nlri_text(n, small, sizeof(small)) != len ||
	    memcmp(small, large,
		   len < sizeof(small) ? len : sizeof(small) - 1) != 0)
		abort();
}

/* Objects and lists end where they begin, and names are in objects alone. */
static void count_begin(void *arg, const char *name)
{
	int *depth = arg;

	(void)name;
	++*depth;
}

static void count_end(void *arg)
{
	int *depth = arg;

	if (--*depth < 0)
		abort();
}

static void take_number(void *arg, const char *name, uint64_t value)
{
	(void)arg;
	(void)name;
	(void)value;
}

static void take_string(void *arg, const char *name, const char *value)
{
	(void)arg;
	(void)name;
	if (value[0] == '\0')
		abort();
}

static void take_bytes(void *arg, const char *name, struct wire_view value)
{
	const uint8_t *end = value.p + value.len;

	(void)arg;
	(void)name;
	if (value.len != 0 && end[-1] == 0x5a)
		key[0] ^= 1;
}

static void check_fields(const struct bgp_nlri *n)
{
	static const struct field_writer_ops ops = {
		.begin_object = count_begin,
		.end_object = count_end,
		.begin_list = count_begin,
		.end_list = count_end,
		.number = take_number,
		.string = take_string,
		.text = take_bytes,
		.bytes = take_bytes,
	};
	int depth = 0;
	struct field_writer w = { &ops, &depth };

	bgp_nlri_describe(n, &w);
	if (depth != 0)
		abort();
}

static void check_rewritten(const struct bgp_nlri *n,
			    const struct bgp_nlri_format *format)
{
	struct bmp_writer w = bmp_writer_on(wire, sizeof(wire));
	size_t len = bgp_nlri_key(n, key, sizeof(key));
	struct bgp_nlri_iter it;

	if (len > sizeof(key) || (n->kind != BGP_NLRI_PREFIX &&
				  len > n->wire.len + BGP_NLRI_KEY_SLACK))
		abort();
	bgp_write_nlri(&w, n);
	bgp_nlri_start(&it, (struct wire_view){ wire, w.len }, format);
	if (w.full || !bgp_nlri_next(&it) || it.c.left != 0 ||
	    it.host_bits != 0 || it.nlri.path_id != n->path_id)
		abort();
	if (bgp_nlri_key(&it.nlri, key_again, sizeof(key_again)) != len ||
	    memcmp(key, key_again, len) != 0)
		abort();
	if (bgp_nlri_value(&it.nlri, NULL, 0) != bgp_nlri_value(n, NULL, 0))
		abort();
}

static void check_batches(struct wire_view field,
			  const struct bgp_nlri_format *format)
{
	struct bgp_prefix batch[BATCH];
	struct bgp_nlri_iter a, b;
	size_t n;

	bgp_nlri_start(&a, field, format);
	bgp_nlri_start(&b, field, format);
	if (!a.plain)
		return;
	while ((n = bgp_nlri_take(&a, batch, BATCH)) != 0)
		for (size_t i = 0; i < n; i++)
			if (!bgp_nlri_next(&b) ||
			    memcmp(b.nlri.address, batch[i].address, 16) != 0 ||
			    b.nlri.prefix_len != batch[i].len ||
			    b.nlri.path_id != batch[i].path_id)
				abort();
	if (bgp_nlri_next(&b) || a.malformed != b.malformed ||
	    a.host_bits != b.host_bits)
		abort();
}

static void check_first(struct wire_view field,
			const struct bgp_nlri_format *format)
{
	struct bgp_nlri_iter it;
	struct bgp_prefix first;
	bool host_bits;

	if (!bgp_nlri_first(field, format, &first, &host_bits))
		return;
	bgp_nlri_start(&it, field, format);
	if (!bgp_nlri_next(&it) || it.nlri.prefix_len != first.len ||
	    memcmp(it.nlri.address, first.address, 16) != 0 ||
	    it.host_bits != host_bits)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct wire_view field;
	const struct bgp_family_info *info;
	struct bgp_nlri_format format;
	struct bgp_nlri_iter it;
	uint32_t n = 0, count = 0;
	bool ok;

	if (len < 2 || len - 2 > UINT16_MAX)
		return 0;
	field = (struct wire_view){ data + 2, len - 2 };
	info = bgp_family_info(data[0] % BGP_FAMILIES);
	format = (struct bgp_nlri_format){
		.afi = info->afi,
		.safi = info->safi,
		.family = data[0] % BGP_FAMILIES,
		.add_path = data[1] & 1,
		.multiple_labels = data[1] & 2,
		.withdrawn = data[1] & 4,
	};
	ok = bgp_nlri_count(field, &format, &count);
	bgp_nlri_start(&it, field, &format);
	while (bgp_nlri_next(&it)) {
		n++;
		check_text(&it.nlri);
		check_fields(&it.nlri);
		check_rewritten(&it.nlri, &format);
	}
	if (ok == it.malformed || (ok && n != count))
		abort();
	check_batches(field, &format);
	check_first(field, &format);
	return 0;
}
