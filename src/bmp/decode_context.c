#include "bmp/decode_context.h"

#include "bmp/message.h"

void bgp_context_init(struct bgp_context *ctx)
{
	*ctx = (struct bgp_context){ .known = false, .four_byte_as = true };
}

/*
 * The families that have path identifiers in messages of @view, as the OPENs
 * say.
 */
static bgp_family_set add_path_of_opens(const struct bgp_context *ctx,
					enum bmp_view view)
{
	switch (view) {
	case BMP_VIEW_OUT_PRE:
	case BMP_VIEW_OUT_POST:
		return ctx->add_path_out;
	case BMP_VIEW_LOC_RIB:
		return ctx->add_path_loc_rib;
	default:
		return ctx->add_path_in;
	}
}

/*
 * Copy the data of OPENs from *@opens to *@ctx; the learned forms of *@ctx
 * stay.
 */
static void replace_opens(struct bgp_context *ctx,
			  const struct bgp_context *opens)
{
	struct bgp_context now = *opens;

	for (int v = 0; v < BMP_VIEWS; v++) {
		bgp_family_set learned = ctx->add_path_learned[v];

		now.add_path_learned[v] = learned;
		now.add_path[v] = (add_path_of_opens(opens, (enum bmp_view)v) &
				   ~learned) |
				  (ctx->add_path[v] & learned);
	}
	*ctx = now;
}

void bgp_context_reset(struct bgp_context *ctx)
{
	struct bgp_context unknown;

	bgp_context_init(&unknown);
	replace_opens(ctx, &unknown);
}

void bgp_context_learn(struct bgp_context *ctx, enum bmp_view view,
		       enum bgp_family family, bool add_path)
{
	bgp_family_set bit = bgp_family_bit(family);

	ctx->add_path_learned[view] |= bit;
	ctx->add_path[view] &= ~bit;
	if (add_path)
		ctx->add_path[view] |= bit;
}

static struct bgp_context context_of_opens(const struct bgp_open *sent,
					   const struct bgp_open *received)
{
	bgp_family_set in = received->add_path_send & sent->add_path_receive;
	bgp_family_set out = sent->add_path_send & received->add_path_receive;

	return (struct bgp_context){
		.known = true,
		.four_byte_as = sent->four_byte_as && received->four_byte_as,
		.ext_message = sent->ext_message && received->ext_message,
		.families = sent->families & received->families,
		.add_path_in = in,
		.add_path_out = out,
		/*
		 * Both OPENs of a Loc-RIB are made by the router, and they
		 * describe one RIB, so neither direction has precedence. If
		 * both OPENs offer to send path identifiers, the router sends
		 * them.
		 */
		.add_path_loc_rib =
			in | out |
			(sent->add_path_send & received->add_path_send),
		.multiple_labels =
			sent->multiple_labels & received->multiple_labels,
		.ext_next_hop = sent->ext_next_hop & received->ext_next_hop,
	};
}

void bgp_context_set(struct bgp_context *ctx, const struct bgp_open *sent,
		     const struct bgp_open *received)
{
	struct bgp_context opens = context_of_opens(sent, received);

	replace_opens(ctx, &opens);
}

void bgp_context_merge(struct bgp_context *ctx, const struct bgp_open *sent,
		       const struct bgp_open *received)
{
	struct bgp_context more = context_of_opens(sent, received);

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
	replace_opens(ctx, &more);
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
			bgp_context_reset(ctx);
	} else if (loc_rib) {
		bgp_context_merge(ctx, &sent, &received);
	} else {
		bgp_context_set(ctx, &sent, &received);
	}
	return worse;
}

void bgp_decode_opts_override(struct bgp_decode_opts *r,
			      const struct bgp_overrides *over,
			      enum bmp_view view)
{
	bgp_family_set on = over->add_path_on[view];
	bgp_family_set off = over->add_path_off[view];

	r->add_path = (r->add_path | on) & ~off;
	r->add_path_either &= ~(on | off);
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
		.add_path = ctx->add_path[peer->view],
		.add_path_either = ~(bgp_family_set)0,
		.multiple_labels = ctx->multiple_labels,
		.as_width = as_width,
		.loc_rib = peer->view == BMP_VIEW_LOC_RIB,
	};

	if (over != NULL)
		bgp_decode_opts_override(&r, over, (enum bmp_view)peer->view);
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
