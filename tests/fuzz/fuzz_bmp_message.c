/*
 * Any bytes must decode as BMP messages whose views stay inside them, in all
 * three readings of version 4; lists end; OPENs found in a Peer Up can be read
 * whatever is in them. Explained byte by byte, no byte is left out.
 */
#include "bmp/decode_context.h"
#include "bmp/explain.h"
#include "bmp/frame.h"
#include "bmp/message.h"
#include "bmp/rm_tlv.h"
#include "bmp/stats.h"

#include <stdlib.h>

#define MAX 70000

static void check_inside(struct wire_view v, struct wire_view in)
{
	if (v.len != 0 && (v.p < in.p || v.p + v.len > in.p + in.len))
		abort();
}

static void check_tlvs(const struct bmp_message *m, struct wire_view in)
{
	struct tlv_iter it = tlv_start(m->tlvs, m->tlv_form);
	struct tlv tlv;
	size_t n = 0;

	check_inside(m->tlvs, in);
	while (tlv_next(&it, &tlv)) {
		check_inside(tlv.value, m->tlvs);
		/* An element has at least its head. */
		if (++n * 4 > m->tlvs.len)
			abort();
	}
	if (it.cut == tlv_valid(m->tlvs, m->tlv_form))
		abort();
}

static void check_stats(const struct bmp_message *m)
{
	struct bmp_stat_iter it = bmp_stat_start(m);
	struct bmp_stat s;

	while (bmp_stat_next(&it, &s)) {
		check_inside(s.raw, m->tlvs);
		if (s.kind == BMP_STAT_COUNTER32 && s.value > UINT32_MAX)
			abort();
	}
}

static void check_open(const struct bgp_pdu *pdu, struct bgp_open *out)
{
	struct bgp_capability_iter it;
	enum bgp_open_status status = bgp_open_decode(pdu->body, out);
	struct tlv cap;

	check_inside(out->hostname, pdu->body);
	check_inside(out->parameters, pdu->body);
	if (status < BGP_OPEN_SHORT && out->version != 4)
		abort();
	it = bgp_open_capabilities(out);
	while (bgp_capability_next(&it, &cap))
		check_inside(cap.value, out->parameters);
	if (status == BGP_OPEN_OK && it.parameters.cut)
		abort();
}

static void check_peer_up(const struct bmp_message *m, struct wire_view in)
{
	struct bgp_open sent, received;
	struct bgp_context ctx = { 0 }, merged;
	struct bgp_decode_opts r;

	check_inside(m->up.sent_open.whole, in);
	check_inside(m->up.received_open.whole, in);
	check_open(&m->up.sent_open, &sent);
	check_open(&m->up.received_open, &received);
	bgp_context_set(&ctx, &sent, &received);
	r = bgp_context_decode_opts(&ctx, &m->peer, NULL);
	/* Nobody sends what the other did not offer to take, or both send. */
	if (r.add_path & ~(sent.add_path_receive | sent.add_path_send))
		abort();
	/* To merge a session with itself adds nothing. */
	merged = ctx;
	bgp_context_merge(&merged, &sent, &received);
	if (merged.families != ctx.families ||
	    merged.add_path_in != ctx.add_path_in ||
	    merged.add_path_out != ctx.add_path_out)
		abort();
}

static void check_rm_tlvs(const struct bmp_message *m, enum bmp_v4 v4)
{
	struct bmp_sequence sequence = { .known = true };
	struct bgp_decode_opts opts = { .as_width = 4 };

	bmp_rm_decode_opts(m, v4, NULL, &opts);
	if (opts.as_width != 4 || (opts.add_path_either & opts.add_path) != 0 ||
	    bmp_sequence_take(&sequence, m, v4) > INT32_MAX)
		abort();
}

/* Every byte is in one field, in order, whatever the message is. */
static void take_field(void *arg, const struct explain_field *f)
{
	size_t *at = arg;

	if (f->at != *at || (f->is_group && f->bytes.len != 0))
		abort();
	*at += f->bytes.len;
}

static void check_explained(const struct bmp_frame *f,
			    const struct bmp_message *m, bool usable,
			    enum bmp_v4 v4)
{
	struct bgp_decode_opts opts = { .as_width = 4 };
	size_t at = 0;
	struct explain e = { .field = take_field, .arg = &at };

	explain_message(&e, f, m, usable, v4, &opts);
	if (at != f->whole.len || e.depth != 0)
		abort();
}

static void check_message(const struct bmp_frame *f, enum bmp_v4 v4)
{
	struct bmp_message m;
	enum bmp_status s = bmp_message_decode(f, v4, &m);

	if (s >= BMP_STATUSES)
		abort();
	check_explained(f, &m, bmp_status_usable(s), v4);
	if (!bmp_status_usable(s))
		return;
	check_tlvs(&m, f->body);
	switch (m.type) {
	case BMP_ROUTE_MONITORING:
		check_inside(m.update.whole, f->body);
		check_inside(m.update.body, m.update.whole);
		if (m.update.whole.len < BGP_HEADER_LEN)
			abort();
		check_rm_tlvs(&m, v4);
		break;
	case BMP_PEER_UP:
		check_peer_up(&m, f->body);
		break;
	case BMP_PEER_DOWN:
		check_inside(m.down.notification.whole, f->body);
		break;
	case BMP_STATISTICS:
		check_stats(&m);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct wire_view in = { data, len };
	struct bmp_frame f;
	size_t need = 0;

	while (bmp_frame_next(in, MAX, &f, &need) == BMP_FRAME_WHOLE) {
		for (int v4 = 0; v4 < BMP_V4_NUMBERINGS; v4++)
			check_message(&f, (enum bmp_v4)v4);
		in.p += f.whole.len;
		in.len -= f.whole.len;
	}
	return 0;
}
