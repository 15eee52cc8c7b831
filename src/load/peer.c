#include "load/peer.h"

#include "bmp/bgp_writer.h"
#include "load/random.h"

#define FIRST_AS     UINT32_C(4200000000)
#define LOCAL_AS     64512
#define HOLD_TIME    180
#define BGP_PORT     179
#define TIME_AT	     (BMP_HEADER_LEN + 34)
#define IPV6_EACH    4
#define STAT_IN_PRE  7 /* routes in the Adj-RIB-In, RFC 7854 4.8 */
#define CEASE	     6
#define CEASE_RESET  4 /* administrative reset, RFC 4486 */
#define FSM_HOLD     10
#define DOWN_REASONS 4

static void set_address(struct bmp_peer *header, uint32_t number)
{
	static const uint8_t ipv6[4] = { 0x20, 0x01, 0x0d, 0xb8 };
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };

	header->ipv6 = number % IPV6_EACH == IPV6_EACH - 1;
	if (header->ipv6)
		memcpy(header->address, ipv6, sizeof(ipv6));
	else
		memcpy(header->address, mapped, sizeof(mapped));
	wire_put_u32(header->address + 12,
		     header->ipv6 ? number + 1 : 0x0a000001 + number);
}

/*
 * Make the headers of the peer's Route Monitoring messages: write an empty
 * UPDATE, and store its headers.
 */
static void write_head(struct load_peer *peer)
{
	uint8_t buf[128];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	size_t begin = bmp_write_begin(&w, 3, BMP_ROUTE_MONITORING);

	bmp_write_peer(&w, &peer->header);
	bgp_write_end_of_rib(&w, 1, 1);
	bmp_write_end(&w, begin);
	memcpy(peer->head, buf, sizeof(peer->head));
}

void load_peer_init(struct load_peer *peer, const struct load_table *table,
		    uint32_t router, uint32_t number)
{
	struct load_random random =
		load_random_fork(table->plan.seed, UINT64_C(1) << 32 | number);

	*peer = (struct load_peer){
		.header = { .as = FIRST_AS + number,
			    .bgp_id = 0x0a000001 + number },
		.router = router,
	};
	set_address(&peer->header, number);
	wire_put_u32(peer->next_hop4, peer->header.bgp_id);
	wire_put_u32(peer->next_hop6, 0x20010db8);
	wire_put_u32(peer->next_hop6 + 12, number + 1);
	for (int i = 0; i < LOAD_HALVES; i++)
		if (table->halves[i].table_sets > 0)
			peer->shift[i] =
				load_random_below(&random,
						  table->halves[i].table_sets);
	write_head(peer);
}

void load_peer_time(struct load_peer *peer, uint64_t time_ns)
{
	peer->header.time_ns = time_ns;
	wire_put_u32(peer->head + TIME_AT, (uint32_t)(time_ns / 1000000000));
	wire_put_u32(peer->head + TIME_AT + 4,
		     (uint32_t)(time_ns % 1000000000 / 1000));
}

static struct bgp_open open_of(uint32_t as, uint32_t bgp_id)
{
	return (struct bgp_open){
		.version = 4,
		.my_as = as > UINT16_MAX ? BGP_AS_TRANS : (uint16_t)as,
		.as = as,
		.hold_time = HOLD_TIME,
		.bgp_id = bgp_id,
		.four_byte_as = true,
		.graceful_restart = true,
		.families = bgp_family_bit(BGP_IPV4_UNICAST) |
			    bgp_family_bit(BGP_IPV6_UNICAST),
	};
}

void load_peer_up(const struct load_peer *peer, struct bmp_writer *w)
{
	struct bgp_open sent = open_of(LOCAL_AS, peer->router);
	struct bgp_open received =
		open_of(peer->header.as, peer->header.bgp_id);
	struct bmp_peer_up_parts up = { .local_port = BGP_PORT };
	uint8_t buf[512];
	struct bmp_writer opens = bmp_writer_on(buf, sizeof(buf));
	size_t first;

	memcpy(up.local_address, peer->header.address, 16);
	wire_put_u32(up.local_address + 12, peer->router);
	up.remote_port = (uint16_t)(32768 + peer->header.bgp_id % 28000);
	bgp_write_open(&opens, &sent);
	first = opens.len;
	bgp_write_open(&opens, &received);
	up.sent_open = (struct wire_view){ buf, first };
	up.received_open = (struct wire_view){ buf + first, opens.len - first };
	bmp_write_peer_up(w, &peer->header, &up);
}

void load_peer_down(const struct load_peer *peer, uint32_t nth,
		    struct bmp_writer *w)
{
	uint8_t reason = (uint8_t)(nth % DOWN_REASONS + 1);
	uint8_t buf[64];
	struct bmp_writer pdu = bmp_writer_on(buf, sizeof(buf));

	if (reason == BMP_DOWN_LOCAL_NOTIFICATION ||
	    reason == BMP_DOWN_REMOTE_NOTIFICATION)
		bgp_write_notification(&pdu, CEASE, CEASE_RESET,
				       (struct wire_view){ 0 });
	bmp_write_peer_down(w, &peer->header, reason, FSM_HOLD,
			    (struct wire_view){ buf, pdu.len });
}

void load_peer_end_of_rib(const struct load_peer *peer, enum load_half_id half,
			  struct bmp_writer *w)
{
	uint8_t buf[64];
	struct bmp_writer pdu = bmp_writer_on(buf, sizeof(buf));

	bgp_write_end_of_rib(&pdu, half == LOAD_IPV4 ? 1 : 2, 1);
	bmp_write_route_monitoring(w, &peer->header,
				   (struct wire_view){ buf, pdu.len });
}

void load_peer_statistics(const struct load_peer *peer, struct bmp_writer *w)
{
	struct bmp_stat stat = {
		.type = STAT_IN_PRE,
		.kind = BMP_STAT_GAUGE64,
		.value = peer->routes,
	};

	bmp_write_statistics(w, &peer->header, &stat, 1);
}
