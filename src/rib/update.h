/*
 * rib/update.h - apply one UPDATE to the tables of its peer
 *
 * Withdrawals are applied first, then announcements. Each part is applied in
 * batches, so that the memory of many routes is prefetched before the first of
 * them is processed.
 */
#ifndef RIB_UPDATE_H
#define RIB_UPDATE_H

#include "rib/types.h"

struct rib_input;
struct rib_lookahead;

enum rib_update_result {
	RIB_UPDATE_DONE,
	RIB_UPDATE_BUDGET_SPENT, /* the budget was spent before the end */
	/*
	 * The message was applied, and the decoder options of its peer have
	 * changed: decode later messages again.
	 */
	RIB_UPDATE_DONE_DECODE_AGAIN,
};

/*
 * Apply @in. @lookahead has the results of the lookahead for @in, or is NULL.
 * Continues at @progress, which is zero again when all of @in was applied.
 */
enum rib_update_result rib_update(const struct rib_input *in,
				  const struct rib_time *when,
				  struct rib_lookahead *lookahead,
				  struct rib_progress *progress);

/*
 * The message has no UPDATE that can be parsed. It may have concerned any table
 * of the view, so all of them become suspect.
 */
void rib_update_unreadable(struct rib_peer *peer, const struct rib_time *when,
			   uint8_t view);

#endif
