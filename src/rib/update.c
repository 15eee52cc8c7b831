#include "rib/update.h"

#include "rib/add_path.h"
#include "rib/emit.h"
#include "rib/notice.h"
#include "rib/table.h"
#include "rib/table_withdraw.h"
#include "rib/timer.h"
#include "rib/update_routes.h"
#include "rib/visibility.h"

#include <stdlib.h>

/* NLRI parts */

static bool is_dropped(const struct rib_peer *peer, uint8_t view, uint16_t afi,
		       uint8_t safi)
{
	return rib_disposition_of(peer, view, bgp_family_find(afi, safi)) ==
	       RIB_DISPOSITION_DROP;
}

/*
 * Not inlined, so that the usual path of get_table() saves no registers for it.
 */
__attribute__((noinline)) static struct rib_table *create_table(
	struct rib_peer *peer, const struct rib_time *when, uint8_t view,
	uint16_t afi, uint8_t safi)
{
	struct rib_router *router = peer->router;
	struct rib_table *t;

	if (rib_table_get(peer, view, afi, safi, &t) < 0) {
		RIB_COUNT(router, refused_peers, 1);
		return NULL;
	}
	t->since = rib_clock(router, when->now_ns);
	rib_table_event(t, RIB_TABLE_EV_DUMP_STARTED);
	rib_timer_soon(router, when->now_ns);
	/*
	 * The first routes of the table may have been in a message that was
	 * dropped or could not be parsed.
	 */
	if (peer->reported & RIB_REPORTED_DROPPED)
		rib_table_event(t, RIB_TABLE_EV_DROPPED);
	if (peer->suspect_views >> view & 1)
		rib_table_suspect(t, when);
	return t;
}

/* The table of a family, created on first use. NULL if it cannot be created. */
static struct rib_table *get_table(struct rib_peer *peer,
				   const struct rib_time *when,
				   const struct bmp_peer *header, uint16_t afi,
				   uint8_t safi)
{
	struct rib_table *t = rib_table_find(peer, header->view, afi, safi);

	if (t == NULL)
		t = create_table(peer, when, header->view, afi, safi);
	if (t == NULL)
		return NULL;
	if (t->first_ns == RIB_NEVER)
		t->first_ns = rib_clock(peer->router, when->now_ns);
	t->info.filtered = header->filtered;
	return t;
}

static void count_published(const struct rib_update_routes *s)
{
	struct rib_router *router = s->router;

	if (s->announce) {
		RIB_COUNT(router, published_announced, s->published);
	} else {
		RIB_COUNT(router, published_withdrawn, s->published);
		if (rib_update_routes_treat_as_withdraw(s))
			RIB_COUNT(router,
				  synthetic[RIB_REASON_TREAT_AS_WITHDRAW],
				  s->published);
	}
}

/*
 * Apply one part of the UPDATE. False if the budget was spent before its end.
 */
static bool apply_part(const struct rib_input *in, const struct rib_time *when,
		       struct rib_lookahead *lookahead,
		       enum bgp_nlri_part_id id, struct rib_progress *progress)
{
	const struct bgp_update *u = &in->update;
	const struct bgp_nlri_format *format = &u->nlri_parts[id].format;
	struct rib_update_routes s = {
		.rib = in->peer->router->rib,
		.router = in->peer->router,
		.peer = in->peer,
		.when = when,
		.in = in,
		.u = u,
		.lookahead = lookahead != NULL && lookahead->part == id
				     ? lookahead
				     : NULL,
		.id = id,
		.family = (enum bgp_family)format->family,
		.announce = bgp_update_announces(u, id),
		.paths = format->add_path,
		.set = RIB_VALUE_UNKNOWN,
	};
	bool done;

	s.table = get_table(in->peer, when, in->header, format->afi,
			    format->safi);
	if (s.table == NULL) {
		RIB_COUNT(s.router, suppressed[RIB_SUPPRESSED_LIMIT],
			  u->nlri_parts[id].count - progress->routes);
		return true;
	}
	if (rib_table_form_examined(s.table->form) && progress->offset == 0)
		rib_add_path_examine(s.table, when, in, id);
	s.kind = s.table->kind;
	s.prefixes = s.kind == BGP_NLRI_PREFIX;
	s.stamp = s.rib->stamp | (uint32_t)s.table->generation << 28;
	/* The set is determined later, while the first routes are looked up. */
	if (s.announce && s.rib->config.mode == RIB_MODE_ATTRIBUTES)
		s.set = RIB_VALUE_NONE;
	done = rib_update_routes_apply(&s, progress);
	count_published(&s);
	return done;
}

/* Apply parts that were held until the form of their NLRI is known. */

/* Apply one held part. False if the budget was spent before its end. */
static bool apply_held(struct rib_table *table, const struct rib_time *when,
		       const struct rib_held *h, bool add_path)
{
	bgp_family_set bit =
		bgp_family_bit((enum bgp_family)table->info.family);
	struct rib_input in = {
		.peer = table->peer,
		.header = &h->header,
		.opts = h->opts,
	};

	in.opts.add_path &= ~bit;
	if (add_path)
		in.opts.add_path |= bit;
	in.opts.add_path_either = 0;
	bgp_update_decode((struct wire_view){ h->body, h->len }, &in.opts,
			  &in.update);
	if (in.update.verdict != BGP_RESET &&
	    in.update.nlri_parts[h->id].count != 0)
		return apply_part(&in, when, /* lookahead= */ NULL, h->id,
				  &table->held_progress);
	rib_table_suspect(table, when);
	return true;
}

/*
 * Apply all held parts of a table. False if the budget was spent before the
 * end.
 */
static bool apply_table_held(struct rib_table *table,
			     const struct rib_time *when)
{
	const struct rib_peer *peer = table->peer;
	const struct rib *rib = peer->router->rib;
	bgp_family_set bit =
		bgp_family_bit((enum bgp_family)table->info.family);
	bool add_path = (peer->context.add_path[table->info.view] & bit) != 0;
	const struct rib_held *h;

	while ((h = STAILQ_FIRST(&table->held)) != NULL) {
		if (rib_is_spent(rib, rib->budget) ||
		    !apply_held(table, when, h, add_path))
			return false;
		rib_add_path_drop_oldest(table);
	}
	table->jobs &= (uint8_t)~RIB_JOB_HELD;
	return true;
}

/*
 * Apply held parts before the message that made the form certain. False if the
 * budget was spent before the end.
 */
static bool apply_due_held(struct rib_peer *peer, const struct rib_time *when)
{
	struct rib_table *t;

	TAILQ_FOREACH (t, &peer->tables, link)
		if ((t->jobs & RIB_JOB_HELD) != 0 && !apply_table_held(t, when))
			return false;
	peer->held_due = false;
	return true;
}

/* Messages */

/*
 * Make all tables of the view suspect, including future ones: the message may
 * have concerned any of them.
 */
static void suspect_view(struct rib_peer *peer, const struct rib_time *when,
			 uint8_t view)
{
	struct rib_table *t;

	peer->suspect_views |= (uint8_t)(1u << view);
	TAILQ_FOREACH (t, &peer->tables, link)
		if (t->info.view == view)
			rib_table_suspect(t, when);
}

void rib_update_unreadable(struct rib_peer *peer, const struct rib_time *when,
			   uint8_t view)
{
	struct rib_notice notice = { .kind = RIB_NOTICE_NO_UPDATE };

	suspect_view(peer, when, view);
	rib_notice(peer, view, BGP_FAMILY_UNKNOWN, &notice);
}

static void notice_unreadable(struct rib_peer *peer, uint8_t view,
			      enum bgp_family family,
			      const struct bgp_update *u)
{
	struct rib_notice notice = {
		.kind = RIB_NOTICE_UNREADABLE,
		.fault = (uint8_t)u->fault,
		.fault_code = u->fault_code,
	};

	rib_notice(peer, view, family, &notice);
}

/*
 * A part cannot be parsed: its table, which is created if necessary, becomes
 * suspect.
 */
static void suspect_part(struct rib_peer *peer, const struct rib_time *when,
			 const struct bmp_peer *header,
			 const struct bgp_nlri_format *format)
{
	struct rib_table *t;

	if (is_dropped(peer, header->view, format->afi, format->safi))
		return;
	t = get_table(peer, when, header, format->afi, format->safi);
	if (t != NULL)
		rib_table_suspect(t, when);
}

/* RFC 7606 requires a session reset: no part of the message can be used. */
static void reset_update(struct rib_peer *peer, const struct rib_time *when,
			 const struct bmp_peer *header,
			 const struct bgp_update *u)
{
	enum bgp_family family = BGP_FAMILY_UNKNOWN;

	suspect_view(peer, when, header->view);
	for (int id = 0; id < BGP_PARTS; id++) {
		const struct bgp_nlri_part *part = &u->nlri_parts[id];

		if (part->count == 0 && !part->lost)
			continue;
		suspect_part(peer, when, header, &part->format);
		if (part->lost && family == BGP_FAMILY_UNKNOWN)
			family = (enum bgp_family)part->format.family;
	}
	notice_unreadable(peer, header->view, family, u);
}

static void end_of_rib(struct rib_peer *peer, const struct rib_time *when,
		       const struct bmp_peer *header,
		       const struct bgp_update *u)
{
	struct rib_event e = { .kind = RIB_EVENT_END_OF_RIB,
			       .bmp_ns = header->time_ns };
	struct rib_table *t;

	if (is_dropped(peer, header->view, u->eor_afi, u->eor_safi))
		return;
	t = get_table(peer, when, header, u->eor_afi, u->eor_safi);
	if (t == NULL)
		return;
	RIB_COUNT(peer->router, ends_of_rib, 1);
	rib_emit_event_table(t, when, &e);
	rib_table_sweep(t, when);
}

static void count_update(struct rib_router *router, const struct bgp_update *u)
{
	RIB_COUNT(router, verdicts[u->verdict], 1);
	if (u->fault != BGP_FAULT_NONE)
		RIB_COUNT(router, faults[u->fault], 1);
	if (u->attrs.as_width_guessed)
		RIB_COUNT(router, as_width_guessed, 1);
	if (u->add_path_guessed != 0)
		RIB_COUNT(router, add_path_guessed, 1);
}

static void count_routes(struct rib_router *router,
			 const struct bgp_nlri_part *part,
			 enum bgp_nlri_part_id id)
{
	if (id < BGP_PART_NLRI)
		RIB_COUNT(router, withdrawn, part->count);
	else
		RIB_COUNT(router, announced, part->count);
}

enum rib_update_result rib_update(const struct rib_input *in,
				  const struct rib_time *when,
				  struct rib_lookahead *lookahead,
				  struct rib_progress *progress)
{
	const struct bmp_peer *header = in->header;
	const struct bgp_update *u = &in->update;
	struct rib_peer *peer = in->peer;
	unsigned left = u->parts_present & (~0U << progress->part);
	enum rib_update_result done = RIB_UPDATE_DONE;
	struct rib_router *router = peer->router;

	/*
	 * If the message was begun in an earlier call, its counters were
	 * updated then.
	 */
	if (progress->offset == 0 && !progress->counted) {
		count_update(router, u);
		if (u->add_path_guessed != 0 &&
		    rib_add_path_contradicted(in, when))
			done = RIB_UPDATE_DONE_DECODE_AGAIN;
	}
	if (peer->held_due && !apply_due_held(peer, when)) {
		progress->counted = true;
		return RIB_UPDATE_BUDGET_SPENT;
	}
	progress->counted = false;
	if (u->verdict == BGP_RESET) {
		reset_update(peer, when, header, u);
		return done;
	}
	while (left != 0) {
		enum bgp_nlri_part_id id = bgp_part_take(&left);
		const struct bgp_nlri_part *part = &u->nlri_parts[id];
		const struct bgp_nlri_format *format = &part->format;

		if (progress->offset == 0)
			count_routes(router, part, id);
		if (rib_disposition_of(peer, header->view,
				       (enum bgp_family)format->family) ==
		    RIB_DISPOSITION_DROP) {
			RIB_COUNT(router, suppressed[RIB_SUPPRESSED_FILTERED],
				  part->count - progress->routes);
		} else if (part->lost) {
			suspect_part(peer, when, header, format);
			notice_unreadable(peer, header->view,
					  (enum bgp_family)format->family, u);
		} else if (!apply_part(in, when, lookahead, id, progress)) {
			return RIB_UPDATE_BUDGET_SPENT;
		}
		*progress = (struct rib_progress){ 0 };
	}
	if (u->end_of_rib)
		end_of_rib(peer, when, header, u);
	return done;
}
