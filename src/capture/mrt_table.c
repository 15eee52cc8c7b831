#include "capture/mrt_table.h"

#include "bmp/nlri.h"
#include "capture/mrt_field.h"

#include <stdlib.h>

/* Bits of a peer's type in PEER_INDEX_TABLE, RFC 6396 4.3.1. */
#define PEER_IPV6 0x01
#define PEER_AS4  0x02

/* The family of each RIB subtype of TABLE_DUMP_V2. */
/* clang-format off */
static const struct rib_subtype {
	uint16_t afi; /* 0 = afi and safi are in the record */
	uint8_t safi;
	bool add_path;
	bool known;
} rib_subtypes[] = {
	[2]	= { 1, 1, false, true }, /* RIB_IPV4_UNICAST */
	[3]	= { 1, 2, false, true }, /* RIB_IPV4_MULTICAST */
	[4]	= { 2, 1, false, true }, /* RIB_IPV6_UNICAST */
	[5]	= { 2, 2, false, true }, /* RIB_IPV6_MULTICAST */
	[6]	= { 0, 0, false, true }, /* RIB_GENERIC */
	/* as 2 to 5, but with path identifiers */
	[8]	= { 1, 1, true,	 true },
	[9]	= { 1, 2, true,	 true }, /* (RFC 8050) */
	[10]	= { 2, 1, true,	 true },
	[11]	= { 2, 2, true,	 true },
	[12]	= { 0, 0, true,	 true },
};
/* clang-format on */

#define RIB_SUBTYPES (sizeof(rib_subtypes) / sizeof(rib_subtypes[0]))

void capture_mrt_peers_fini(struct capture_mrt_peers *peers)
{
	free(peers->peers);
	*peers = (struct capture_mrt_peers){ 0 };
}

static bool take_peer(struct wire_cursor *c, struct capture_mrt_peer *out)
{
	uint8_t type;

	if (!(wire_u8(c, &type) && wire_u32(c, &out->bgp_id)))
		return false;
	out->ipv6 = (type & PEER_IPV6) != 0;
	return mrt_take_address(c, out->ipv6, out->address) &&
	       mrt_take_as(c, type & PEER_AS4 ? 4 : 2, &out->as);
}

enum capture_mrt_verdict capture_mrt_peers_decode(
	struct capture_mrt_peers *peers,
	const struct capture_mrt_record *record)
{
	struct wire_cursor c = wire_start(record->body);
	struct wire_view view_name;
	uint16_t name_len, count;

	capture_mrt_peers_fini(peers);
	if (!(wire_u32(&c, &peers->collector_id) && wire_u16(&c, &name_len) &&
	      wire_take(&c, name_len, &view_name) && wire_u16(&c, &count)))
		return CAPTURE_MRT_SHORT;
	peers->seen = true;
	if (count == 0)
		return CAPTURE_MRT_OK;
	peers->peers = calloc(count, sizeof(*peers->peers));
	if (peers->peers == NULL)
		return CAPTURE_MRT_SHORT;
	for (; peers->count < count; peers->count++)
		if (!take_peer(&c, &peers->peers[peers->count]))
			return CAPTURE_MRT_SHORT;
	return CAPTURE_MRT_OK;
}

static bool take_position(struct wire_cursor *c,
			  struct capture_mrt_position *out)
{
	uint32_t bits[2];

	if (!(wire_u32(c, &bits[0]) && wire_u32(c, &bits[1])))
		return false;
	memcpy(&out->latitude, &bits[0], sizeof(out->latitude));
	memcpy(&out->longitude, &bits[1], sizeof(out->longitude));
	return true;
}

enum capture_mrt_verdict capture_mrt_geo_decode(
	const struct capture_mrt_record *record, struct capture_mrt_geo *out)
{
	struct wire_cursor c = wire_start(record->body);
	uint16_t name_len;

	if (!(wire_u32(&c, &out->collector_id) && wire_u16(&c, &name_len) &&
	      wire_skip(&c, name_len) && take_position(&c, &out->position) &&
	      wire_u16(&c, &out->peers_left)))
		return CAPTURE_MRT_SHORT;
	out->peers = c;
	return CAPTURE_MRT_OK;
}

bool capture_mrt_geo_next(struct capture_mrt_geo *geo,
			  struct capture_mrt_geo_peer *out)
{
	if (geo->peers_left == 0 || !take_peer(&geo->peers, &out->peer) ||
	    !take_position(&geo->peers, &out->position))
		return false;
	geo->peers_left--;
	return true;
}

/*
 * Begin a TABLE_DUMP record (RFC 6396 4.2). Subtypes 3 and 4 are Quagga's: the
 * AS of the peer and the AS numbers of AS_PATH have four bytes.
 */
static enum capture_mrt_verdict start_v1(
	const struct capture_mrt_record *record, struct capture_mrt_rib *out)
{
	struct wire_cursor c = wire_start(record->body);
	bool ipv6 = record->subtype == 2 || record->subtype == 4;
	uint16_t view, sequence;
	struct wire_view prefix;
	uint8_t len, octets;

	if (record->subtype < 1 || record->subtype > 4)
		return CAPTURE_MRT_UNSUPPORTED;
	if (!(wire_u16(&c, &view) && wire_u16(&c, &sequence) &&
	      wire_take(&c, ipv6 ? 16 : 4, &prefix) && wire_u8(&c, &len)))
		return CAPTURE_MRT_SHORT;
	if (len > 8 * prefix.len)
		return CAPTURE_MRT_BAD_PREFIX;
	octets = (uint8_t)((len + 7) / 8);
	out->afi = ipv6 ? 2 : 1;
	out->safi = 1;
	out->as_width = record->subtype > 2 ? 4 : 2;
	out->own_peer.ipv6 = ipv6;
	out->joined[0] = len;
	memcpy(out->joined + 1, prefix.p, octets);
	out->nlri = (struct wire_view){ out->joined, 1u + octets };
	out->entries = c;
	out->entries_left = 1;
	return CAPTURE_MRT_OK;
}

static bool next_v1(struct capture_mrt_rib *rib, struct capture_mrt_entry *out)
{
	struct wire_cursor *c = &rib->entries;
	uint16_t len;
	uint8_t status;

	if (!(wire_u8(c, &status) && wire_u32(c, &out->originated) &&
	      mrt_take_address(c, rib->own_peer.ipv6, rib->own_peer.address) &&
	      mrt_take_as(c, rib->as_width, &rib->own_peer.as) &&
	      wire_u16(c, &len) && wire_take(c, len, &out->attributes)))
		return false;
	out->peer = &rib->own_peer;
	return true;
}

/* Take one NLRI from @c; the family determines its length. */
static enum capture_mrt_verdict take_nlri(struct wire_cursor *c, bool path_id,
					  struct capture_mrt_rib *out)
{
	struct bgp_nlri_format format = {
		.afi = out->afi,
		.safi = out->safi,
		.family = (uint8_t)bgp_family_find(out->afi, out->safi),
		.add_path = path_id,
	};
	struct bgp_nlri_iter it;

	bgp_nlri_start(&it, wire_rest(c), &format);
	if (format.family == BGP_FAMILY_UNKNOWN || !bgp_nlri_next(&it))
		return CAPTURE_MRT_BAD_NLRI;
	/*
	 * The iterator has found the length of the NLRI: take that many bytes,
	 * without the path identifier.
	 */
	if (path_id && !wire_u32(c, &out->path_id))
		return CAPTURE_MRT_BAD_NLRI;
	wire_take(c, c->left - it.c.left, &out->nlri);
	return CAPTURE_MRT_OK;
}

/*
 * Begin a BGP4MP_ENTRY record: the header of BGP4MP, then view, status, time,
 * family, next hop, NLRI and attributes. No RFC has the format; it is described
 * in Zebra's Packet-Binary-Dump-Format and OpenBGPD's mrt.h.
 */
static enum capture_mrt_verdict start_entry(
	const struct capture_mrt_record *record, struct capture_mrt_rib *out)
{
	struct wire_cursor c = wire_start(record->body);
	struct capture_mrt_peer *peer = &out->own_peer;
	uint16_t interface, afi, view, status;
	enum capture_mrt_verdict verdict;
	uint8_t local[16], hop_len;
	uint32_t local_as;

	if (!(mrt_take_as(&c, 2, &peer->as) && mrt_take_as(&c, 2, &local_as) &&
	      wire_u16(&c, &interface) && wire_u16(&c, &afi)))
		return CAPTURE_MRT_SHORT;
	if (afi != 1 && afi != 2)
		return CAPTURE_MRT_BAD_AFI;
	peer->ipv6 = afi == 2;
	if (!(mrt_take_address(&c, peer->ipv6, peer->address) &&
	      mrt_take_address(&c, peer->ipv6, local) && wire_u16(&c, &view) &&
	      wire_u16(&c, &status) && wire_u32(&c, &out->originated) &&
	      wire_u16(&c, &out->afi) && wire_u8(&c, &out->safi) &&
	      wire_u8(&c, &hop_len) && wire_take(&c, hop_len, &out->next_hop)))
		return CAPTURE_MRT_SHORT;
	verdict = take_nlri(&c, false, out);
	if (verdict != CAPTURE_MRT_OK)
		return verdict;
	out->as_width = 2;
	out->is_entry = true;
	out->entries = c;
	out->entries_left = 1;
	return CAPTURE_MRT_OK;
}

static bool next_entry(struct capture_mrt_rib *rib,
		       struct capture_mrt_entry *out)
{
	uint16_t len;

	out->originated = rib->originated;
	out->peer = &rib->own_peer;
	return wire_u16(&rib->entries, &len) &&
	       wire_take(&rib->entries, len, &out->attributes);
}

static bool next_v2(struct capture_mrt_rib *rib, uint16_t *index,
		    struct capture_mrt_entry *out)
{
	struct wire_cursor *c = &rib->entries;
	uint16_t len;

	return wire_u16(c, index) && wire_u32(c, &out->originated) &&
	       (!rib->add_path || wire_u32(c, &out->path_id)) &&
	       wire_u16(c, &len) && wire_take(c, len, &out->attributes);
}

/* True if the entries fill the record exactly. */
static bool entries_fit(const struct capture_mrt_rib *rib)
{
	struct capture_mrt_rib walk = *rib;
	struct capture_mrt_entry entry;
	uint16_t index;

	for (; walk.entries_left > 0; walk.entries_left--)
		if (!next_v2(&walk, &index, &entry))
			return false;
	return walk.entries.left == 0;
}

/*
 * Take NLRI and entries of a RIB_GENERIC_ADDPATH record. RFC 8050 4.2 puts the
 * path identifier into the NLRI, but the programs that write such records
 * (GoBGP, OpenBGPD) put it into the entries, as in the other subtypes. Only one
 * of the two forms fits the length of the record.
 */
static enum capture_mrt_verdict take_generic_add_path(
	struct wire_cursor c, struct capture_mrt_rib *out)
{
	struct wire_cursor start = c;
	enum capture_mrt_verdict verdict = take_nlri(&c, false, out);

	if (verdict == CAPTURE_MRT_OK && wire_u16(&c, &out->entries_left)) {
		out->entries = c;
		if (entries_fit(out))
			return CAPTURE_MRT_OK;
	}
	c = start;
	verdict = take_nlri(&c, true, out);
	if (verdict != CAPTURE_MRT_OK)
		return verdict;
	if (!wire_u16(&c, &out->entries_left))
		return CAPTURE_MRT_SHORT;
	out->entries = c;
	out->add_path = false;
	out->nlri_path_id = true;
	return CAPTURE_MRT_OK;
}

static enum capture_mrt_verdict start_v2(
	const struct capture_mrt_record *record,
	const struct capture_mrt_peers *peers, struct capture_mrt_rib *out)
{
	struct wire_cursor c = wire_start(record->body);
	enum capture_mrt_verdict verdict;
	const struct rib_subtype *subtype;
	uint32_t sequence;

	if (record->subtype >= RIB_SUBTYPES ||
	    !rib_subtypes[record->subtype].known)
		return CAPTURE_MRT_UNSUPPORTED;
	if (!peers->seen)
		return CAPTURE_MRT_NO_PEERS;
	subtype = &rib_subtypes[record->subtype];
	out->afi = subtype->afi;
	out->safi = subtype->safi;
	out->add_path = subtype->add_path;
	out->as_width = 4;
	out->is_v2 = true;
	if (!wire_u32(&c, &sequence))
		return CAPTURE_MRT_SHORT;
	if (subtype->afi == 0) {
		if (!(wire_u16(&c, &out->afi) && wire_u8(&c, &out->safi)))
			return CAPTURE_MRT_SHORT;
		if (subtype->add_path)
			return take_generic_add_path(c, out);
	}
	verdict = take_nlri(&c, false, out);
	if (verdict != CAPTURE_MRT_OK)
		return verdict;
	if (!wire_u16(&c, &out->entries_left))
		return CAPTURE_MRT_SHORT;
	out->entries = c;
	return CAPTURE_MRT_OK;
}

enum capture_mrt_verdict capture_mrt_rib_decode(
	const struct capture_mrt_record *record,
	const struct capture_mrt_peers *peers, struct capture_mrt_rib *out)
{
	*out = (struct capture_mrt_rib){ .peers = peers };
	switch (record->type) {
	case CAPTURE_MRT_TABLE_DUMP:
		return start_v1(record, out);
	case CAPTURE_MRT_TABLE_DUMP_V2:
		return start_v2(record, peers, out);
	default:
		return start_entry(record, out);
	}
}

static bool next_any(struct capture_mrt_rib *rib, uint16_t *index,
		     struct capture_mrt_entry *out)
{
	if (rib->is_v2)
		return next_v2(rib, index, out);
	return rib->is_entry ? next_entry(rib, out) : next_v1(rib, out);
}

bool capture_mrt_rib_next(struct capture_mrt_rib *rib,
			  struct capture_mrt_entry *out,
			  enum capture_mrt_verdict *verdict)
{
	uint16_t index = 0;

	if (rib->entries_left == 0)
		return false;
	rib->entries_left--;
	*out = (struct capture_mrt_entry){
		.has_path_id = rib->add_path || rib->nlri_path_id,
		.path_id = rib->path_id,
	};
	*verdict = CAPTURE_MRT_SHORT;
	if (!next_any(rib, &index, out)) {
		rib->entries_left = 0;
		return true;
	}
	*verdict = CAPTURE_MRT_OK;
	if (!rib->is_v2)
		return true;
	if (index < rib->peers->count)
		out->peer = &rib->peers->peers[index];
	else
		*verdict = CAPTURE_MRT_BAD_PEER;
	return true;
}
