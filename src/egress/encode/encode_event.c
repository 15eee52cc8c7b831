#include "egress/encode/encode_update.h"

#include "egress/capnp/builder.h"
#include "schema/layout.h"

#include "bmp/peer.h"

_Static_assert(
	(int)EVENT_KIND_PEER_UP == (int)RIB_EVENT_PEER_UP &&
		(int)EVENT_KIND_PEER_DOWN == (int)RIB_EVENT_PEER_DOWN &&
		(int)EVENT_KIND_END_OF_RIB == (int)RIB_EVENT_END_OF_RIB &&
		(int)EVENT_KIND_SWEPT == (int)RIB_EVENT_SWEPT &&
		(int)EVENT_KIND_STALE == (int)RIB_EVENT_STALE &&
		(int)EVENT_KIND_SUSPECT == (int)RIB_EVENT_SUSPECT &&
		(int)EVENT_KIND_UNKNOWN == (int)RIB_EVENT_UNKNOWN &&
		(int)EVENT_KIND_LIMIT == (int)RIB_EVENT_LIMIT &&
		(int)EVENT_KIND_RESYNC == (int)RIB_EVENT_RESYNC &&
		(int)EVENT_KIND_STATISTICS == (int)RIB_EVENT_STATISTICS &&
		(int)EVENT_KIND_SESSION_OPEN == (int)RIB_EVENT_SESSION_OPEN &&
		(int)EVENT_KIND_SESSION_CLOSE == (int)RIB_EVENT_SESSION_CLOSE &&
		(int)EVENT_KIND_EPOCH == (int)RIB_EVENT_EPOCH &&
		(int)EVENT_KIND_CLASH == (int)RIB_EVENT_CLASH &&
		(int)EVENT_KIND_MESSAGES_LOST == (int)RIB_EVENT_MESSAGES_LOST &&
		(int)EVENT_KIND_MIRROR == (int)RIB_EVENT_MIRROR &&
		(int)EVENT_KIND_MIRROR == RIB_EVENTS - 1,
	"the schema has the rib's numbers");

#define BIT(ptr) (UINT32_C(1) << ptr##_PTR)

static const uint8_t no_address[16];

static struct wire_view view_of(const char *text)
{
	return (struct wire_view){ (const uint8_t *)text,
				   text == NULL ? 0 : strlen(text) };
}

static struct wire_view collector_of(const struct egress_origin *origin)
{
	return view_of(origin == NULL ? NULL : origin->collector);
}

static struct wire_view name_of(const struct rib_event *e)
{
	return view_of(e->router == NULL ? NULL : e->router->name);
}

static struct wire_view table_name_of(const struct rib_event *e)
{
	struct wire_view none = { 0 };

	return e->table == NULL ? none : e->table->table_name;
}

static bool has_local_address(const struct rib_event *e)
{
	return e->kind == RIB_EVENT_PEER_UP &&
	       memcmp(e->local_address, no_address, 16) != 0;
}

static void peer_words(const struct rib_event *e, uint64_t *w)
{
	const struct rib_table_info *t = e->table;

	EGRESS_PUT(w, EVENT_HAS_PEER, 1);
	EGRESS_PUT(w, EVENT_PEER_TYPE, t->peer_type);
	EGRESS_PUT(w, EVENT_PEER_ASN, t->peer_as);
	EGRESS_PUT(w, EVENT_PEER_BGP_ID, t->peer_bgp_id);
	EGRESS_PUT(w, EVENT_PEER_DISTINGUISHER, t->distinguisher);
	if (!e->has_table)
		return;
	EGRESS_PUT(w, EVENT_HAS_TABLE, 1);
	EGRESS_PUT(w, EVENT_IS_POST_POLICY,
		   t->view == BMP_VIEW_IN_POST || t->view == BMP_VIEW_OUT_POST);
	EGRESS_PUT(w, EVENT_IS_ADJ_RIB_OUT,
		   t->view == BMP_VIEW_OUT_PRE || t->view == BMP_VIEW_OUT_POST);
	EGRESS_PUT(w, EVENT_IS_LOC_RIB, t->view == BMP_VIEW_LOC_RIB);
	EGRESS_PUT(w, EVENT_IS_FILTERED, t->filtered);
	EGRESS_PUT(w, EVENT_AFI, t->afi);
	EGRESS_PUT(w, EVENT_SAFI, t->safi);
}

static void event_words(const struct rib_event *e,
			const struct egress_origin *origin, uint64_t *w)
{
	EGRESS_PUT(w, EVENT_KIND, e->kind);
	EGRESS_PUT(w, EVENT_TIME_RECEIVED_NS, e->received_ns);
	EGRESS_PUT(w, EVENT_TIME_BMP_HEADER_NS, e->bmp_ns);
	EGRESS_PUT(w, EVENT_REASON, e->reason);
	EGRESS_PUT(w, EVENT_FSM_EVENT, e->fsm_event);
	EGRESS_PUT(w, EVENT_LOCAL_PORT, e->local_port);
	EGRESS_PUT(w, EVENT_REMOTE_PORT, e->remote_port);
	EGRESS_PUT(w, EVENT_ROUTES, e->routes);
	EGRESS_PUT(w, EVENT_MESSAGES, e->messages);
	if (e->router != NULL)
		EGRESS_PUT(w, EVENT_ROUTER_PORT, e->router->port);
	if (e->table != NULL)
		peer_words(e, w);
	if (origin != NULL)
		EGRESS_PUT(w, EVENT_EPOCH, origin->epoch);
}

static uint32_t event_pointers(const struct rib_event *e,
			       const struct egress_origin *origin)
{
	uint32_t present = 0;

	if (e->router != NULL)
		present |= BIT(EVENT_ROUTER_ADDR);
	if (e->table != NULL)
		present |= BIT(EVENT_PEER_ADDR);
	if (view_of(e->text).len != 0)
		present |= BIT(EVENT_TEXT);
	if (name_of(e).len != 0)
		present |= BIT(EVENT_ROUTER_ID);
	if (table_name_of(e).len != 0)
		present |= BIT(EVENT_TABLE_NAME);
	if (has_local_address(e))
		present |= BIT(EVENT_LOCAL_ADDR);
	if (e->sent_open.len != 0)
		present |= BIT(EVENT_SENT_OPEN);
	if (e->received_open.len != 0)
		present |= BIT(EVENT_RECEIVED_OPEN);
	if (e->notification.len != 0)
		present |= BIT(EVENT_NOTIFICATION);
	if (e->count != 0)
		present |= BIT(EVENT_COUNTS);
	if (collector_of(origin).len != 0)
		present |= BIT(EVENT_COLLECTOR);
	if (e->mirrored.len != 0)
		present |= BIT(EVENT_MIRRORED);
	return present;
}

/*
 * The maximum length of an event: fixed words, a tag, three addresses, and the
 * padded length of the texts and lists.
 */
static size_t event_bound(const struct rib_event *e,
			  const struct egress_origin *origin)
{
	size_t words = EGRESS_HEAD_WORDS + EVENT_DATA_WORDS + EVENT_PTRS + 7;

	words += egress_words(view_of(e->text).len + 1);
	words += egress_words(name_of(e).len + 1);
	words += egress_words(table_name_of(e).len + 1);
	words += egress_words(collector_of(origin).len + 1);
	words += egress_words(e->sent_open.len);
	words += egress_words(e->received_open.len);
	words += egress_words(e->notification.len);
	words += egress_words(e->mirrored.len);
	words += EVENT_COUNT_DATA_WORDS * e->count;
	return 8 * words;
}

static void count_words(const struct rib_event_count *count, uint64_t w[2])
{
	w[0] = w[1] = 0;
	EGRESS_PUT(w, EVENT_COUNT_TYPE, count->type);
	EGRESS_PUT(w, EVENT_COUNT_AFI, count->afi);
	EGRESS_PUT(w, EVENT_COUNT_SAFI, count->safi);
	EGRESS_PUT(w, EVENT_COUNT_VALUE, count->value);
}

static void build_counts(const struct rib_event *e, struct capnp_builder *b)
{
	uint64_t w[EVENT_COUNT_DATA_WORDS];
	uint64_t any[EVENT_COUNT_DATA_WORDS] = { 0 };
	size_t words;

	if (e->count == 0)
		return;
	for (size_t i = 0; i < e->count; i++) {
		count_words(&e->counts[i], w);
		any[0] |= w[0];
		any[1] |= w[1];
	}
	words = capnp_build_used(any, EVENT_COUNT_DATA_WORDS);
	capnp_build_list(b, EVENT_COUNTS_PTR, EGRESS_LIST_STRUCTS,
			 words * e->count);
	*b->next++ = egress_tag((uint32_t)e->count, words, 0);
	for (size_t i = 0; i < e->count; i++) {
		count_words(&e->counts[i], w);
		memcpy(b->next, w, 8 * words);
		b->next += words;
	}
}

static void build_pointers(const struct rib_event *e,
			   const struct egress_origin *origin,
			   struct capnp_builder *b)
{
	if (e->router != NULL)
		capnp_build_address(b, EVENT_ROUTER_ADDR_PTR,
				    e->router->address);
	if (e->table != NULL)
		capnp_build_address(b, EVENT_PEER_ADDR_PTR,
				    e->table->peer_address);
	capnp_build_text(b, EVENT_TEXT_PTR, view_of(e->text));
	capnp_build_text(b, EVENT_ROUTER_ID_PTR, name_of(e));
	capnp_build_text(b, EVENT_TABLE_NAME_PTR, table_name_of(e));
	if (has_local_address(e))
		capnp_build_address(b, EVENT_LOCAL_ADDR_PTR, e->local_address);
	capnp_build_data(b, EVENT_SENT_OPEN_PTR, e->sent_open);
	capnp_build_data(b, EVENT_RECEIVED_OPEN_PTR, e->received_open);
	capnp_build_data(b, EVENT_NOTIFICATION_PTR, e->notification);
	build_counts(e, b);
	capnp_build_text(b, EVENT_COLLECTOR_PTR, collector_of(origin));
	capnp_build_data(b, EVENT_MIRRORED_PTR, e->mirrored);
}

size_t egress_encode_event(const struct rib_event *e,
			   const struct egress_origin *origin, uint8_t *out,
			   size_t cap)
{
	uint64_t words[EVENT_DATA_WORDS] = { 0 };
	uint64_t *message = (uint64_t *)(void *)out;
	size_t bound = event_bound(e, origin);
	size_t ptrs = capnp_build_ptrs(event_pointers(e, origin));
	struct capnp_builder b;
	size_t used;

	if (bound > cap)
		return bound;
	event_words(e, origin, words);
	used = capnp_build_used(words, EVENT_DATA_WORDS);
	capnp_build_head(message, used, ptrs);
	memcpy(message + EGRESS_HEAD_WORDS, words, 8 * used);
	b.ptrs = message + EGRESS_HEAD_WORDS + used;
	b.next = b.ptrs + ptrs;
	memset(b.ptrs, 0, 8 * ptrs);
	build_pointers(e, origin, &b);
	return capnp_build_end(message, &b);
}
