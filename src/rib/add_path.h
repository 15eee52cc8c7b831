/*
 * rib/add_path.h - detect whether the NLRI of a table have path identifiers
 *
 * The OPENs say whether NLRI have path identifiers, but some routers send the
 * other form. A message is evidence if it can be parsed in one form only:
 *
 *	confirms	in the form in which the table is read
 *	contradicts	in the other form; the message is read in that form
 *	neither		in both forms; the message is read in the table's form
 *
 * Without a confirmation in this generation, the first contradiction changes
 * the form of the table. After a confirmation, RIB_ADD_PATH_AGAINST
 * contradictions without a further confirmation do: one damaged message does
 * not change the form.
 *
 * Before the first evidence, parts that can be parsed in both forms are applied
 * and held: when the table changes its form, their routes are withdrawn and the
 * parts are applied in the new form. So the table is complete. Up to
 * RIB_ADD_PATH_HELD bytes are held per table and RIB_ADD_PATH_HELD_ALL in
 * total. If there are more, the form counts as confirmed. If a confirmed form
 * changes, routes of messages that can be parsed in both forms are missing
 * until the router sends its table again: the table is suspect.
 *
 * Routes of contradictions that are followed by a confirmation are withdrawn as
 * well.
 *
 * Cost: messages are parsed twice until the first evidence, but for no more
 * bytes than are held, and between a contradiction and its end.
 * docs/decisions/0118
 */
#ifndef RIB_ADD_PATH_H
#define RIB_ADD_PATH_H

#include "rib/types.h"

#include "bmp/update.h"

struct rib_held;
struct rib_input;

/* Contradictions that outweigh a confirmation. */
#define RIB_ADD_PATH_AGAINST 3

/* Limits for held messages, in bytes. */
#define RIB_ADD_PATH_HELD     (64u << 10)
#define RIB_ADD_PATH_HELD_ALL (16u << 20)

/*
 * @in was parsed in the other form: update.add_path_guessed has the families.
 * Returns true if a table changed its form. Then messages that were decoded
 * before must be decoded again, and held messages must be applied before @in. A
 * few kilobytes of held messages can become as much output as any message, so
 * they are applied within the budget, too.
 */
bool rib_add_path_contradicted(const struct rib_input *in,
			       const struct rib_time *when);

/* Remove the oldest held part, which has been applied. */
void rib_add_path_drop_oldest(struct rib_table *table);

/* Part @id of @in was parsed in the form of @table, which is not certain yet. */
void rib_add_path_examine(struct rib_table *table, const struct rib_time *when,
			  const struct rib_input *in, enum bgp_nlri_part_id id);

#endif
