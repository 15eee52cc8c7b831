#include "rib/add_path.h"

#include "rib/emit.h"
#include "rib/notice.h"
#include "rib/rib_internal.h"
#include "rib/table.h"
#include "rib/table_withdraw.h"

#include <stdlib.h>

/*
 * Withdraw the routes that were parsed in the form that the table does not
 * have.
 */
static uint64_t withdraw_other_form(struct rib_table *table,
				    const struct rib_time *when, bool add_path)
{
	const struct rib *rib = table->peer->router->rib;

	return rib_table_withdraw_form(table, when, !add_path,
				       RIB_REASON_TREAT_AS_WITHDRAW,
				       rib->budget == &rib->unlimited
					       ? RIB_WITHDRAW_NOW
					       : RIB_WITHDRAW_NOW_IF_SMALL);
}

/* Holding parts without evidence */

/* The number of bytes of the message that part @id needs. */
static size_t held_len(const struct bgp_update *u, enum bgp_nlri_part_id id)
{
	size_t field = u->nlri_parts[id].field.len;

	if (id == BGP_PART_WITHDRAWN)
		return 4 + field;
	return 4 + u->attrs.block.len + (id == BGP_PART_NLRI ? field : 0);
}

static void write_held(const struct bgp_update *u, enum bgp_nlri_part_id id,
		       uint8_t *p)
{
	struct wire_view field = u->nlri_parts[id].field;
	struct wire_view block = u->attrs.block;

	if (id == BGP_PART_WITHDRAWN)
		block.len = 0;
	wire_put_u16(p, id == BGP_PART_WITHDRAWN ? (uint16_t)field.len : 0);
	p += 2;
	if (id == BGP_PART_WITHDRAWN) {
		memcpy(p, field.p, field.len);
		p += field.len;
	}
	wire_put_u16(p, (uint16_t)block.len);
	p += 2;
	if (block.len != 0)
		memcpy(p, block.p, block.len);
	if (id == BGP_PART_NLRI)
		memcpy(p + block.len, field.p, field.len);
}

static void hold_part(struct rib_table *table, const struct rib_input *in,
		      enum bgp_nlri_part_id id)
{
	struct rib *rib = table->peer->router->rib;
	size_t len = held_len(&in->update, id);
	size_t size = sizeof(struct rib_held) + len;
	struct rib_held *h = NULL;

	if (table->held_bytes + size <= RIB_ADD_PATH_HELD &&
	    rib->held_bytes + size <= RIB_ADD_PATH_HELD_ALL)
		h = malloc(size);
	/*
	 * The held messages are useful only if they are complete. So if one of
	 * them cannot be held, all are dropped, and the form counts as
	 * confirmed.
	 */
	if (h == NULL) {
		rib_table_drop_held(table);
		rib_table_form_event(table, RIB_FORM_EV_CONFIRMED);
		return;
	}
	h->header = *in->header;
	h->opts = in->opts;
	h->id = id;
	h->len = (uint32_t)len;
	write_held(&in->update, id, h->body);
	STAILQ_INSERT_TAIL(&table->held, h, link);
	table->held_bytes += (uint32_t)size;
	rib->held_bytes += size;
}

void rib_add_path_drop_oldest(struct rib_table *table)
{
	struct rib_held *h = STAILQ_FIRST(&table->held);
	size_t size = sizeof(*h) + h->len;

	STAILQ_REMOVE_HEAD(&table->held, link);
	table->held_bytes -= (uint32_t)size;
	table->peer->router->rib->held_bytes -= size;
	table->held_progress = (struct rib_progress){ 0 };
	free(h);
}

/* Evidence for a form of the NLRI: see rib/add_path.h */

/*
 * From now on read the table in the form @add_path. If the other form was
 * confirmed, routes may be missing. Returns the number of routes that were
 * withdrawn because they were read in the other form.
 */
static uint64_t switch_form(struct rib_table *table,
			    const struct rib_time *when, bool add_path,
			    bool was_confirmed)
{
	uint64_t withdrawn = withdraw_other_form(table, when, add_path);

	table->form_against = 0;
	/*
	 * In RIB_MODE_OFF no routes are stored, so the routes published in the
	 * old form are not known and cannot be withdrawn.
	 */
	if (table->peer->router->rib->config.mode == RIB_MODE_OFF ||
	    (withdrawn != 0 && was_confirmed))
		rib_table_suspect(table, when);
	return withdrawn;
}

/* Count a contradiction. True if the form of the table has to change. */
static bool contradict_table(struct rib_table *table,
			     const struct rib_time *when)
{
	bool outweighed = ++table->form_against >= RIB_ADD_PATH_AGAINST;

	rib_table_form_event(table, outweighed ? RIB_FORM_EV_OUTWEIGHED
					       : RIB_FORM_EV_CONTRADICTED);
	if (table->form == RIB_FORM_CONFIRMED)
		return true;
	rib_table_suspect(table, when);
	return false;
}

static bool contradict_family(struct rib_peer *peer,
			      const struct rib_time *when, uint8_t view,
			      enum bgp_family family, bool add_path)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	struct rib_table *t = rib_table_find(peer, view, info->afi, info->safi);
	struct rib_notice notice = { .kind = RIB_NOTICE_ADD_PATH,
				     .add_path = add_path };
	bool was_confirmed = t != NULL && (t->form == RIB_FORM_CONFIRMED ||
					   t->form == RIB_FORM_DOUBTED);

	if (t != NULL && !contradict_table(t, when))
		return false;
	bgp_context_learn(&peer->context, (enum bmp_view)view, family,
			  add_path);
	if (t != NULL) {
		notice.withdrawn =
			switch_form(t, when, add_path, was_confirmed);
		t->jobs |= RIB_JOB_HELD;
		peer->held_due = true;
	}
	if (t != NULL && rib_table_quality_suspect(t->quality))
		notice.kind = RIB_NOTICE_ADD_PATH_INCOMPLETE;
	RIB_COUNT(peer->router, add_path_switched, 1);
	rib_notice(peer, view, family, &notice);
	return true;
}

bool rib_add_path_contradicted(const struct rib_input *in,
			       const struct rib_time *when)
{
	const struct bgp_update *u = &in->update;
	struct rib_peer *peer = in->peer;
	uint8_t view = in->header->view;
	bgp_family_set left = u->add_path_guessed;
	bool switched = false;

	for (int s = 0; s < BGP_PARTS; s++) {
		const struct bgp_nlri_format *format = &u->nlri_parts[s].format;
		bgp_family_set bit =
			bgp_family_bit((enum bgp_family)format->family);
		bool now = (peer->context.add_path[view] & bit) != 0;

		if ((left & bit) == 0)
			continue;
		left &= ~bit;
		/* Nothing to do if an earlier message has changed the form. */
		if (now != format->add_path)
			switched |= contradict_family(peer, when, view,
						      (enum bgp_family)
							      format->family,
						      format->add_path);
	}
	return switched;
}

/*
 * The form is certain now: drop the held messages, and withdraw the routes that
 * contradicting messages have added in the other form.
 */
static void confirm_form(struct rib_table *table, const struct rib_time *when,
			 bool add_path)
{
	rib_table_form_event(table, RIB_FORM_EV_CONFIRMED);
	rib_table_drop_held(table);
	if (table->form_against != 0)
		(void)withdraw_other_form(table, when, add_path);
	table->form_against = 0;
}

void rib_add_path_examine(struct rib_table *table, const struct rib_time *when,
			  const struct rib_input *in, enum bgp_nlri_part_id id)
{
	const struct bgp_nlri_part *part = &in->update.nlri_parts[id];
	bgp_family_set bit =
		bgp_family_bit((enum bgp_family)part->format.family);

	/*
	 * The options fix the form, for example because an operator has set it.
	 */
	if ((in->opts.add_path_either & bit) == 0)
		rib_table_form_event(table, RIB_FORM_EV_GIVEN);
	else if (bgp_update_guessed(&in->update, id))
		return; /* that is a contradiction, see above */
	else if (bgp_nlri_part_conclusive(part))
		confirm_form(table, when, part->format.add_path);
	else if (table->form == RIB_FORM_UNKNOWN)
		hold_part(table, in, id);
}
