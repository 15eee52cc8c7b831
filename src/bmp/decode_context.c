#include "bmp/decode_context.h"

#include "bmp/message.h"
#include "bmp/peer.h"

void bgp_context_init(struct bgp_context *ctx)
{
	*ctx = (struct bgp_context){ .known = false, .four_byte_as = true };
}

void bgp_context_set(struct bgp_context *ctx, const struct bgp_open *sent,
		     const struct bgp_open *received)
{
	bgp_family_set in = received->add_path_send & sent->add_path_receive;
	bgp_family_set out = sent->add_path_send & received->add_path_receive;

	*ctx = (struct bgp_context){
		.known = true,
		.four_byte_as = sent->four_byte_as && received->four_byte_as,
		.ext_message = sent->ext_message && received->ext_message,
		.families = sent->families & received->families,
		.add_path_in = in,
		.add_path_out = out,
		/*
		 * Both OPENs are the router's own invention, and it speaks
		 * about one RIB: neither direction is more right, and two
		 * ends that both send do send.
		 */
		.add_path_loc_rib =
			in | out |
			(sent->add_path_send & received->add_path_send),
		.multiple_labels =
			sent->multiple_labels & received->multiple_labels,
		.ext_next_hop = sent->ext_next_hop & received->ext_next_hop,
	};
}

void bgp_context_merge(struct bgp_context *ctx, const struct bgp_open *sent,
		       const struct bgp_open *received)
{
	struct bgp_context more;

	bgp_context_set(&more, sent, received);
	if (ctx->known) {
		more.four_byte_as |= ctx->four_byte_as;
		more.ext_message |= ctx->ext_message;
		more.families |= ctx->families;
		more.add_path_in |= ctx->add_path_in;
		more.add_path_out |= ctx->add_path_out;
		more.add_path_loc_rib |= ctx->add_path_loc_rib;
		more.multiple_labels |= ctx->multiple_labels;
		more.ext_next_hop |= ctx->ext_next_hop;
	}
	*ctx = more;
}

enum bgp_open_status bgp_context_peer_up(struct bgp_context *ctx,
					 const struct bmp_peer *peer,
					 const struct bmp_peer_up *up)
{
	bool loc_rib = peer->type == BMP_PEER_LOC_RIB;
	struct bgp_open sent, received;
	enum bgp_open_status a = bgp_open_decode(up->sent_open.body, &sent);
	enum bgp_open_status b =
		bgp_open_decode(up->received_open.body, &received);
	enum bgp_open_status worse = a > b ? a : b;

	if (!bgp_open_status_usable(worse)) {
		if (!loc_rib)
			bgp_context_init(ctx);
	} else if (loc_rib) {
		bgp_context_merge(ctx, &sent, &received);
	} else {
		bgp_context_set(ctx, &sent, &received);
	}
	return worse;
}

static bgp_family_set add_path_of(const struct bgp_context *ctx,
				  const struct bmp_peer *peer)
{
	switch ((enum bmp_view)peer->view) {
	case BMP_VIEW_OUT_PRE:
	case BMP_VIEW_OUT_POST:
		return ctx->add_path_out;
	case BMP_VIEW_LOC_RIB:
		return ctx->add_path_loc_rib;
	default:
		return ctx->add_path_in;
	}
}

void bgp_decode_opts_override(struct bgp_decode_opts *r,
			      const struct bgp_overrides *over)
{
	r->add_path |= over->add_path_on;
	r->add_path &= ~over->add_path_off;
	r->add_path_unsaid &= ~over->add_path_off;
	if (over->as_width != 0) {
		r->as_width = over->as_width;
		r->as_width_certain = true;
	}
}

static struct bgp_decode_opts decode_opts_of(const struct bgp_context *ctx,
					     const struct bmp_peer *peer,
					     const struct bgp_overrides *over,
					     uint8_t as_width)
{
	struct bgp_decode_opts r = {
		.add_path = add_path_of(ctx, peer),
		.multiple_labels = ctx->multiple_labels,
		.as_width = as_width,
		.loc_rib = peer->view == BMP_VIEW_LOC_RIB,
	};

	if (r.loc_rib && ctx->known)
		r.add_path_unsaid = ~ctx->families;
	if (over != NULL)
		bgp_decode_opts_override(&r, over);
	return r;
}

/* Hot: once per Route Monitoring. Cost: a few loads and masks. */
struct bgp_decode_opts bgp_context_decode_opts(const struct bgp_context *ctx,
					       const struct bmp_peer *peer,
					       const struct bgp_overrides *over)
{
	return decode_opts_of(ctx, peer, over, peer->two_byte_as ? 2 : 4);
}

struct bgp_decode_opts bgp_context_decode_opts_mirrored(
	const struct bgp_context *ctx, const struct bmp_peer *peer,
	const struct bgp_overrides *over)
{
	return decode_opts_of(ctx, peer, over, ctx->four_byte_as ? 4 : 2);
}
