/*
 * collector/policy/filter.h - which tables are stored and which are published
 *
 * A filter is a list of rules; the first that matches decides, and if none
 * does, the table is stored and published:
 *
 *	drop peer=198.51.100.0/24		neither stored nor published
 *	store view=post				kept for queries, not published
 *	publish as=64500-64510 family=ipv4-unicast,ipv6-unicast
 *	drop type=rd,local rd=64500:7
 *
 *	word	 matches			values
 *	peer	 the peer's address		a network or an address; a
 *						Loc-RIB has none
 *	as	 the peer's AS			a number or a range, low-high
 *	type	 the kind of peer		global, rd, local, loc-rib
 *	view	 the RIB			in-pre, in-post, out-pre, out-post,
 *						loc-rib; pre, post, in, out
 *	family	 the address family		names as in bmp/family.h; unknown
 *	rd	 the peer's distinguisher	64500:1, 192.0.2.1:1, 0x and hex
 *
 * All words of a rule must match; a missing word matches everything. A router's
 * own rules are tested before those of the collector: together they are a
 * chain.
 *
 * Rules do not depend on the routes, so they are evaluated once for each peer
 * and view, and the rib keeps the result: two sets of families. For a message
 * only one bit is tested. Pure functions; only filter_add() allocates.
 */
#ifndef COLLECTOR_POLICY_FILTER_H
#define COLLECTOR_POLICY_FILTER_H

#include "collector/policy/acl.h"
#include "bmp/family.h"
#include "bmp/peer.h"

enum filter_action {
	FILTER_PUBLISH, /* store and publish */
	FILTER_STORE,	/* store, do not publish */
	FILTER_DROP,
	FILTER_ACTIONS
};

struct filter_rule {
	uint8_t action; /* enum filter_action */
	uint8_t types;	/* 1 << enum bmp_peer_type */
	uint8_t views;	/* 1 << enum bmp_view */
	bool has_rd;
	uint32_t as_low;
	uint32_t as_high;
	/* 1 << enum bgp_family; bit 0 = unknown families */
	uint64_t families;
	uint64_t rd;
	bool has_peer;
	struct acl_network peer;
};

struct filter {
	struct filter_rule *rules;
	size_t count;
};

#define FILTER_INIT ((struct filter){ 0 })

/*
 * Maximum number of filters in a chain: those of a router by port, by address
 * and by name, and that of the collector.
 */
#define FILTER_CHAIN_MAX 4

struct filter_chain {
	const struct filter *at[FILTER_CHAIN_MAX];
	size_t count;
};

/* The properties of a peer and view that rules can test. */
struct filter_peer {
	uint8_t type;
	uint8_t view;
	uint32_t as;
	uint64_t distinguisher;
	const uint8_t *address; /* 16 bytes, IPv4-mapped */
};

/*
 * The result, as bit masks of 1 << enum bgp_family; bit 0 = unknown families.
 */
struct filter_mask {
	uint64_t stored;
	uint64_t published; /* always a subset of stored */
};

/* Creation */

/* 1 << enum bmp_view, for all views. */
#define FILTER_ALL_VIEWS ((1u << BMP_VIEWS) - 1)

/* The views that @name stands for in view=, as bits; 0 if it is unknown. */
unsigned int filter_find_views(const char *name, size_t len);

/* The name of a view in view=, for example "in-pre". */
const char *filter_view_name(enum bmp_view view);

#define FILTER_TEXT_MAX 160 /* maximum bytes of a formatted rule */
#define FILTER_WHY_MAX	160 /* maximum bytes of an error text */

/*
 * Append the rule in @text. -EINVAL with the reason in @why, also for unknown
 * families and types; -ENOMEM.
 */
int filter_add(struct filter *filter, const char *text,
	       char why[FILTER_WHY_MAX]);
void filter_release(struct filter *filter);

/* Copy a filter. -ENOMEM; *@out is then unchanged. */
int filter_copy(const struct filter *filter, struct filter *out);
bool filter_equal(const struct filter *a, const struct filter *b);

/*
 * Write the text of a rule, from which filter_add() makes the same rule.
 * Returns its length, as snprintf() would.
 */
size_t filter_rule_format(const struct filter_rule *rule, char *out,
			  size_t cap);

/* Evaluation */

/*
 * Evaluate the rules for a peer and view. Called once for each peer and view of
 * a session, and when rules change. Cost: a few comparisons per rule; no
 * allocation.
 */
struct filter_mask filter_ask(const struct filter_chain *chain,
			      const struct filter_peer *peer);

/*
 * Evaluate the rules for one family, for a caller that does not store the
 * result.
 */
enum filter_action filter_decide(const struct filter_chain *chain,
				 const struct filter_peer *peer,
				 enum bgp_family family);

static inline bool filter_stores(struct filter_mask m, enum bgp_family f)
{
	return (m.stored >> f & 1) != 0;
}

static inline bool filter_publishes(struct filter_mask m, enum bgp_family f)
{
	return (m.published >> f & 1) != 0;
}

/*
 * Parse 64500:1, 192.0.2.1:1, or 0x and 16 hex digits; -EINVAL if it is none of
 * these.
 */
int filter_rd_parse(const char *text, uint64_t *out);

/* The properties of a peer, from a Per-Peer Header. */
static inline struct filter_peer filter_peer_of(const struct bmp_peer *p)
{
	return (struct filter_peer){ p->type, p->view, p->as, p->distinguisher,
				     p->address };
}

#endif
