/*
 * A batch that somebody else may have written: the first byte says how it is
 * compressed. It is read as updates and as events, and every byte that the
 * reader points to is touched.
 */
#include "egress/codec.h"
#include "egress/encode/decode.h"

#include <stdlib.h>

static void touch(uint64_t *sum, struct wire_view v)
{
	for (size_t i = 0; i < v.len; i++)
		*sum += v.p[i];
}

static void touch_address(uint64_t *sum, const uint8_t *p)
{
	if (p != NULL)
		touch(sum, (struct wire_view){ p, 16 });
}

static void touch_numbers(uint64_t *sum, const struct egress_list *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		*sum += egress_list_u32(l, i);
}

static void touch_tlvs(uint64_t *sum, const struct egress_list *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct egress_tlv tlv = egress_list_tlv(l, i);

		*sum += tlv.head[0];
		touch(sum, tlv.value);
	}
}

static void touch_structs(uint64_t *sum, const struct egress_update *u)
{
	for (uint32_t i = 0; i < u->communities.count; i++)
		*sum += egress_list_community(&u->communities, i).asn;
	for (uint32_t i = 0; i < u->large_communities.count; i++)
		*sum += egress_list_large(&u->large_communities, i)
				.local_data[1];
	for (uint32_t i = 0; i < u->as_path_segments.count; i++) {
		struct egress_segment s =
			egress_list_segment(&u->as_path_segments, i);

		touch_numbers(sum, &s.asns);
	}
	for (uint32_t i = 0; i < u->ipv6_ext_communities.count; i++)
		touch(sum, egress_list_data(&u->ipv6_ext_communities, i));
}

static void touch_update(uint64_t *sum, const struct egress_update *u)
{
	touch_address(sum, u->router_addr);
	touch_address(sum, u->peer_addr);
	touch_address(sum, u->prefix_addr);
	touch_address(sum, u->next_hop);
	touch_address(sum, u->next_hop_link_local);
	touch(sum, u->origin);
	touch(sum, u->router_id);
	touch(sum, u->table_name);
	touch(sum, u->nlri_text);
	touch(sum, u->nlri);
	touch(sum, u->nlri_key);
	touch_numbers(sum, &u->as_path);
	touch_numbers(sum, &u->cluster_list);
	touch_numbers(sum, &u->labels);
	touch_tlvs(sum, &u->ext_communities);
	touch_tlvs(sum, &u->unknown_attributes);
	touch_structs(sum, u);
}

static void touch_event(uint64_t *sum, const struct egress_event *e)
{
	touch_address(sum, e->router_addr);
	touch_address(sum, e->peer_addr);
	touch_address(sum, e->local_addr);
	touch(sum, e->text);
	touch(sum, e->router_id);
	touch(sum, e->table_name);
	touch(sum, e->collector);
	touch(sum, e->sent_open);
	touch(sum, e->received_open);
	touch(sum, e->notification);
	for (uint32_t i = 0; i < e->counts.count; i++)
		*sum += egress_list_count(&e->counts, i).value;
}

static void read_all(struct wire_view plain)
{
	struct egress_decoder r = egress_decode_start(plain);
	static volatile uint64_t sink;
	struct egress_message m;
	uint64_t sum = 0;

	while (egress_decode_next(&r, &m) > 0) {
		struct egress_update u;
		struct egress_event e;

		if (egress_decode_update(&m, &u) == 0) {
			touch_update(&sum, &u);
			/* A part of it: nothing else may be wrong with it. */
			if (egress_decode_route(&m, &u) < 0)
				abort();
		}
		if (egress_decode_event(&m, &e) == 0)
			touch_event(&sum, &e);
	}
	sink = sum;
	(void)sink;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct egress_codec *codec; /* kept, as its users do */
	struct wire_view plain;

	if (size == 0 || (codec == NULL && egress_codec_new(&codec) < 0))
		return 0;
	if (egress_codec_open(codec, data[0] % EGRESS_ENCODINGS,
			      (struct wire_view){ data + 1, size - 1 },
			      &plain) == 0)
		read_all(plain);
	return 0;
}
