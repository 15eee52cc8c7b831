/*
 * rib/add_path.h - detect whether the NLRI of a table have path identifiers
 *
 * The OPENs say whether NLRI have path identifiers, but some routers send the
 * other form. A message is evidence if it can be parsed in one form only:
 *
 *	confirms	can be parsed only in the form of the table
 *	contradicts	can be parsed only in the other form, which is used
 *	neither		can be parsed in both forms; the table's is used
 *
 * Without a confirmation in this generation, the first contradiction changes
 * the form of the table. After a confirmation the form changes only after
 * RIB_ADD_PATH_AGAINST contradictions without a further confirmation, so one
 * damaged message does not change it.
 *
 * Before the first evidence, parts that can be parsed in both forms are applied
 * and held: when the table changes its form, their routes are withdrawn and the
 * parts are applied in the new form. So the table is complete. Up to
 * RIB_ADD_PATH_HELD bytes are held per table and RIB_ADD_PATH_HELD_ALL in
 * total. If more would have to be held, the form counts as confirmed. If a
 * confirmed form changes, routes of messages that can be parsed in both forms
 * are missing until the router sends its table again: the table is suspect.
 *
 * If a confirmation follows contradictions, the routes of the contradicting
 * messages are withdrawn.
 *
 * Cost: messages are parsed twice in two cases: until the first evidence, but
 * not for more bytes than can be held; and from a contradiction until the form
 * is confirmed. docs/decisions/0118
 */
#ifndef RIB_ADD_PATH_H
#define RIB_ADD_PATH_H

#include "rib/types.h"

#include "bmp/update.h"

struct rib_held;
struct rib_input;

/* Number of contradictions that outweigh a confirmation. */
#define RIB_ADD_PATH_AGAINST 3

/* Limits for held messages, in bytes: of a table and of the rib. */
#define RIB_ADD_PATH_HELD     (64u << 10)
#define RIB_ADD_PATH_HELD_ALL (16u << 20)

/*
 * Handle @in, of which some parts could be parsed only in the other form;
 * update.add_path_guessed has their families. Returns true if a table changed
 * its form. Then messages that were decoded before must be decoded again, and
 * held messages must be applied before @in. Even a few kilobytes of held
 * messages can cause much output, so applying them counts against the budget of
 * rib_apply(), like other messages.
 */
bool rib_add_path_contradicted(const struct rib_input *in,
			       const struct rib_time *when);

/* Remove the oldest held part of @table, after it was applied. */
void rib_add_path_drop_oldest(struct rib_table *table);

/*
 * Examine whether part @id of @in shows that the NLRI of @table have path
 * identifiers or not. The part was parsed in the present form of @table, which
 * is not certain yet.
 */
void rib_add_path_examine(struct rib_table *table, const struct rib_time *when,
			  const struct rib_input *in, enum bgp_nlri_part_id id);

#endif
