/*
 * bmp/open.h - decode the OPEN of a BGP speaker
 *
 * RFC 4271 4.2, capabilities RFC 5492, long parameters RFC 9072. Capabilities
 * that change how later messages are decoded are sets of families or flags in
 * the struct; bgp_capability_next() iterates over the raw capabilities, for
 * output.
 */
#ifndef BMP_OPEN_H
#define BMP_OPEN_H

#include "bmp/family.h"
#include "bmp/tlv.h"

enum bgp_capability {
	BGP_CAP_MULTIPROTOCOL = 1,
	BGP_CAP_ROUTE_REFRESH = 2,
	BGP_CAP_EXT_NEXT_HOP = 5,
	BGP_CAP_EXT_MESSAGE = 6,
	BGP_CAP_MULTIPLE_LABELS = 8,
	BGP_CAP_ROLE = 9,
	BGP_CAP_GRACEFUL_RESTART = 64,
	BGP_CAP_FOUR_BYTE_AS = 65,
	BGP_CAP_ADD_PATH = 69,
	BGP_CAP_ENHANCED_REFRESH = 70,
	BGP_CAP_LLGR = 71,
	BGP_CAP_FQDN = 73,
};

enum bgp_open_status {
	BGP_OPEN_OK,
	BGP_OPEN_BAD_CAPABILITY, /* a capability is malformed and was ignored */
	/* The fixed part is valid, but capabilities may be missing. */
	BGP_OPEN_CUT_PARAMETERS,
	/* Nothing can be used. */
	BGP_OPEN_SHORT,
	BGP_OPEN_BAD_VERSION,
	BGP_OPEN_STATUSES
};

/* True if all well-formed capabilities of the OPEN were read. */
static inline bool bgp_open_status_usable(enum bgp_open_status s)
{
	return s < BGP_OPEN_CUT_PARAMETERS;
}

struct bgp_open {
	uint8_t version;
	uint16_t my_as; /* the two-byte field; AS_TRANS for a larger AS */
	uint32_t as;	/* from the capability if there is one */
	uint16_t hold_time;
	uint32_t bgp_id;
	bool four_byte_as;
	bool ext_message;
	bool graceful_restart;
	bgp_family_set families; /* if the OPEN has none, IPv4 unicast */
	bgp_family_set add_path_send;
	bgp_family_set add_path_receive;
	bgp_family_set ext_next_hop;
	bgp_family_set multiple_labels; /* may have several labels, RFC 8277 */
	struct wire_view hostname;	/* FQDN capability; may be empty */
	struct wire_view parameters;
	bool long_parameters; /* RFC 9072 */
};

/*
 * Decode @body, the body of an OPEN. Always fills *@out; the status says which
 * members are valid.
 */
enum bgp_open_status bgp_open_decode(struct wire_view body,
				     struct bgp_open *out);

/*
 * Read @capability into *@out. If false is returned, the capability is
 * malformed, and what it has set in *@out must not be used.
 */
bool bgp_capability_read(const struct tlv *capability, struct bgp_open *out);

/* Iterates over the capabilities of all optional parameters. */
struct bgp_capability_iter {
	struct tlv_iter parameters;
	struct tlv_iter capabilities;
};

struct bgp_capability_iter bgp_open_capabilities(const struct bgp_open *open);

/* Get the next capability; false at the end. */
bool bgp_capability_next(struct bgp_capability_iter *it, struct tlv *out);

#endif
