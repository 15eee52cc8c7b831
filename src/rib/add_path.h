/*
 * rib/add_path.h - which form the NLRI of a table have, by evidence
 *
 * The OPENs say whether NLRI have path identifiers, and some routers send the
 * other form. A message is evidence if it can be read in one form only:
 *
 *	confirms	in the form in which the table is read
 *	contradicts	in the other form; it is then read in that one
 *	neither		in both forms: it is read as the table is
 *
 * Without a confirmation in this generation the first contradiction makes the
 * table change its form. After one, RIB_ADD_PATH_AGAINST contradictions do, with
 * no confirmation among them: one damaged message does not cost a table.
 *
 * Before the first evidence, parts that can be read in both forms are applied
 * and held: when the table changes its form, what they gave is withdrawn and
 * they are applied in the new form. So the table is whole, whatever came first.
 * Of a table up to RIB_ADD_PATH_HELD bytes are held, of all tables
 * RIB_ADD_PATH_HELD_ALL. If there are more, the form counts as confirmed. If a
 * form changes that was confirmed, routes of messages that can be read in both
 * forms are missing until the router sends its table again: it is suspect.
 *
 * Routes of contradictions that are followed by a confirmation are withdrawn,
 * too.
 *
 * Cost: messages are looked at twice until the first evidence, but for no more
 * bytes than are held, and between a contradiction and its end.
 * docs/decisions/0118
 */
#ifndef RIB_ADD_PATH_H
#define RIB_ADD_PATH_H

#include "rib/types.h"

#include "bmp/update.h"

struct bgp_decode_opts;
struct bmp_peer;
struct rib_held;

/* Contradictions that outweigh a confirmation. */
#define RIB_ADD_PATH_AGAINST 3

/* Bytes of messages that are held. */
#define RIB_ADD_PATH_HELD     (64u << 10)
#define RIB_ADD_PATH_HELD_ALL (16u << 20)

/*
 * A message of @peer and @view was read the other way: u->add_path_guessed says
 * in which families. Returns whether a table changed its form. Then messages
 * that were decoded before must be decoded again, and those that are held must
 * be applied before @u: they are due. A few kilobytes of them can become as
 * much output as any message, so they are applied within the budget, too.
 */
bool rib_add_path_contradicted(struct rib_peer *peer,
			       const struct rib_time *when, uint8_t view,
			       const struct bgp_update *u);

/* The oldest part that is held has been applied. */
void rib_add_path_drop_oldest(struct rib_table *table);

/* Part @id of @u was read in the form of @table, which is not settled. */
void rib_add_path_examine(struct rib_table *table, const struct rib_time *when,
			  const struct bmp_peer *header,
			  const struct bgp_decode_opts *opts,
			  const struct bgp_update *u, enum bgp_nlri_part_id id);

#endif
