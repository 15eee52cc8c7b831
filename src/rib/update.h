/*
 * rib/update.h - apply one UPDATE to the tables of its peer
 *
 * Withdrawals first, then announcements; each part in batches, so that the
 * memory of many routes is prefetched before the first is processed.
 */
#ifndef RIB_UPDATE_H
#define RIB_UPDATE_H

#include "rib/types.h"

struct bgp_decode_opts;
struct bgp_update;
struct bmp_peer;
struct rib_lookahead;

enum rib_update_result {
	RIB_UPDATE_DONE,
	RIB_UPDATE_BUDGET_SPENT, /* the budget was spent before the end */
	/* Done, and the decoder options of its peer have changed. */
	RIB_UPDATE_DONE_DECODE_AGAIN,
};

/*
 * @header is that of the message; @opts are the options @u was decoded with.
 * @lookahead has prefetched results, or is NULL. Continues at @progress, which
 * is zero again when everything is applied.
 */
enum rib_update_result rib_update(struct rib_peer *peer,
				  const struct rib_time *when,
				  const struct bmp_peer *header,
				  const struct bgp_decode_opts *opts,
				  const struct bgp_update *u,
				  struct rib_lookahead *lookahead,
				  struct rib_progress *progress);

/*
 * The message has no readable UPDATE: it may have concerned any table of the
 * view.
 */
void rib_update_unreadable(struct rib_peer *peer, const struct rib_time *when,
			   uint8_t view);

#endif
