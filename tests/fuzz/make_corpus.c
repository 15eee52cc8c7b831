/*
 * Write the corpora of the bmp targets with our own writer:
 *
 *	build/tests/fuzz/make_corpus tests/fuzz/corpus
 *
 * One file for each thing worth starting from, and no more.
 */
#include "../unit/attributes.h"

#include "bmp/bgp_writer.h"
#include "bmp/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *root;
static uint8_t buf[4096];

static void save(const char *target, const char *name,
		 const struct bmp_writer *w)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", root, target, name);
	f = fopen(path, "wb");
	if (w->full || f == NULL || fwrite(w->p, 1, w->len, f) != w->len ||
	    fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

static struct bmp_peer a_peer(uint8_t type)
{
	return (struct bmp_peer){
		.type = type,
		.view = type == BMP_PEER_LOC_RIB ? BMP_VIEW_LOC_RIB
						 : BMP_VIEW_IN_PRE,
		.as = 65001,
		.bgp_id = 0xc0000207,
		.time_ns = UINT64_C(1700000000000000000),
		.address = { [10] = 0xff, 0xff, 192, 0, 2, 7 },
	};
}

static void save_peer_up(uint8_t type, bool long_parameters, const char *name)
{
	static uint8_t open[512];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_writer o = bmp_writer_on(open, sizeof(open));
	struct bmp_peer peer = a_peer(type);
	bgp_family_set some =
		bgp_family_bit(BGP_IPV4_UNICAST) | bgp_family_bit(BGP_IPV6_VPN);
	struct bgp_open spec = {
		.version = 4,
		.my_as = 65001,
		.as = 65001,
		.four_byte_as = true,
		.ext_message = true,
		.graceful_restart = true,
		.hold_time = 180,
		.bgp_id = 0xc0000207,
		.families = some,
		.add_path_send = some,
		.add_path_receive = some,
		.ext_next_hop = some,
		.multiple_labels = some,
		.hostname = { (const uint8_t *)"r1", 2 },
		.long_parameters = long_parameters,
	};
	struct bmp_peer_up_parts up = {
		.local_port = 179,
		.remote_port = 50000,
		.table_name = "red",
	};

	bgp_write_open(&o, &spec);
	up.sent_open = up.received_open = (struct wire_view){ open, o.len };
	bmp_write_peer_up(&w, &peer, &up);
	save("bmp_message", name, &w);
}

static void save_messages(void)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	static uint8_t pdu[64];
	struct bmp_writer p = bmp_writer_on(pdu, sizeof(pdu));
	static const struct bmp_stat stats[] = {
		{ .type = 0, .kind = BMP_STAT_COUNTER32, .value = 1 },
		{ .type = 7, .kind = BMP_STAT_GAUGE64, .value = 2 },
		{ .type = 9,
		  .kind = BMP_STAT_FAMILY_GAUGE64,
		  .afi = 1,
		  .safi = 1,
		  .value = 3 },
	};
	size_t begin;

	bmp_write_initiation(&w, "a router", "r1");
	bmp_write_termination(&w, BMP_TERM_ADMIN);
	save("bmp_message", "initiation-and-termination", &w);

	w = bmp_writer_on(buf, sizeof(buf));
	bgp_write_notification(&p, 6, 2, (struct wire_view){ 0 });
	bmp_write_peer_down(&w, &peer, 1, 0, (struct wire_view){ pdu, p.len });
	bmp_write_peer_down(&w, &peer, 2, 24, (struct wire_view){ 0 });
	save("bmp_message", "peer-down", &w);

	w = bmp_writer_on(buf, sizeof(buf));
	bmp_write_statistics(&w, &peer, stats, 3);
	save("bmp_message", "statistics", &w);

	w = bmp_writer_on(buf, sizeof(buf));
	p = bmp_writer_on(pdu, sizeof(pdu));
	bgp_write_end_of_rib(&p, 2, 1);
	bmp_write_route_monitoring(&w, &peer, (struct wire_view){ pdu, p.len });
	bmp_write_mirroring(&w, &peer, (struct wire_view){ pdu, p.len });
	save("bmp_message", "monitoring-and-mirroring", &w);

	w = bmp_writer_on(buf, sizeof(buf));
	begin = bmp_write_begin(&w, 4, BMP_ROUTE_MONITORING);
	bmp_write_peer(&w, &peer);
	bmp_put_u16(&w, 7);
	bmp_put_u16(&w, (uint16_t)p.len);
	bmp_put_u16(&w, 0);
	bmp_put(&w, pdu, p.len);
	bmp_write_end(&w, begin);
	save("bmp_message", "version-4", &w);
}

/* Bodies that have something of every field of their kind. */
static const struct {
	enum bgp_family family;
	uint16_t type;
	uint8_t body[40];
	uint8_t len;
} others
	[] = {
		/* clang-format off */
	{ BGP_L2VPN_EVPN, 2, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 1, 48, 0, 0, 0x5e, 0, 0x53, 1, 32, 192, 0, 2, 9, 0, 1, 1 }, 29 },
	{ BGP_L2VPN_EVPN, 5, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 1, 24, 10, 1, 2, 0, 192, 0, 2, 1, 0, 1, 1 }, 26 },
	{ BGP_L2VPN_EVPN, 7, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 1, 0, 32, 224, 0, 0, 5, 32, 192, 0, 2, 1, 2 }, 26 },
	{ BGP_IPV4_MVPN, 3, { 32, 10, 0, 0, 1, 32, 224, 0, 0, 5, 192, 0, 2, 1 }, 14 },
	{ BGP_IPV4_FLOWSPEC, 0, { 1, 24, 10, 3, 0, 3, 0x81, 6, 5, 0x03, 80, 0xc5, 90, 9, 0x81, 2 }, 16 },
	{ BGP_IPV6_FLOWSPEC_VPN, 0, { 1, 32, 16, 0x0d, 0xb8, 13, 0xa1, 0, 0, 0, 1 }, 11 },
	{ BGP_LINK_STATE, 1, { 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 8, 2, 0, 0, 4, 0, 0, 0xfd, 0xe8 }, 21 },
	{ BGP_IPV4_SR_POLICY, 0, { 0, 0, 0, 1, 0, 0, 0, 100, 192, 0, 2, 1 }, 12 },
	{ BGP_L2VPN_VPLS, 0, { 0, 1, 0, 2, 0, 8, 0, 1, 1 }, 9 },
	{ BGP_IPV4_MUP, 3, { 24, 10, 1, 2, 0, 0, 0, 1, 9, 32, 192, 0, 2, 1 }, 14 },
	{ BGP_FAMILY_UNKNOWN, 0, { 1, 2, 3 }, 3 },
		/* clang-format on */
	};

static const uint8_t label[] = { 0, 1, 1 };

static struct bgp_nlri a_route(enum bgp_family family, bool add_path)
{
	const struct bgp_family_info *info = bgp_family_info(family);

	return (struct bgp_nlri){
		.afi = info->afi,
		.safi = info->safi,
		.family = (uint8_t)family,
		.kind = info->kind,
		.has_path_id = add_path,
		.path_id = 1,
		.prefix_len = 24,
		.address = { 0x20, 1, 0x0d, [12] = 10, 1, 2 },
		.rd = UINT64_C(0x0000fde800000001),
		.labels = { label, sizeof(label) },
	};
}

static void save_routes(void)
{
	char name[64];

	for (int f = BGP_IPV4_UNICAST; f <= BGP_IPV6_MULTICAST_VPN; f++) {
		for (uint8_t add_path = 0; add_path < 2; add_path++) {
			struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
			struct bgp_nlri n = a_route(f, add_path);

			bmp_put_u8(&w, (uint8_t)f);
			bmp_put_u8(&w, add_path);
			bgp_write_nlri(&w, &n);
			bgp_write_nlri(&w, &n);
			snprintf(name, sizeof(name), "%s%s",
				 bgp_family_info(f)->name,
				 add_path ? "-add-path" : "");
			save("bmp_nlri", name, &w);
		}
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
		struct bgp_nlri n = a_route(others[i].family, false);

		n.type = others[i].type;
		n.body = (struct wire_view){ others[i].body, others[i].len };
		bmp_put_u8(&w, (uint8_t)others[i].family);
		bmp_put_u8(&w, 0);
		bgp_write_nlri(&w, &n);
		snprintf(name, sizeof(name), "%s-%u",
			 bgp_family_info(others[i].family)->name, n.type);
		save("bmp_nlri", name, &w);
	}
}

static void set_attrs(struct bgp_attrs *a)
{
	static const uint8_t path[] = { 2, 2, 0, 0, 0xfd, 0xe8, 0, 1, 0, 0 };
	static const uint8_t bytes[20] = { 0, 2, 0xfd, 0xe8 };

	*a = (struct bgp_attrs){ .next_hop = bytes, .next_hop_len = 4 };
	bgp_attrs_set(a, BGP_ORIGIN);
	bgp_attrs_set(a, BGP_AS_PATH);
	bgp_attrs_set(a, BGP_NEXT_HOP);
	for (size_t i = 0; i < sizeof(optional_attributes); i++)
		bgp_attrs_set(a, optional_attributes[i]);
	a->as_path.width = 4;
	a->as_path.path = (struct wire_view){ path, sizeof(path) };
	a->communities = (struct wire_view){ bytes, 8 };
	a->cluster_list = (struct wire_view){ bytes, 4 };
	a->ext_communities = (struct wire_view){ bytes, 8 };
	a->large_communities = (struct wire_view){ bytes, 12 };
	a->ipv6_ext_communities = (struct wire_view){ bytes, 20 };
}

/* Nine bytes that say how, then the body without its header. */
static void save_update_how(const char *name, uint32_t add_path, uint8_t flags,
			    const struct bgp_update_parts *parts)
{
	static uint8_t pdu[4096];
	struct bmp_writer p = bmp_writer_on(pdu, sizeof(pdu));
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	bgp_write_update(&p, parts);
	bmp_put_u32(&w, add_path);
	bmp_put_u32(&w, 0);
	bmp_put_u8(&w, flags);
	bmp_put(&w, pdu + BGP_HEADER_LEN, p.len - BGP_HEADER_LEN);
	save("bmp_update", name, &w);
}

static void save_update(const char *name, uint32_t add_path,
			const struct bgp_update_parts *parts)
{
	save_update_how(name, add_path, 0, parts);
}

/* fuzz_bmp_update.c: may be read the other way. */
#define EITHER_FORM 16

/* With path identifiers that are not negotiated, and the other way round. */
static void save_other_forms(struct bgp_nlri *v4, struct bgp_nlri *vpn,
			     const struct bgp_update_parts *parts)
{
	v4->has_path_id = vpn->has_path_id = true;
	v4->path_id = vpn->path_id = 7;
	save_update_how("path-ids-not-negotiated", 0, EITHER_FORM, parts);
	v4->has_path_id = vpn->has_path_id = false;
	save_update_how("path-ids-not-sent", UINT32_MAX, EITHER_FORM, parts);
	vpn->has_path_id = true;
	save_update_how("path-ids-of-one-family", 0, EITHER_FORM, parts);
}

static void save_updates(void)
{
	static const uint8_t next_hop[16] = { 0x20, 1, 0x0d, 0xb8 };
	struct bgp_nlri v4 = a_route(BGP_IPV4_UNICAST, false);
	struct bgp_nlri vpn = a_route(BGP_IPV6_VPN, false);
	struct bgp_update_parts parts = { 0 };
	struct bgp_attrs attrs;

	save_update("end-of-rib", 0, &parts);
	parts.nlri_parts[BGP_PART_WITHDRAWN] = (struct bgp_routes){ &v4, 1 };
	save_update("withdraw", 0, &parts);
	set_attrs(&attrs);
	parts.attrs = &attrs;
	parts.nlri_parts[BGP_PART_NLRI] = (struct bgp_routes){ &v4, 1 };
	save_update("all-attributes", 0, &parts);
	attrs.reach = attrs.unreach = (struct bgp_mp){
		.afi = 2,
		.safi = 128,
		.family = BGP_IPV6_VPN,
	};
	attrs.reach.next_hop = (struct wire_view){ next_hop, 16 };
	bgp_attrs_set(&attrs, BGP_MP_REACH);
	bgp_attrs_set(&attrs, BGP_MP_UNREACH);
	parts.nlri_parts[BGP_PART_MP_REACH] = (struct bgp_routes){ &vpn, 1 };
	parts.nlri_parts[BGP_PART_MP_UNREACH] = (struct bgp_routes){ &vpn, 1 };
	save_update("all-sections", 0, &parts);
	v4.has_path_id = vpn.has_path_id = true;
	save_update("add-path", UINT32_MAX, &parts);
	save_other_forms(&v4, &vpn, &parts);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s tests/fuzz/corpus\n", argv[0]);
		return 2;
	}
	root = argv[1];
	save_peer_up(BMP_PEER_GLOBAL, false, "peer-up");
	save_peer_up(BMP_PEER_LOC_RIB, true, "peer-up-loc-rib-long-parameters");
	save_messages();
	save_routes();
	save_updates();
	return 0;
}
