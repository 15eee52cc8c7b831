/*
 * rib/update.h - apply one UPDATE to the tables of its peer
 *
 * Withdrawals first, then announcements; each part in batches, so that the
 * memory of many routes is asked for before the first is looked at.
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
	RIB_UPDATE_BUDGET_SPENT, /* before its end */
	/* Done, and it changed how messages of its peer are decoded. */
	RIB_UPDATE_DONE_DECODE_AGAIN,
};

/*
 * @header is that of the message; @opts is how @u was decoded. @lookahead is
 * what else is known of it already, or NULL. From @progress on, which is zero
 * again when all of it is applied.
 */
enum rib_update_result rib_update(struct rib_peer *peer,
				  const struct rib_time *when,
				  const struct bmp_peer *header,
				  const struct bgp_decode_opts *opts,
				  const struct bgp_update *u,
				  struct rib_lookahead *lookahead,
				  struct rib_progress *progress);

/* There is none in a message: any table of the view may have been meant. */
void rib_update_unreadable(struct rib_peer *peer, const struct rib_time *when,
			   uint8_t view);

#endif
