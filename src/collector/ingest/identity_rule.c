#include "collector/ingest/identity_rule.h"

#include <string.h>

const char *identity_fact_name(enum identity_fact fact)
{
	static const char *const names[IDENTITY_FACTS] = {
		[IDENTITY_FACT_ADDRESS] = "address",
		[IDENTITY_FACT_SYSNAME] = "sysname",
		[IDENTITY_FACT_BGP_ID] = "bgp_id",
		[IDENTITY_FACT_PEER] = "peer",
	};

	return fact < IDENTITY_FACTS ? names[fact] : "none";
}

static bool bgp_id_is_in(const struct identity_facts *facts, uint32_t bgp_id)
{
	for (uint32_t i = 0; i < facts->bgp_id_count; i++)
		if (facts->bgp_ids[i] == bgp_id)
			return true;
	return false;
}

void identity_facts_add_bgp_id(struct identity_facts *facts, uint32_t bgp_id)
{
	if (bgp_id != 0 && facts->bgp_id_count < IDENTITY_BGP_IDS &&
	    !bgp_id_is_in(facts, bgp_id))
		facts->bgp_ids[facts->bgp_id_count++] = bgp_id;
}

/* Comparing */

static enum identity_match match_of(bool equal)
{
	return equal ? IDENTITY_SAME : IDENTITY_DIFFERENT;
}

static enum identity_match bgp_ids_compare(const struct identity_facts *older,
					   const struct identity_facts *newer)
{
	if (older->bgp_id_count == 0 || newer->bgp_id_count == 0)
		return IDENTITY_NOTHING;
	for (uint32_t i = 0; i < newer->bgp_id_count; i++)
		if (bgp_id_is_in(older, newer->bgp_ids[i]))
			return IDENTITY_SAME;
	/*
	 * The router may have identifiers that did not fit into the full array.
	 */
	return older->bgp_id_count < IDENTITY_BGP_IDS ? IDENTITY_DIFFERENT
						      : IDENTITY_NOTHING;
}

static enum identity_match fact_compare(enum identity_fact fact,
					const struct identity_facts *older,
					const struct identity_facts *newer)
{
	switch (fact) {
	case IDENTITY_FACT_ADDRESS:
		return match_of(memcmp(older->address, newer->address, 16) ==
				0);
	case IDENTITY_FACT_SYSNAME:
		if (older->sys_name[0] == '\0' || newer->sys_name[0] == '\0')
			return IDENTITY_NOTHING;
		return match_of(strcmp(older->sys_name, newer->sys_name) == 0);
	case IDENTITY_FACT_BGP_ID:
		return bgp_ids_compare(older, newer);
	case IDENTITY_FACT_PEER:
		/*
		 * A peer that the rib does not have may be a new one of the
		 * router.
		 */
		return newer->known_peers > 0 ? IDENTITY_SAME
					      : IDENTITY_NOTHING;
	default:
		return IDENTITY_NOTHING;
	}
}

/*
 * True if the newcomer has sent the facts that the rule needs. Another host
 * with the same address or name may not know the peers of the router. So if the
 * older session named peers, the same name alone is not sufficient.
 */
static bool is_complete(const struct identity_facts *older,
			const struct identity_facts *newer,
			enum identity_fact key)
{
	if (key == IDENTITY_FACT_BGP_ID || older->bgp_id_count == 0)
		return newer->sys_name[0] != '\0' || newer->known_peers > 0;
	return newer->bgp_id_count > 0 || newer->known_peers > 0;
}

enum identity_match identity_compare(const struct identity_facts *older,
				     const struct identity_facts *newer,
				     enum identity_fact key, bool more,
				     enum identity_fact *which)
{
	enum identity_match match = IDENTITY_NOTHING;

	*which = IDENTITY_FACTS;
	for (int fact = 0; fact < IDENTITY_FACTS; fact++) {
		enum identity_match one;

		if (fact == (int)key)
			continue;
		one = fact_compare((enum identity_fact)fact, older, newer);
		if (one == IDENTITY_NOTHING)
			continue;
		*which = (enum identity_fact)fact;
		if (one == IDENTITY_DIFFERENT)
			return one;
		match = IDENTITY_SAME;
	}
	if (!is_complete(older, newer, key))
		return more ? IDENTITY_UNSAID : IDENTITY_NOTHING;
	return match;
}

/* The rule */

enum identity_verdict identity_decide(enum identity_state state,
				      enum identity_match match, bool contested)
{
	/* clang-format off */
	static const uint8_t table[IDENTITY_STATES][IDENTITY_MATCHES] = {
		/*		    UNSAID		NOTHING		    SAME		DIFFERENT */
		[IDENTITY_CLOSED] = { IDENTITY_WAIT,	  IDENTITY_WAIT,      IDENTITY_WAIT,	  IDENTITY_WAIT },
		[IDENTITY_ASKED]  = { IDENTITY_ASK,	  IDENTITY_ASK,	      IDENTITY_ASK,	  IDENTITY_ASK },
		[IDENTITY_DEAD]	  = { IDENTITY_TAKE_OVER, IDENTITY_TAKE_OVER, IDENTITY_TAKE_OVER, IDENTITY_TAKE_OVER },
		[IDENTITY_ALIVE]  = { IDENTITY_ASK,	  IDENTITY_REFUSE,    IDENTITY_TAKE_OVER, IDENTITY_REFUSE },
	};
	/* clang-format on */

	if (state == IDENTITY_ALIVE && match == IDENTITY_SAME && contested)
		return IDENTITY_REFUSE;
	return (enum identity_verdict)table[state][match];
}
