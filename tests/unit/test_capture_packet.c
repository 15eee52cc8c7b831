#include "check.h"

#include "capture/packet.h"
#include "packets.h"

static struct packets file;

static const struct flow v4 = { 1, 2, 40000, 11019, 5000, 0 };
static const struct flow v6 = { 1, 2, 40000, 11019, 5000, 1 };

static struct capture_segment segment;

static enum capture_packet_verdict parse(enum capture_link link)
{
	/* A copy of exactly that size, so that ASan sees one byte beyond. */
	uint8_t *copy = malloc(file.len + !file.len);
	enum capture_packet_verdict verdict;

	memcpy(copy, file.p, file.len);
	verdict =
		capture_packet_parse(link, (struct wire_view){ copy, file.len },
				     &segment);
	free(copy);
	return verdict;
}

static void check_segment(const struct flow *flow)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0,    0,
					    0, 0, 0, 0, 0xff, 0xff };

	assert_int_equal(segment.from.port, flow->from_port);
	assert_int_equal(segment.to.port, flow->to_port);
	assert_int_equal(segment.from.address[15], flow->from);
	assert_int_equal(segment.to.address[15], flow->to);
	if (!flow->ipv6)
		assert_memory_equal(segment.from.address, mapped, 12);
	assert_int_equal(segment.sequence, flow->base + 3);
	assert_int_equal(segment.flags, TCP_ACK);
	assert_int_equal(segment.payload.len, 4);
	assert_int_equal(segment.wire_len, 4);
}

static void put_segment(const struct flow *flow)
{
	put_ip(&file, flow, 24);
	put_tcp(&file, flow, flow->base + 3, TCP_ACK);
	put(&file, "data", 4);
}

static void test_every_link_type(void **state)
{
	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		const struct flow *flow = ipv6 ? &v6 : &v4;
		uint16_t type = ipv6 ? 0x86dd : 0x0800;

		file.len = 0;
		put_ethernet(&file, ipv6);
		put_segment(flow);
		put_zeros(&file, 6); /* padding is not payload */
		assert_int_equal(parse(CAPTURE_LINK_ETHERNET),
				 CAPTURE_PACKET_SEGMENT);
		check_segment(flow);

		file.len = 0;
		put_segment(flow);
		assert_int_equal(parse(CAPTURE_LINK_RAW),
				 CAPTURE_PACKET_SEGMENT);
		check_segment(flow);

		file.len = 0;
		put_be(&file, ipv6 ? 30 : 2, 4);
		put_segment(flow);
		assert_int_equal(parse(CAPTURE_LINK_NULL),
				 CAPTURE_PACKET_SEGMENT);
		check_segment(flow);

		file.len = 0;
		put_zeros(&file, 14);
		put_be(&file, type, 2);
		put_segment(flow);
		assert_int_equal(parse(CAPTURE_LINK_SLL),
				 CAPTURE_PACKET_SEGMENT);
		check_segment(flow);

		file.len = 0;
		put_be(&file, type, 2);
		put_zeros(&file, 18);
		put_segment(flow);
		assert_int_equal(parse(CAPTURE_LINK_SLL2),
				 CAPTURE_PACKET_SEGMENT);
		check_segment(flow);
	}
}

static void test_vlan_tags(void **state)
{
	(void)state;
	file.len = 0;
	put_zeros(&file, 12);
	put_be(&file, 0x88a80064, 4);
	put_be(&file, 0x810000c8, 4);
	put_be(&file, 0x0800, 2);
	put_segment(&v4);
	assert_int_equal(parse(CAPTURE_LINK_ETHERNET), CAPTURE_PACKET_SEGMENT);
	check_segment(&v4);
}

static void test_ipv4_options(void **state)
{
	size_t ip;

	(void)state;
	file.len = 0;
	put_ethernet(&file, 0);
	ip = file.len;
	put_ip(&file, &v4, 4 + 24);
	file.p[ip] = 0x46;
	put_zeros(&file, 4);
	put_tcp(&file, &v4, v4.base + 3, TCP_ACK);
	put(&file, "data", 4);
	assert_int_equal(parse(CAPTURE_LINK_ETHERNET), CAPTURE_PACKET_SEGMENT);
	check_segment(&v4);
}

static void test_ipv6_extension_headers(void **state)
{
	size_t ip;

	(void)state;
	file.len = 0;
	put_ethernet(&file, 1);
	ip = file.len;
	put_ip(&file, &v6, 16 + 8 + 12 + 24);
	file.p[ip + 6] = 0;	  /* hop by hop */
	put_be(&file, 0x3c01, 2); /* then destination options, 16 bytes */
	put_zeros(&file, 14);
	put_be(&file, 0x3300, 2); /* then AH, 8 bytes */
	put_zeros(&file, 6);
	put_be(&file, 0x0601, 2); /* then TCP, 12 bytes */
	put_zeros(&file, 10);
	put_tcp(&file, &v6, v6.base + 3, TCP_ACK);
	put(&file, "data", 4);
	assert_int_equal(parse(CAPTURE_LINK_ETHERNET), CAPTURE_PACKET_SEGMENT);
	check_segment(&v6);
}

static void test_fragments_are_named(void **state)
{
	(void)state;
	file.len = 0;
	put_segment(&v4);
	file.p[6] = 0x20; /* more fragments */
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_FRAGMENT);
	file.p[6] = 0;
	file.p[7] = 1; /* an offset */
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_FRAGMENT);

	file.len = 0;
	put_segment(&v6);
	file.p[6] = 44;
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_FRAGMENT);
}

static void test_a_length_of_zero_was_left_to_the_card(void **state)
{
	(void)state;
	file.len = 0;
	put_segment(&v4);
	file.p[2] = file.p[3] = 0;
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_SEGMENT);
	check_segment(&v4);
}

static void test_what_the_snapshot_length_cut(void **state)
{
	(void)state;
	file.len = 0;
	put_segment(&v4);
	file.len -= 3;
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_SEGMENT);
	assert_int_equal(segment.payload.len, 1);
	assert_int_equal(segment.wire_len, 4);
	/* Any shorter, and a header is missing. */
	for (file.len -= 2; file.len > 0; file.len--)
		assert_int_not_equal(parse(CAPTURE_LINK_RAW),
				     CAPTURE_PACKET_SEGMENT);
}

static void test_what_is_not_tcp(void **state)
{
	(void)state;
	file.len = 0;
	put_zeros(&file, 12);
	put_be(&file, 0x0806, 2); /* ARP */
	put_zeros(&file, 28);
	assert_int_equal(parse(CAPTURE_LINK_ETHERNET), CAPTURE_PACKET_NOT_IP);

	file.len = 0;
	put_segment(&v4);
	file.p[9] = 17; /* UDP */
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_NOT_TCP);

	file.len = 0;
	put_segment(&v4);
	file.p[0] = 0x43; /* a header of 12 bytes */
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_BAD);

	file.len = 0;
	put_segment(&v4);
	file.p[20 + 12] = 0x40; /* a TCP header of 16 bytes */
	assert_int_equal(parse(CAPTURE_LINK_RAW), CAPTURE_PACKET_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_link_type),
		cmocka_unit_test(test_vlan_tags),
		cmocka_unit_test(test_ipv4_options),
		cmocka_unit_test(test_ipv6_extension_headers),
		cmocka_unit_test(test_fragments_are_named),
		cmocka_unit_test(test_a_length_of_zero_was_left_to_the_card),
		cmocka_unit_test(test_what_the_snapshot_length_cut),
		cmocka_unit_test(test_what_is_not_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
