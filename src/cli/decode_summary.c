#include "cli/decode_summary.h"

#include "bmp/family.h"
#include "bmp/names.h"
#include "bmp/text.h"
#include "cli/decode_fields.h"
#include "cli/xalloc.h"

#include <inttypes.h>

#define FIRST_SLOTS 256

static const char *const type_names[SUMMARY_TYPES] = {
	[BMP_ROUTE_MONITORING] = "routeMonitoring",
	[BMP_STATISTICS] = "statistics",
	[BMP_PEER_DOWN] = "peerDown",
	[BMP_PEER_UP] = "peerUp",
	[BMP_INITIATION] = "initiation",
	[BMP_TERMINATION] = "termination",
	[BMP_ROUTE_MIRRORING] = "mirror",
	[BMP_TYPES] = "unknown",
};

static const char *const count_names[SUMMARY_COUNTS] = {
	[SUMMARY_ANNOUNCED] = "announced",
	[SUMMARY_WITHDRAWN] = "withdrawn",
	[SUMMARY_END_OF_RIB] = "endOfRib",
};

void summary_fini(struct summary *summary)
{
	for (size_t i = 0; i < summary->peer_count; i++) {
		free(summary->peers[i]->families.list);
		free(summary->peers[i]);
	}
	free(summary->peers);
	free(summary->slots);
	free(summary->families.list);
	*summary = (struct summary){ 0 };
}

static uint64_t hash_of(const struct bmp_peer *p)
{
	uint64_t words[] = { p->type, p->distinguisher,
			     (uint64_t)p->as << 32 | p->bgp_id,
			     wire_get_u64(p->address),
			     wire_get_u64(p->address + 8) };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool is_same_peer(const struct bmp_peer *a, const struct bmp_peer *b)
{
	return a->type == b->type && a->distinguisher == b->distinguisher &&
	       a->as == b->as && a->bgp_id == b->bgp_id &&
	       memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

/* The slot of the peer of @header; an empty slot if the peer is new. */
static size_t *find_slot(const struct summary *summary,
			 const struct bmp_peer *header)
{
	uint64_t at = hash_of(header);
	size_t *slot;

	for (;; at++) {
		slot = &summary->slots[at & (summary->slot_count - 1)];
		if (*slot == 0 ||
		    is_same_peer(&summary->peers[*slot - 1]->header, header))
			return slot;
	}
}

static void grow_peers(struct summary *summary)
{
	size_t count =
		summary->slot_count > 0 ? 2 * summary->slot_count : FIRST_SLOTS;

	free(summary->slots);
	summary->slots = memory_must(calloc(count, sizeof(*summary->slots)));
	summary->slot_count = count;
	/* At most half of the slots are in use. */
	summary->peers = memory_must(
		realloc(summary->peers, count / 2 * sizeof(*summary->peers)));
	for (size_t i = 0; i < summary->peer_count; i++)
		*find_slot(summary, &summary->peers[i]->header) = i + 1;
}

struct summary_peer *summary_peer(struct summary *summary,
				  const struct bmp_peer *header)
{
	struct summary_peer *peer;
	size_t *slot;

	if (2 * (summary->peer_count + 1) > summary->slot_count)
		grow_peers(summary);
	slot = find_slot(summary, header);
	if (*slot == 0) {
		peer = memory_must(calloc(1, sizeof(*peer)));
		peer->header = *header;
		summary->peers[summary->peer_count++] = peer;
		*slot = summary->peer_count;
	}
	return summary->peers[*slot - 1];
}

void summary_message(struct summary *summary, struct summary_peer *peer,
		     uint8_t type)
{
	if (type > BMP_TYPES)
		type = BMP_TYPES;
	summary->messages[type]++;
	if (peer != NULL)
		peer->messages[type]++;
}

/*
 * Find or add the family. There are few families, so a linear search suffices.
 */
static struct summary_family *family_of(struct summary_families *families,
					uint16_t afi, uint8_t safi)
{
	struct summary_family *family;

	for (size_t i = 0; i < families->count; i++) {
		family = &families->list[i];
		if (family->afi == afi && family->safi == safi)
			return family;
	}
	families->list = memory_must(
		realloc(families->list,
			(families->count + 1) * sizeof(*families->list)));
	family = &families->list[families->count++];
	*family = (struct summary_family){ .afi = afi, .safi = safi };
	return family;
}

void summary_routes(struct summary *summary, struct summary_peer *peer,
		    enum summary_count what, uint16_t afi, uint8_t safi,
		    uint64_t n)
{
	family_of(&summary->families, afi, safi)->counts[what] += n;
	if (peer != NULL)
		family_of(&peer->families, afi, safi)->counts[what] += n;
}

static void messages_json(const uint64_t messages[SUMMARY_TYPES],
			  struct json *j)
{
	json_key(j, "messages");
	json_object(j);
	for (int i = 0; i < SUMMARY_TYPES; i++)
		if (messages[i] > 0)
			json_uint_at(j, type_names[i], messages[i]);
	json_end_object(j);
}

static void families_json(const struct summary_families *families,
			  struct json *j)
{
	char name[16];

	for (int what = 0; what < SUMMARY_COUNTS; what++) {
		json_key(j, count_names[what]);
		json_object(j);
		for (size_t i = 0; i < families->count; i++) {
			const struct summary_family *f = &families->list[i];

			if (f->counts[what] == 0)
				continue;
			snprintf(name, sizeof(name), "%u/%u", f->afi, f->safi);
			json_uint_at(j, name, f->counts[what]);
		}
		json_end_object(j);
	}
}

void summary_json(const struct summary *summary, struct json *j)
{
	if (summary->sessions > 0)
		json_uint_at(j, "sessions", summary->sessions);
	if (summary->records > 0)
		json_uint_at(j, "records", summary->records);
	messages_json(summary->messages, j);
	families_json(&summary->families, j);
	json_uint_at(j, "errors", summary->errors);
	json_uint_at(j, "peerCount", summary->peer_count);
	json_key(j, "peers");
	json_array(j);
	for (size_t i = 0; i < summary->peer_count; i++) {
		json_object(j);
		decode_peer_identity(j, &summary->peers[i]->header);
		messages_json(summary->peers[i]->messages, j);
		families_json(&summary->peers[i]->families, j);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_families(const struct summary_families *families,
			   const char *indent)
{
	for (size_t i = 0; i < families->count; i++) {
		const struct summary_family *f = &families->list[i];
		const struct bgp_family_info *info =
			bgp_family_info(bgp_family_find(f->afi, f->safi));

		printf("%s%u/%-3u %-20s %12" PRIu64 " announced %10" PRIu64
		       " withdrawn %6" PRIu64 " end-of-RIB\n",
		       indent, f->afi, f->safi, info->name,
		       f->counts[SUMMARY_ANNOUNCED],
		       f->counts[SUMMARY_WITHDRAWN],
		       f->counts[SUMMARY_END_OF_RIB]);
	}
}

static void print_peer(const struct summary_peer *peer)
{
	const struct bmp_peer *p = &peer->header;
	char buf[128];
	struct text t = text_start(buf, sizeof(buf));
	uint8_t id[4];

	wire_put_u32(id, p->bgp_id);
	text_str(&t, "peer ");
	if (p->type != BMP_PEER_LOC_RIB) {
		text_ip(&t, p->address);
		text_char(&t, ' ');
	}
	text_str(&t, bmp_peer_type_name(p->type));
	if (p->distinguisher != 0) {
		text_char(&t, ' ');
		text_rd(&t, p->distinguisher);
	}
	text_str(&t, " AS ");
	text_u64(&t, p->as);
	text_str(&t, " id ");
	text_ipv4(&t, id);
	text_end(&t);
	printf("  %s", buf);
	for (int i = 0; i < SUMMARY_TYPES; i++)
		if (peer->messages[i] > 0)
			printf(", %s %" PRIu64, type_names[i],
			       peer->messages[i]);
	putchar('\n');
	print_families(&peer->families, "    ");
}

void summary_print(const struct summary *summary, const char *file,
		   const char *format)
{
	printf("%s: %s", file, format);
	if (summary->sessions > 0)
		printf(", %u sessions", summary->sessions);
	if (summary->records > 0)
		printf(", %" PRIu64 " records", summary->records);
	putchar('\n');
	for (int i = 0; i < SUMMARY_TYPES; i++)
		if (summary->messages[i] > 0)
			printf("  %-16s %12" PRIu64 "\n", type_names[i],
			       summary->messages[i]);
	print_families(&summary->families, "  ");
	if (summary->errors > 0)
		printf("  errors           %12" PRIu64 "\n", summary->errors);
	for (size_t i = 0; i < summary->peer_count; i++)
		print_peer(summary->peers[i]);
}
