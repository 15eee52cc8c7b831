/*
 * bmp/attr.h - path attributes, judged one by one (RFC 4271 4.3, RFC 7606)
 *
 * One pass over the block fills a struct of numbers and views. Each attribute
 * has a row in a table (bmp/attr_row.h): its flags, its length, and the verdict
 * on the UPDATE if the attribute is wrong. The verdict of the UPDATE is the
 * strongest of all rows. A member is valid only if bgp_attrs_has() is true;
 * views are then well-formed (communities are whole communities, the AS path is
 * whole segments). Attributes without a member (AIGP, Prefix-SID, unknown ones)
 * are found by bgp_attrs_find() or walked with bgp_attr_next().
 */
#ifndef BMP_ATTR_H
#define BMP_ATTR_H

#include "bmp/as_path.h"

struct bgp_decode_opts;

enum bgp_attr_code {
	BGP_ORIGIN = 1,
	BGP_AS_PATH = 2,
	BGP_NEXT_HOP = 3,
	BGP_MED = 4,
	BGP_LOCAL_PREF = 5,
	BGP_ATOMIC_AGGREGATE = 6,
	BGP_AGGREGATOR = 7,
	BGP_COMMUNITIES = 8,
	BGP_ORIGINATOR_ID = 9,
	BGP_CLUSTER_LIST = 10,
	BGP_MP_REACH = 14,
	BGP_MP_UNREACH = 15,
	BGP_EXT_COMMUNITIES = 16,
	BGP_AS4_PATH = 17,
	BGP_AS4_AGGREGATOR = 18,
	BGP_PMSI_TUNNEL = 22,
	BGP_TUNNEL_ENCAP = 23,
	BGP_TRAFFIC_ENGINEERING = 24,
	BGP_IPV6_EXT_COMMUNITIES = 25,
	BGP_AIGP = 26,
	BGP_PE_LABELS = 27,
	BGP_LS_ATTRIBUTE = 29,
	BGP_LARGE_COMMUNITIES = 32,
	BGP_BGPSEC_PATH = 33,
	BGP_COMMUNITY_CONTAINER = 34,
	BGP_OTC = 35,
	BGP_DOMAIN_PATH = 36,
	BGP_SFP = 37,
	BGP_BFD_DISCRIMINATOR = 38,
	BGP_NEXT_HOP_CHARACTERISTICS = 39,
	BGP_PREFIX_SID = 40,
	BGP_BIER = 41,
	BGP_EDGE_METADATA = 42,
	BGP_ATTR_SET = 128,
};

enum bgp_attr_flag {
	BGP_ATTR_OPTIONAL = 0x80,
	BGP_ATTR_TRANSITIVE = 0x40,
	BGP_ATTR_PARTIAL = 0x20,
	BGP_ATTR_EXT_LEN = 0x10,
};

/* What to do with an UPDATE; a larger value is stronger (RFC 7606 3h). */
enum bgp_verdict {
	BGP_ACCEPT,
	BGP_DISCARD_ATTR,   /* ignore the attribute */
	BGP_WITHDRAW,	    /* treat all announcements as withdraws */
	BGP_DISABLE_FAMILY, /* ignore the part with this family */
	BGP_RESET,	    /* ignore the whole message */
	BGP_VERDICTS
};

/* The first cause of the strongest verdict. */
enum bgp_fault {
	BGP_FAULT_NONE,
	BGP_FAULT_FLAGS,  /* wrong optional or transitive flag */
	BGP_FAULT_LENGTH, /* wrong length of the value */
	BGP_FAULT_VALUE,
	BGP_FAULT_TWICE,    /* repeated; the first one is used */
	BGP_FAULT_OVERRUN,  /* an attribute ends beyond the block */
	BGP_FAULT_MISSING,  /* a mandatory attribute is missing */
	BGP_FAULT_NEXT_HOP, /* invalid length of a next hop */
	BGP_FAULT_NLRI,	    /* NLRI cannot be parsed */
	BGP_FAULT_SECTIONS, /* the fields of the UPDATE do not fit */
	BGP_FAULTS
};

/* MP_REACH_NLRI or MP_UNREACH_NLRI, RFC 4760. */
struct bgp_mp {
	uint16_t afi;
	uint8_t safi;
	uint8_t family;		   /* enum bgp_family */
	struct wire_view next_hop; /* of MP_REACH_NLRI; as sent */
	struct wire_view nlri;
};

struct bgp_attrs {
	uint64_t seen[4]; /* bit mask by code: present and not refused */
	enum bgp_verdict verdict;
	enum bgp_fault fault;
	uint8_t fault_code; /* code of the attribute at fault; 0 = none */
	bool withdraw;	    /* a fault had the verdict BGP_WITHDRAW */
	bool has_unknown;   /* an attribute has no decoder */
	/* AS_PATH could be parsed only with the unexpected ASN width. */
	bool as_width_guessed;
	/*
	 * Flags, lengths and order of the attributes are canonical; see
	 * bmp/canonical.h.
	 */
	bool headers_canonical;
	/*
	 * All attributes except MP_REACH are canonical; set for plain UPDATEs
	 * only.
	 */
	bool others_canonical;
	uint8_t origin;
	uint8_t next_hop_len;
	uint32_t med;
	uint32_t local_pref;
	uint32_t aggregator_as;
	uint32_t aggregator_id;
	uint32_t originator_id;
	uint32_t otc;
	const uint8_t *next_hop; /* value of NEXT_HOP; MP_REACH has its own */
	struct wire_view block;	 /* all attributes, as sent */
	struct bgp_as_path as_path;
	struct wire_view communities;	       /* 4 bytes each */
	struct wire_view ext_communities;      /* 8 bytes each */
	struct wire_view large_communities;    /* 12 bytes each */
	struct wire_view cluster_list;	       /* 4 bytes each */
	struct wire_view ipv6_ext_communities; /* 20 bytes each */
	struct bgp_mp reach;
	struct bgp_mp unreach;
};

static inline bool bgp_attrs_has(const struct bgp_attrs *a, uint8_t code)
{
	return a->seen[code / 64] >> (code % 64) & 1;
}

static inline void bgp_attrs_set(struct bgp_attrs *a, uint8_t code)
{
	a->seen[code / 64] |= UINT64_C(1) << (code % 64);
}

/*
 * Decode @block into *@out, which is always filled, and return the verdict.
 * Missing mandatory attributes are not checked here but in bgp_update_decode().
 */
enum bgp_verdict bgp_attrs_decode(struct wire_view block,
				  const struct bgp_decode_opts *opts,
				  struct bgp_attrs *out);

/*
 * Raise the verdict to @v, with its cause @fault and @code, unless it is as
 * strong already: so the cause is the first one of the strongest verdict.
 */
void bgp_attrs_blame(struct bgp_attrs *a, enum bgp_verdict v,
		     enum bgp_fault fault, uint8_t code);

/* One attribute, as it is in the block. */
struct bgp_attr {
	uint8_t flags;
	uint8_t code;
	struct wire_view value;
};

/*
 * Take the next attribute from @c; false at the end, or if the attribute ends
 * beyond the block. Hot: an UPDATE has about eight attributes, and each is
 * taken twice.
 */
static inline bool bgp_attr_next(struct wire_cursor *c, struct bgp_attr *out)
{
	struct wire_view head = wire_rest(c);
	size_t head_len, len;

	if (head.len < 3)
		return false;
	out->flags = head.p[0];
	out->code = head.p[1];
	if (!(out->flags & BGP_ATTR_EXT_LEN)) {
		head_len = 3;
		len = head.p[2];
	} else if (head.len >= 4) {
		head_len = 4;
		len = wire_get_u16(head.p + 2);
	} else {
		return false;
	}
	return wire_skip(c, head_len) && wire_take(c, len, &out->value);
}

/*
 * Set *@out to the value of attribute @code. False if the attribute is absent
 * or was refused.
 */
bool bgp_attrs_find(const struct bgp_attrs *a, uint8_t code,
		    struct wire_view *out);

/* True if the row of @code in the attribute table has a decoder. */
bool bgp_attr_known(uint8_t code);
/* The optional and transitive flags that the row of @code requires. */
uint8_t bgp_attr_flags(uint8_t code);

#define BGP_ATTR_BIT(code) (UINT64_C(1) << (code))

/*
 * Bit mask of the attributes that have members of struct bgp_attrs and fields
 * in the schema. All others are published and shown as bytes. It is a constant,
 * because the encoder uses it for each route; bmp/attr_row.h has the same
 * information, and a test compares both.
 */
#define BGP_ATTRS_WITH_MEMBER                                                \
	(BGP_ATTR_BIT(BGP_ORIGIN) | BGP_ATTR_BIT(BGP_AS_PATH) |              \
	 BGP_ATTR_BIT(BGP_NEXT_HOP) | BGP_ATTR_BIT(BGP_MED) |                \
	 BGP_ATTR_BIT(BGP_LOCAL_PREF) | BGP_ATTR_BIT(BGP_ATOMIC_AGGREGATE) | \
	 BGP_ATTR_BIT(BGP_AGGREGATOR) | BGP_ATTR_BIT(BGP_COMMUNITIES) |      \
	 BGP_ATTR_BIT(BGP_ORIGINATOR_ID) | BGP_ATTR_BIT(BGP_CLUSTER_LIST) |  \
	 BGP_ATTR_BIT(BGP_MP_REACH) | BGP_ATTR_BIT(BGP_MP_UNREACH) |         \
	 BGP_ATTR_BIT(BGP_EXT_COMMUNITIES) | BGP_ATTR_BIT(BGP_AS4_PATH) |    \
	 BGP_ATTR_BIT(BGP_AS4_AGGREGATOR) |                                  \
	 BGP_ATTR_BIT(BGP_IPV6_EXT_COMMUNITIES) |                            \
	 BGP_ATTR_BIT(BGP_LARGE_COMMUNITIES) | BGP_ATTR_BIT(BGP_OTC))

static inline bool bgp_attr_has_member(uint8_t code)
{
	return code < 64 && (BGP_ATTRS_WITH_MEMBER >> code & 1);
}

#endif
