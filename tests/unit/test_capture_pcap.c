#include "check.h"

#include "capture/pcap.h"
#include "packets.h"

#include <stdio.h>

#define MESSAGES 40

static struct packets file;

/* What a router sends: messages of growing length, each with its number. */
static uint8_t sent[64 * 1024];
static size_t sent_len;
static size_t starts[MESSAGES + 1];

/* What was read, as one line: "open1 1:0 1:1 ... close1". */
static char story[64 * 1024];

static struct flow a = { 1, 9, 40001, 11019, 1000, 0 };
static struct flow b = { 2, 9, 40002, 11019, 0xffffff00u, 1 };

/* An Initiation, then Statistics Reports whose count is their number. */
static void make_messages(void)
{
	struct packets m = { .len = 0 };

	for (uint32_t i = 0; i < MESSAGES; i++) {
		starts[i] = m.len;
		put_be(&m, 3, 1);
		put_be(&m, i == 0 ? 10 : 52 + i * 3, 4);
		put_be(&m, i == 0 ? 4 : 1, 1);
		if (i > 0)
			put_zeros(&m, 42);
		put_be(&m, i, 4);
		put_zeros(&m, i * 3);
	}
	starts[MESSAGES] = m.len;
	sent_len = m.len;
	memcpy(sent, m.p, m.len);
}

/* Bytes of messages @first to @last, the last not included. */
static void send_messages(const struct flow *flow, size_t first, size_t last)
{
	packet(&file, flow, (uint32_t)starts[first], TCP_ACK,
	       sent + starts[first], starts[last] - starts[first]);
}

static void tell(const char *what, unsigned session, uint64_t n)
{
	size_t len = strlen(story);

	snprintf(story + len, sizeof(story) - len, "%s%s%u:%llu",
		 len > 0 ? " " : "", what, session, (unsigned long long)n);
}

static void tell_event(const struct capture_session *session,
		       const struct capture_session_event *event)
{
	const struct bmp_frame *frame = &event->frame;
	size_t number_at = frame->type == 4 ? 0 : 42;

	switch (event->kind) {
	case CAPTURE_SESSION_OPEN:
		tell("open", session->number, session->mid_session);
		break;
	case CAPTURE_SESSION_FRAME:
		tell("", session->number,
		     wire_get_u32(frame->body.p + number_at));
		break;
	case CAPTURE_SESSION_GAP:
		tell("gap", session->number, event->missing);
		break;
	case CAPTURE_SESSION_LOST:
		tell("lost", session->number, event->skipped);
		break;
	case CAPTURE_SESSION_CLOSE:
		tell("close", session->number, event->end);
		break;
	}
}

static enum capture_pcap_status read_file(void)
{
	struct capture_session_event event;
	enum capture_pcap_status status;
	struct capture_session *session;
	struct capture_source *source;
	struct capture_pcap *pcap;

	story[0] = '\0';
	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ file.p, file.len },
				 &source),
			 0);
	assert_int_equal(capture_pcap_new(source, &pcap), 0);
	while ((status = capture_pcap_next(pcap, &session, &event)) ==
	       CAPTURE_PCAP_EVENT)
		tell_event(session, &event);
	if (status == CAPTURE_PCAP_DAMAGED)
		assert_int_not_equal(capture_pcap_error(pcap)[0], '\0');
	capture_pcap_free(pcap);
	capture_source_close(source);
	return status;
}

static void expect(const char *want)
{
	assert_int_equal(read_file(), CAPTURE_PCAP_END);
	assert_string_equal(story, want);
}

static void test_a_session_from_syn_to_fin(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 3);
	packet(&file, &a, (uint32_t)starts[3], TCP_FIN | TCP_ACK, NULL, 0);
	expect("open1:0 1:0 1:1 1:2 close1:1");
}

static void test_messages_cut_into_single_bytes(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	for (size_t i = 0; i < starts[3]; i++)
		packet(&file, &a, (uint32_t)i, TCP_ACK, sent + i, 1);
	expect("open1:0 1:0 1:1 1:2 close1:0");
}

static void test_reorder_and_retransmits(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 2, 4);
	send_messages(&a, 0, 1);
	send_messages(&a, 0, 1);
	send_messages(&a, 1, 3);
	send_messages(&a, 1, 2);
	expect("open1:0 1:0 1:1 1:2 1:3 close1:0");
}

static void test_sessions_are_kept_apart(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	packet_syn(&file, &b);
	send_messages(&b, 0, 1);
	send_messages(&a, 0, 2);
	send_messages(&b, 2, 3); /* waits for message 1 */
	send_messages(&a, 2, 3);
	packet(&file, &a, (uint32_t)starts[3], TCP_RST, NULL, 0);
	send_messages(&b, 1, 2);
	expect("open1:0 1:0 open2:0 2:0 2:1 2:2 close2:2 1:1 1:2 close1:0");
}

static void test_both_sides_of_the_sequence_wrap(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &b);
	assert_true(starts[6] > 0x100);
	send_messages(&b, 0, 3);
	send_messages(&b, 6, 8);
	send_messages(&b, 3, 6);
	expect("open1:0 1:0 1:1 1:2 1:3 1:4 1:5 1:6 1:7 close1:0");
}

static void test_other_traffic_is_left_aside(void **state)
{
	static const char http[] = "GET / HTTP/1.1\r\n\r\n";
	/* ISO transport on TCP (RFC 1006) also begins with 3, 0. */
	static const uint8_t tpkt[] = { 3, 0, 0, 19, 14, 0xe0, 0, 0 };

	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	packet(&file, &a, 0, TCP_ACK, http, sizeof(http));
	packet(&file, &a, sizeof(http), TCP_ACK, http, sizeof(http));
	packet_syn(&file, &b);
	packet(&file, &b, 0, TCP_ACK, tpkt, sizeof(tpkt));
	expect("");
}

static void test_a_gap_is_named_and_reading_goes_on(void **state)
{
	char want[64];

	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 2);
	/* Message 2 is lost, and so is the start of message 3. */
	packet(&file, &a, (uint32_t)starts[3] + 10, TCP_ACK,
	       sent + starts[3] + 10, starts[4] - starts[3] - 10);
	send_messages(&a, 4, 6);
	snprintf(want, sizeof(want),
		 "open1:0 1:0 1:1 gap1:%zu 1:4 1:5 close1:0",
		 starts[3] + 10 - starts[2]);
	expect(want);
}

static void test_a_capture_that_begins_in_the_middle(void **state)
{
	(void)state;
	packets_start(&file, 1);
	/* The end of message 4, then whole ones. */
	packet(&file, &a, (uint32_t)starts[4] + 7, TCP_ACK,
	       sent + starts[4] + 7, starts[5] - starts[4] - 7);
	send_messages(&a, 5, 7);
	send_messages(&a, 7, 8);
	expect("open1:1 1:5 1:6 1:7 close1:0");
}

static void test_the_same_ports_begin_anew(void **state)
{
	struct flow again = a;

	(void)state;
	again.base = a.base + 100000;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 2);
	packet_syn(&file, &again);
	packet_syn(&file, &again); /* repeated, not a third session */
	send_messages(&again, 0, 2);
	expect("open1:0 1:0 1:1 close1:3 open2:0 2:0 2:1 close2:0");
}

static void test_a_syn_that_was_never_answered(void **state)
{
	struct flow again = a;

	(void)state;
	again.base = a.base - 77777;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	packet_syn(&file, &again);
	send_messages(&again, 0, 2);
	expect("open1:0 1:0 1:1 close1:0");
}

/* RFC 9293 3.4: the SYN takes a number of its own before its data. */
static void test_data_on_the_syn(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet(&file, &a, UINT32_MAX, TCP_SYN, sent, starts[2]);
	packet(&file, &a, (uint32_t)starts[2] - 1, TCP_ACK, "", 1);
	send_messages(&a, 2, 4);
	expect("open1:0 1:0 1:1 1:2 1:3 close1:0");
}

/* What scapy writes: the data goes on as if the SYN took no number. */
static void test_data_on_a_syn_that_is_not_counted(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet(&file, &a, UINT32_MAX, TCP_SYN, sent, starts[2]);
	packet(&file, &a, (uint32_t)starts[3] - 1, TCP_ACK, sent + starts[3],
	       starts[5] - starts[3]);
	packet(&file, &a, (uint32_t)starts[2] - 1, TCP_ACK, sent + starts[2],
	       starts[3] - starts[2]);
	packet(&file, &a, (uint32_t)starts[5] - 1, TCP_FIN | TCP_ACK, NULL, 0);
	expect("open1:0 1:0 1:1 1:2 1:3 1:4 close1:1");
	packets_start(&file, 1);
	packet(&file, &a, UINT32_MAX, TCP_SYN, sent, starts[2]);
	packet(&file, &a, (uint32_t)starts[2] - 1, TCP_FIN | TCP_ACK, NULL, 0);
	expect("open1:0 1:0 1:1 close1:1");
}

/* A capture may hold a late copy of the SYN: not another session. */
static void test_a_late_copy_of_the_syn(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 2);
	packet_syn(&file, &a);
	send_messages(&a, 2, 3);
	expect("open1:0 1:0 1:1 1:2 close1:0");
}

/* After a gap, the rest of a segment that overlaps another is not trusted. */
static void test_only_the_start_of_a_segment_is_a_place_to_go_on(void **state)
{
	uint32_t middle = (uint32_t)(starts[4] + starts[5]) / 2;

	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 1);
	/* Lost until the middle of message 4, whose end comes twice. */
	packet(&file, &a, middle, TCP_ACK, sent + middle, starts[5] - middle);
	packet(&file, &a, middle + 1, TCP_ACK, sent + middle + 1,
	       starts[6] - middle - 1);
	send_messages(&a, 6, 7);
	assert_int_equal(read_file(), CAPTURE_PCAP_END);
	assert_non_null(strstr(story, " 1:6 close1:0"));
	assert_null(strstr(story, " 1:5"));
}

static void test_reading_goes_on_after_lost_framing(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 1);
	packet(&file, &a, (uint32_t)starts[1], TCP_ACK, "\3\0\0\0\0\0", 6);
	packet(&file, &a, (uint32_t)starts[1] + 6, TCP_ACK, sent + starts[5],
	       starts[7] - starts[5]);
	expect("open1:0 1:0 lost1:6 1:5 1:6 close1:0");
}

static void test_lost_framing_is_named(void **state)
{
	static const uint8_t zeros[8];

	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 2);
	/* A router that sends a message of length 0 (BIRD did). */
	packet(&file, &a, (uint32_t)starts[2], TCP_ACK, "\3\0\0\0\0\0", 6);
	packet(&file, &a, (uint32_t)starts[2] + 6, TCP_ACK, zeros, 8);
	expect("open1:0 1:0 1:1 lost1:14 close1:0");
}

static void test_an_incomplete_last_message_is_named(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	packet(&file, &a, 0, TCP_ACK, sent, starts[1] + 9);
	expect("open1:0 1:0 lost1:9 close1:0");
}

static void test_a_retransmit_after_the_fin(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 1);
	packet(&file, &a, (uint32_t)starts[2], TCP_FIN | TCP_ACK,
	       sent + starts[2], starts[3] - starts[2]);
	send_messages(&a, 1, 2);
	expect("open1:0 1:0 1:1 1:2 close1:1");
}

static void test_a_file_cut_in_the_middle_of_a_packet(void **state)
{
	(void)state;
	packets_start(&file, 1);
	packet_syn(&file, &a);
	send_messages(&a, 0, 2);
	send_messages(&a, 2, 3);
	file.len -= 5;
	assert_int_equal(read_file(), CAPTURE_PCAP_DAMAGED);
	assert_string_equal(story, "open1:0 1:0 1:1 close1:0");
}

static void test_a_file_that_is_only_a_magic(void **state)
{
	(void)state;
	packets_start(&file, 1);
	file.len = 12;
	assert_int_equal(read_file(), CAPTURE_PCAP_DAMAGED);
	assert_string_equal(story, "");
}

static void test_thousands_of_sessions(void **state)
{
	struct flow flow = a;

	(void)state;
	packets_start(&file, 1);
	for (uint16_t port = 1; port <= 3000; port++) {
		flow.from_port = port;
		packet_syn(&file, &flow);
	}
	for (uint16_t port = 1; port <= 3000; port++) {
		flow.from_port = port;
		send_messages(&flow, 0, 1);
	}
	assert_int_equal(read_file(), CAPTURE_PCAP_END);
	assert_non_null(strstr(story, "open3000:0 3000:0 close1:0 close2:0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_session_from_syn_to_fin),
		cmocka_unit_test(test_messages_cut_into_single_bytes),
		cmocka_unit_test(test_reorder_and_retransmits),
		cmocka_unit_test(test_sessions_are_kept_apart),
		cmocka_unit_test(test_both_sides_of_the_sequence_wrap),
		cmocka_unit_test(test_other_traffic_is_left_aside),
		cmocka_unit_test(test_a_gap_is_named_and_reading_goes_on),
		cmocka_unit_test(test_a_capture_that_begins_in_the_middle),
		cmocka_unit_test(test_the_same_ports_begin_anew),
		cmocka_unit_test(test_a_syn_that_was_never_answered),
		cmocka_unit_test(test_data_on_the_syn),
		cmocka_unit_test(test_data_on_a_syn_that_is_not_counted),
		cmocka_unit_test(test_a_late_copy_of_the_syn),
		cmocka_unit_test(
			test_only_the_start_of_a_segment_is_a_place_to_go_on),
		cmocka_unit_test(test_reading_goes_on_after_lost_framing),
		cmocka_unit_test(test_lost_framing_is_named),
		cmocka_unit_test(test_an_incomplete_last_message_is_named),
		cmocka_unit_test(test_a_retransmit_after_the_fin),
		cmocka_unit_test(test_a_file_cut_in_the_middle_of_a_packet),
		cmocka_unit_test(test_a_file_that_is_only_a_magic),
		cmocka_unit_test(test_thousands_of_sessions),
	};

	make_messages();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
