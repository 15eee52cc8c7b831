/*
 * bmp/decode_context.h - the state needed to decode the UPDATEs of a peer
 *
 *	OPEN sent + OPEN received	->	struct bgp_context	per peer
 *	context + per-peer header	->	struct bgp_decode_opts	per message
 *
 * Add-path is critical: decoded with the wrong setting, an UPDATE becomes
 * plausible garbage. It applies per family and per direction, and only if one
 * side offered to send and the other to receive (RFC 7911 4), so both OPENs are
 * needed. Without a usable OPEN, NLRI are decoded in the plain form.
 *
 * Some routers send NLRI in another form than their OPENs say: FRR and GoBGP
 * negotiate add-path and omit the path identifiers. So a field that cannot be
 * decoded as negotiated, but can be decoded completely in the other form, is
 * decoded in that form (bmp/update.h), and bgp_context_learn() stores the form
 * of the view and the family. docs/decisions/0118
 */
#ifndef BMP_DECODE_CONTEXT_H
#define BMP_DECODE_CONTEXT_H

#include "bmp/open.h"
#include "bmp/peer.h"

struct bmp_peer_up;

/*
 * How to decode one UPDATE. If all members except as_width are zero, NLRI have
 * one label where labels are used, and no path identifiers.
 */
struct bgp_decode_opts {
	bgp_family_set add_path;	/* path identifiers before NLRI */
	bgp_family_set multiple_labels; /* labels up to the bottom of stack */
	/*
	 * Families that may be decoded in the other form if add_path does not
	 * fit.
	 */
	bgp_family_set add_path_either;
	uint8_t as_width; /* 2 or 4 */
	/* Do not try the other width if a path is invalid with as_width. */
	bool as_width_certain;
	/*
	 * The router made the UPDATE from its Loc-RIB: AS_PATH may be missing.
	 */
	bool loc_rib;
	/* MP_REACH of an MRT RIB entry is only a next hop, RFC 6396 4.3.4. */
	bool mrt_rib;
	/* The attributes are in the form of bmp/canonical.h. */
	bool canonical;
};

/* Settings of an operator, per router. */
struct bgp_overrides {
	bgp_family_set add_path_on[BMP_VIEWS];
	bgp_family_set add_path_off[BMP_VIEWS];
	uint8_t as_width; /* 0 = as the router says */
};

static inline bool bgp_overrides_any(const struct bgp_overrides *over)
{
	bgp_family_set any = 0;

	for (int v = 0; v < BMP_VIEWS; v++)
		any |= over->add_path_on[v] | over->add_path_off[v];
	return any != 0 || over->as_width != 0;
}

/*
 * Apply the settings of @over for @view to *@opts. For UPDATEs that are not in
 * BMP messages @view is BMP_VIEW_IN_PRE, because they were received from a
 * peer.
 */
void bgp_decode_opts_override(struct bgp_decode_opts *opts,
			      const struct bgp_overrides *over,
			      enum bmp_view view);

struct bgp_context {
	bool known; /* both OPENs could be used */
	bool four_byte_as;
	bool ext_message;
	bgp_family_set families; /* in both OPENs */
	bgp_family_set add_path_in;
	bgp_family_set add_path_out;
	bgp_family_set add_path_loc_rib;
	bgp_family_set multiple_labels;
	bgp_family_set ext_next_hop;
	/*
	 * Families with path identifiers, as the OPENs say or as was learned.
	 */
	bgp_family_set add_path[BMP_VIEWS];
	/* families whose form was learned */
	bgp_family_set add_path_learned[BMP_VIEWS];
};

/*
 * Initialise *@ctx as unknown: no Peer Up was received, or its OPENs could not
 * be used.
 */
void bgp_context_init(struct bgp_context *ctx);

/*
 * The peer is down: drop the data of its OPENs. The learned forms stay, because
 * they depend on the software of the router, which is still the same.
 */
void bgp_context_reset(struct bgp_context *ctx);

/*
 * Record that messages have shown whether NLRI of @family in messages of @view
 * have path identifiers (@add_path). This has precedence over the OPENs and
 * stays until messages show the opposite.
 */
void bgp_context_learn(struct bgp_context *ctx, enum bmp_view view,
		       enum bgp_family family, bool add_path);

/* Set *@ctx from the OPENs of a Peer Up; the learned forms stay. */
void bgp_context_set(struct bgp_context *ctx, const struct bgp_open *sent,
		     const struct bgp_open *received);

/*
 * Add the OPENs of another Peer Up to *@ctx: several peers emulated for one
 * Loc-RIB share a header, and each brings families (RFC 9069 6.1.1).
 */
void bgp_context_merge(struct bgp_context *ctx, const struct bgp_open *sent,
		       const struct bgp_open *received);

/*
 * Update *@ctx for the Peer Up @up: set it from both OPENs, or, if the peer is
 * a Loc-RIB, merge them into it. If an OPEN is unusable, the context becomes
 * unknown, but the context of a Loc-RIB is not changed. The learned forms stay
 * in each case. Returns the worse status of the two OPENs.
 */
enum bgp_open_status bgp_context_peer_up(struct bgp_context *ctx,
					 const struct bmp_peer *peer,
					 const struct bmp_peer_up *up);

/*
 * The options to decode a Route Monitoring with the header @peer. @over may be
 * NULL.
 */
struct bgp_decode_opts bgp_context_decode_opts(
	const struct bgp_context *ctx, const struct bmp_peer *peer,
	const struct bgp_overrides *over);

/*
 * As bgp_context_decode_opts(), for a mirrored message. Its A flag has no
 * meaning, so the AS width is that of the OPENs (RFC 7854 4.7); the O flag
 * gives the direction.
 */
struct bgp_decode_opts bgp_context_decode_opts_mirrored(
	const struct bgp_context *ctx, const struct bmp_peer *peer,
	const struct bgp_overrides *over);

#endif
