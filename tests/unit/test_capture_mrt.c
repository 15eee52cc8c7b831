#include "check.h"

#include "capture/mrt_table.h"
#include "packets.h"

/* Records are built in here and read from there. */
static struct packets file;
static struct capture_source *source;
static struct capture_mrt mrt;
static struct capture_mrt_record record;

static const uint8_t attributes[] = { 0x40, 1, 1, 0 };

static size_t begin(uint16_t type, uint16_t subtype)
{
	put_be(&file, 1700000000, 4);
	put_be(&file, type, 2);
	put_be(&file, subtype, 2);
	put_zeros(&file, 4);
	return file.len;
}

static void end(size_t start)
{
	size_t len = file.len - start;

	file.len = start - 4;
	put_be(&file, len, 4);
	file.len = start + len;
}

static void open_file(void)
{
	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ file.p, file.len },
				 &source),
			 0);
	capture_mrt_init(&mrt, source);
}

static void close_file(void)
{
	capture_mrt_fini(&mrt);
	capture_source_close(source);
}

static void next_record(void)
{
	assert_int_equal(capture_mrt_next(&mrt, &record), CAPTURE_MRT_RECORD);
}

/* Peer 0 is 192.0.2.1, AS 65001; peer 1 is 2001:db8::2, AS 4200000001. */
static void put_peer_table(void)
{
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 };
	size_t start = begin(13, 1);

	put_be(&file, 0x0a000009, 4);
	put_be(&file, 4, 2);
	put(&file, "view", 4);
	put_be(&file, 2, 2);
	put_be(&file, 0, 1);
	put_be(&file, 0x0a000001, 4);
	put_be(&file, 0xc0000201, 4);
	put_be(&file, 65001, 2);
	put_be(&file, 3, 1);
	put_be(&file, 0x0a000002, 4);
	put(&file, v6, sizeof(v6));
	put_be(&file, 4200000001, 4);
	end(start);
}

/* An entry; a path id of 0 is none. */
static void put_entry(uint16_t peer, uint32_t path_id)
{
	put_be(&file, peer, 2);
	put_be(&file, 1600000000, 4);
	if (path_id != 0)
		put_be(&file, path_id, 4);
	put_be(&file, sizeof(attributes), 2);
	put(&file, attributes, sizeof(attributes));
}

static void test_records_are_cut(void **state)
{
	size_t start;

	(void)state;
	file.len = 0;
	start = begin(16, 4);
	put(&file, "abc", 3);
	end(start);
	start = begin(17, 4);
	put_be(&file, 250001, 4);
	put(&file, "defg", 4);
	end(start);
	end(begin(16, 0)); /* empty */

	open_file();
	next_record();
	assert_int_equal(record.offset, 0);
	assert_int_equal(record.time_ns, UINT64_C(1700000000000000000));
	assert_int_equal(record.body.len, 3);
	next_record();
	assert_int_equal(record.offset, 15);
	assert_int_equal(record.time_ns, UINT64_C(1700000000250001000));
	assert_memory_equal(record.body.p, "defg", 4);
	next_record();
	assert_int_equal(record.body.len, 0);
	assert_int_equal(capture_mrt_next(&mrt, &record), CAPTURE_MRT_END);
	close_file();
}

static void test_every_cut_is_named(void **state)
{
	size_t start, len;

	(void)state;
	file.len = 0;
	start = begin(16, 4);
	put(&file, "abc", 3);
	end(start);
	for (len = file.len - 1; len > 0; len--) {
		file.len = len;
		open_file();
		assert_int_equal(capture_mrt_next(&mrt, &record),
				 CAPTURE_MRT_DAMAGED);
		assert_non_null(strstr(mrt.error, "cut"));
		close_file();
	}
}

/* Lengths that cannot be are refused before memory is asked for. */
static void test_huge_records_are_refused(void **state)
{
	(void)state;
	file.len = 0;
	begin(16, 4);
	file.len -= 4;
	put_be(&file, 0xffffffff, 4);
	open_file();
	assert_int_equal(capture_mrt_next(&mrt, &record), CAPTURE_MRT_DAMAGED);
	assert_non_null(strstr(mrt.error, "64 MiB"));
	close_file();

	file.len -= 4;
	put_be(&file, CAPTURE_MRT_MAX_RECORD, 4);
	open_file();
	assert_int_equal(capture_mrt_next(&mrt, &record), CAPTURE_MRT_DAMAGED);
	assert_true(mrt.size < 1024 * 1024);
	close_file();
}

static void test_large_records_are_whole(void **state)
{
	size_t start;

	(void)state;
	file.len = 0;
	start = begin(16, 4);
	for (int i = 0; i < 200000; i++)
		put_be(&file, (uint64_t)i, 4);
	end(start);
	open_file();
	next_record();
	assert_int_equal(record.body.len, 800000);
	assert_int_equal(wire_get_u32(record.body.p + 4 * 199999), 199999);
	close_file();
}

/* A message or state record of @subtype with two addresses. */
static void put_bgp4mp(uint16_t subtype, uint8_t width, uint16_t afi)
{
	size_t start = begin(16, subtype);

	put_be(&file, 65001, width);
	put_be(&file, 65002, width);
	put_be(&file, 7, 2);
	put_be(&file, afi, 2);
	for (int i = 1; i <= 2; i++) {
		put_zeros(&file, afi == 2 ? 12 : 0);
		put_be(&file, 0xc0000200u + (unsigned)i, 4);
	}
	put_be(&file, 0x00060001, 4);
	end(start);
}

static void test_message_subtypes(void **state)
{
	static const struct {
		uint16_t subtype;
		uint8_t width;
		bool is_state, local, add_path;
	} cases[] = {
		{ 0, 2, true, false, false },  { 1, 2, false, false, false },
		{ 4, 4, false, false, false }, { 5, 4, true, false, false },
		{ 6, 2, false, true, false },  { 7, 4, false, true, false },
		{ 8, 2, false, false, true },  { 9, 4, false, false, true },
		{ 10, 2, false, true, true },  { 11, 4, false, true, true },
	};
	struct capture_mrt_message m;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		file.len = 0;
		put_bgp4mp(cases[i].subtype, cases[i].width, 1);
		open_file();
		next_record();
		CHECK(capture_mrt_message_decode(&record, &m) == CAPTURE_MRT_OK,
		      "subtype %u", cases[i].subtype);
		CHECK(m.peer_as == 65001 && m.local_as == 65002 &&
			      m.as_width == cases[i].width &&
			      m.is_state_change == cases[i].is_state &&
			      m.local == cases[i].local &&
			      m.add_path == cases[i].add_path,
		      "subtype %u", cases[i].subtype);
		assert_int_equal(m.peer_address[15], 1);
		assert_int_equal(m.peer_address[11], 0xff);
		assert_int_equal(m.local_address[15], 2);
		assert_int_equal(m.pdu.len, cases[i].is_state ? 0 : 4);
		if (cases[i].is_state) {
			assert_int_equal(m.old_state, 6);
			assert_int_equal(m.new_state, 1);
		}
		close_file();
	}
}

static void test_messages_that_make_no_sense(void **state)
{
	struct capture_mrt_message m;

	(void)state;
	for (uint16_t subtype = 2; subtype < 30; subtype++) {
		if (subtype >= 4 && subtype <= 11)
			continue;
		file.len = 0;
		put_bgp4mp(subtype, 2, 1);
		open_file();
		next_record();
		assert_int_equal(capture_mrt_message_decode(&record, &m),
				 CAPTURE_MRT_UNSUPPORTED);
		close_file();
	}
	file.len = 0;
	put_bgp4mp(1, 2, 3);
	open_file();
	next_record();
	assert_int_equal(capture_mrt_message_decode(&record, &m),
			 CAPTURE_MRT_BAD_AFI);
	record.body.len = 9;
	record.subtype = 4;
	assert_int_equal(capture_mrt_message_decode(&record, &m),
			 CAPTURE_MRT_SHORT);
	close_file();
}

static struct capture_mrt_peers peers;
static struct capture_mrt_rib rib;
static struct capture_mrt_entry entry;
static enum capture_mrt_verdict verdict;

/* Read the peer table, then the record after it. */
static enum capture_mrt_verdict read_rib(void)
{
	open_file();
	next_record();
	assert_true(capture_mrt_is_peers(&record));
	assert_int_equal(capture_mrt_peers_decode(&peers, &record),
			 CAPTURE_MRT_OK);
	next_record();
	return capture_mrt_rib_decode(&record, &peers, &rib);
}

static void close_rib(void)
{
	capture_mrt_peers_fini(&peers);
	close_file();
}

static void expect_entry(uint32_t as, uint32_t path_id)
{
	assert_true(capture_mrt_rib_next(&rib, &entry, &verdict));
	assert_int_equal(verdict, CAPTURE_MRT_OK);
	assert_int_equal(entry.peer->as, as);
	assert_int_equal(entry.originated, 1600000000);
	assert_int_equal(entry.has_path_id, path_id != 0);
	assert_int_equal(entry.path_id, path_id);
	assert_int_equal(entry.attributes.len, sizeof(attributes));
}

static void expect_no_entry(void)
{
	assert_false(capture_mrt_rib_next(&rib, &entry, &verdict));
}

static void expect_nlri(const void *bytes, size_t len)
{
	assert_int_equal(rib.nlri.len, len);
	assert_memory_equal(rib.nlri.p, bytes, len);
}

static void test_rib_with_two_peers(void **state)
{
	size_t start;

	(void)state;
	file.len = 0;
	put_peer_table();
	start = begin(13, 2);
	put_be(&file, 1, 4);
	put(&file, "\x18\xc6\x33\x64", 4);
	put_be(&file, 2, 2);
	put_entry(0, 0);
	put_entry(1, 0);
	end(start);
	assert_int_equal(read_rib(), CAPTURE_MRT_OK);
	assert_int_equal(rib.afi, 1);
	assert_int_equal(rib.safi, 1);
	assert_int_equal(rib.as_width, 4);
	expect_nlri("\x18\xc6\x33\x64", 4);
	expect_entry(65001, 0);
	assert_false(entry.peer->ipv6);
	expect_entry(4200000001, 0);
	assert_true(entry.peer->ipv6);
	assert_int_equal(entry.peer->address[15], 2);
	expect_no_entry();
	close_rib();
}

static void test_rib_families(void **state)
{
	static const struct {
		uint16_t subtype, afi;
		uint8_t safi;
		bool add_path;
	} cases[] = {
		{ 2, 1, 1, false }, { 3, 1, 2, false }, { 4, 2, 1, false },
		{ 5, 2, 2, false }, { 8, 1, 1, true },	{ 9, 1, 2, true },
		{ 10, 2, 1, true }, { 11, 2, 2, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t path_id = cases[i].add_path ? 77 : 0;
		size_t start;

		file.len = 0;
		put_peer_table();
		start = begin(13, cases[i].subtype);
		put_be(&file, 1, 4);
		put(&file, "\x08\x0a", 2);
		put_be(&file, 1, 2);
		put_entry(1, path_id);
		end(start);
		assert_int_equal(read_rib(), CAPTURE_MRT_OK);
		assert_int_equal(rib.afi, cases[i].afi);
		assert_int_equal(rib.safi, cases[i].safi);
		expect_nlri("\x08\x0a", 2);
		expect_entry(4200000001, path_id);
		expect_no_entry();
		close_rib();
	}
}

/* A VPN route: its NLRI ends where its own length says. */
static void put_generic(uint16_t subtype, uint32_t nlri_path_id,
			uint32_t entry_path_id)
{
	size_t start = begin(13, subtype);

	put_be(&file, 1, 4);
	put_be(&file, 1, 2);
	put_be(&file, 128, 1);
	if (nlri_path_id != 0)
		put_be(&file, nlri_path_id, 4);
	put(&file, "\x60\x00\x01\x01\0\0\xfd\xe8\0\0\0\1\x0a", 13);
	put_be(&file, 1, 2);
	put_entry(0, entry_path_id);
	end(start);
}

static void test_rib_generic(void **state)
{
	static const char nlri[] = "\x60\x00\x01\x01\0\0\xfd\xe8\0\0\0\1\x0a";
	static const struct {
		uint16_t subtype;
		uint32_t in_nlri, in_entry;
	} cases[] = {
		{ 6, 0, 0 },
		{ 12, 0, 5 },	       /* as GoBGP and OpenBGPD write it */
		{ 12, 9, 0 },	       /* as RFC 8050 has it */
		{ 12, 0x60000101, 0 }, /* which also looks like a route */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		file.len = 0;
		put_peer_table();
		put_generic(cases[i].subtype, cases[i].in_nlri,
			    cases[i].in_entry);
		assert_int_equal(read_rib(), CAPTURE_MRT_OK);
		assert_int_equal(rib.safi, 128);
		expect_nlri(nlri, 13);
		expect_entry(65001, cases[i].in_nlri + cases[i].in_entry);
		expect_no_entry();
		close_rib();
	}
}

static void test_ribs_that_make_no_sense(void **state)
{
	struct capture_mrt_peers none = { 0 };
	size_t start;

	(void)state;
	file.len = 0;
	put_peer_table();
	start = begin(13, 2);
	put_be(&file, 1, 4);
	put(&file, "\x21\1\2\3\4\5", 6); /* 33 bits of IPv4 */
	end(start);
	assert_int_equal(read_rib(), CAPTURE_MRT_BAD_NLRI);
	assert_int_equal(capture_mrt_rib_decode(&record, &none, &rib),
			 CAPTURE_MRT_NO_PEERS);
	record.subtype = 7;
	assert_int_equal(capture_mrt_rib_decode(&record, &peers, &rib),
			 CAPTURE_MRT_UNSUPPORTED);
	close_rib();

	file.len = 0;
	put_peer_table();
	start = begin(13, 2);
	put_be(&file, 1, 4);
	put(&file, "\x08\x0a", 2);
	put_be(&file, 3, 2);
	put_entry(2, 0); /* there is no peer 2 */
	put_entry(0, 0);
	end(start); /* and no third entry */
	assert_int_equal(read_rib(), CAPTURE_MRT_OK);
	assert_true(capture_mrt_rib_next(&rib, &entry, &verdict));
	assert_int_equal(verdict, CAPTURE_MRT_BAD_PEER);
	assert_null(entry.peer);
	expect_entry(65001, 0);
	assert_true(capture_mrt_rib_next(&rib, &entry, &verdict));
	assert_int_equal(verdict, CAPTURE_MRT_SHORT);
	expect_no_entry();
	close_rib();
}

static void test_a_cut_peer_table_keeps_what_it_has(void **state)
{
	(void)state;
	file.len = 0;
	put_peer_table();
	open_file();
	next_record();
	record.body.len -= 1;
	assert_int_equal(capture_mrt_peers_decode(&peers, &record),
			 CAPTURE_MRT_SHORT);
	assert_int_equal(peers.count, 1);
	assert_int_equal(peers.peers[0].as, 65001);
	close_rib();
}

static void test_table_dump(void **state)
{
	size_t start;

	(void)state;
	file.len = 0;
	start = begin(12, 1);
	put_be(&file, 0, 2);
	put_be(&file, 1, 2);
	put_be(&file, 0xc6336400, 4);
	put_be(&file, 23, 1);
	put_be(&file, 1, 1);
	put_be(&file, 1600000000, 4);
	put_be(&file, 0xc0000201, 4);
	put_be(&file, 65001, 2);
	put_be(&file, sizeof(attributes), 2);
	put(&file, attributes, sizeof(attributes));
	end(start);
	open_file();
	next_record();
	assert_int_equal(capture_mrt_rib_decode(&record, &peers, &rib),
			 CAPTURE_MRT_OK);
	assert_int_equal(rib.as_width, 2);
	assert_false(rib.is_v2);
	expect_nlri("\x17\xc6\x33\x64", 4);
	expect_entry(65001, 0);
	assert_int_equal(entry.peer->address[15], 1);
	expect_no_entry();

	((uint8_t *)record.body.p)[8] = 33;
	assert_int_equal(capture_mrt_rib_decode(&record, &peers, &rib),
			 CAPTURE_MRT_BAD_PREFIX);
	close_rib();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_are_cut),
		cmocka_unit_test(test_every_cut_is_named),
		cmocka_unit_test(test_huge_records_are_refused),
		cmocka_unit_test(test_large_records_are_whole),
		cmocka_unit_test(test_message_subtypes),
		cmocka_unit_test(test_messages_that_make_no_sense),
		cmocka_unit_test(test_rib_with_two_peers),
		cmocka_unit_test(test_rib_families),
		cmocka_unit_test(test_rib_generic),
		cmocka_unit_test(test_ribs_that_make_no_sense),
		cmocka_unit_test(test_a_cut_peer_table_keeps_what_it_has),
		cmocka_unit_test(test_table_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
