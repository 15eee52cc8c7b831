/* Texts that others read: JSON, metrics, what happened. */
#include "check.h"

#include "collector/router/event_ring.h"
#include "collector/router/event_history.h"
#include "collector/base/close_reason.h"
#include "collector/base/json.h"
#include "collector/base/json_bgp.h"
#include "collector/telemetry/metrics.h"
#include "egress/publisher/publisher.h"
#include "collector/telemetry/status_json.h"

#include <math.h>
#include <string.h>

static void expect(struct json *j, const char *want)
{
	assert_false(j->failed);
	assert_int_equal(j->len, strlen(want));
	assert_memory_equal(j->bytes, want, j->len);
	json_fini(j);
}

static void test_json_values(void **state)
{
	struct json j = { 0 };

	(void)state;
	json_object(&j);
	json_int_at(&j, "low", INT64_MIN);
	json_int_at(&j, "high", INT64_MAX);
	json_uint_at(&j, "most", UINT64_MAX);
	json_number_at(&j, "half", 0.5);
	json_number_at(&j, "none", NAN);
	json_time_at(&j, "at", UINT64_C(1794887059862999999));
	json_time_at(&j, "never", 0);
	json_string_at(&j, "nobody", NULL);
	json_string_at(&j, "text", "a\"b\\c\n\xff");
	/* U+009B is what ESC [ is; U+202E turns the rest of the line round. */
	json_string_at(&j, "unsafe", "\xc2\x9b\xe2\x80\xae\x7f\xc3\xa4");
	json_bool_at(&j, "yes", true);
	json_end_object(&j);
	expect(&j, "{\"low\":-9223372036854775808,"
		   "\"high\":9223372036854775807,"
		   "\"most\":18446744073709551615,\"half\":0.5,\"none\":0,"
		   "\"at\":\"2026-11-17T03:44:19.862Z\",\"never\":null,"
		   "\"nobody\":null,\"text\":\"a\\\"b\\\\c\\u000a\\ufffd\","
		   "\"unsafe\":\"\\u009b\\u202e\\u007f\xc3\xa4\","
		   "\"yes\":true}");
}

static void put_peer(struct json *j, uint8_t type, const uint8_t *address)
{
	json_object(j);
	json_bgp_peer(j, &(struct json_bgp_peer){ .address = address,
						  .as = 64500,
						  .type = type });
	json_end_object(j);
}

static void test_json_has_one_form_for_peers(void **state)
{
	static const uint8_t none[16];
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
	struct json j = { 0 };

	(void)state;
	put_peer(&j, BMP_PEER_LOC_RIB, none);
	expect(&j, "{\"peerAddr\":\"::\",\"peerAsn\":64500,"
		   "\"peerBgpId\":\"0.0.0.0\",\"peerType\":\"loc-rib\"}");
	put_peer(&j, 200, mapped);
	expect(&j, "{\"peerAddr\":\"192.0.2.1\",\"peerAsn\":64500,"
		   "\"peerBgpId\":\"0.0.0.0\",\"peerType\":200}");
}

static void test_json_shows_reasons_without_a_name_as_numbers(void **state)
{
	struct json j = { 0 };

	(void)state;
	json_object(&j);
	event_history_reason(&j, RIB_EVENT_PEER_DOWN, 77);
	event_history_reason(&j, RIB_EVENT_SESSION_CLOSE, CLOSE_IDLE);
	event_history_reason(&j, RIB_EVENT_SESSION_CLOSE, 999);
	event_history_reason(&j, RIB_EVENT_STALE, 1);
	json_bgp_segment_type(&j, BGP_AS_CONFED_SET);
	json_bgp_segment_type(&j, 9);
	json_end_object(&j);
	/* One after the other here; an object of ours has one of them. */
	expect(&j, "{\"reason\":77,\"reason\":\"idle_timeout\","
		   "\"reason\":999,\"type\":\"confedSet\",\"type\":9}");
}

static void test_json_splices_what_failed(void **state)
{
	struct json j = { 0 }, part = { .failed = true };

	(void)state;
	json_array(&j);
	json_splice(&j, &part);
	assert_true(j.failed);
	/* From then on nothing is written: half a text is of no use. */
	json_uint(&j, 1);
	assert_int_equal(j.len, 1);
	json_reset(&j);
	assert_false(j.failed);
	json_fini(&j);
}

static void test_metrics_text(void **state)
{
	struct metrics_labels labels = { .len = 0 };
	struct json j = { 0 };

	(void)state;
	metrics_label_uint(&labels, "worker", 3);
	metrics_label(&labels, "name", "a\\b\"c\nd");
	metrics_family(&j, "x_total", METRICS_COUNTER, "Help.");
	metrics_uint(&j, "x_total", &labels, UINT64_MAX);
	metrics_one(&j, "y", METRICS_GAUGE, 0.25, "More.");
	expect(&j, "# HELP x_total Help.\n# TYPE x_total counter\n"
		   "x_total{worker=\"3\",name=\"a\\\\b\\\"c\\nd\"} "
		   "18446744073709551615\n"
		   "# HELP y More.\n# TYPE y gauge\ny 0.25\n");
}

static void test_metrics_labels_are_cut_whole(void **state)
{
	struct metrics_labels labels = { .len = 0 };
	char value[2 * METRICS_LABELS_MAX];

	(void)state;
	memset(value, '"', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	metrics_label(&labels, "a", value);
	assert_true(labels.len < METRICS_LABELS_MAX);
	assert_int_equal(labels.text[labels.len], '\0');
	/* The quote that ends it is no part of an escape. */
	assert_memory_equal(labels.text + labels.len - 3, "\\\"\"", 3);
	metrics_label(&labels, "b", "left out");
	assert_null(strstr(labels.text, "left out"));
}

static void test_metrics_histogram(void **state)
{
	struct publisher_times times = { .sum_us = 1500000 };
	struct json j = { 0 };

	(void)state;
	times.of[0] = 1;
	times.of[10] = 2;
	times.of[PUBLISHER_LATENCIES - 1] = 4;
	metrics_times(&j, "t_seconds", &times, "Times.");
	json_raw(&j, "", 1); /* so that it can be searched */
	assert_non_null(strstr(j.bytes, "t_seconds_bucket{le=\"1e-06\"} 1\n"));
	assert_non_null(
		strstr(j.bytes, "t_seconds_bucket{le=\"0.000512\"} 1\n"));
	assert_non_null(
		strstr(j.bytes, "t_seconds_bucket{le=\"0.001024\"} 3\n"));
	assert_non_null(strstr(j.bytes, "t_seconds_bucket{le=\"+Inf\"} 7\n"));
	assert_non_null(strstr(j.bytes, "t_seconds_sum 1.5\n"));
	assert_non_null(strstr(j.bytes, "t_seconds_count 7\n"));
	json_fini(&j);
	assert_true(status_latency(&times, 0.4) == 0.001024);
	times = (struct publisher_times){ .sum_us = 0 };
	assert_true(status_latency(&times, 0.5) == 0);
}

static void test_event_history_keeps_the_last(void **state)
{
	struct rib_event e = { .kind = RIB_EVENT_SESSION_CLOSE,
			       .reason = CLOSE_OPERATOR };
	struct event_history d = { .count = 0 };
	struct json j = { 0 };

	(void)state;
	for (unsigned i = 1; i <= 100; i++) {
		e.received_ns = i * UINT64_C(1000000000);
		event_history_add(&d, &e);
	}
	event_history_json(&j, &d);
	json_raw(&j, "", 1);
	assert_null(strstr(j.bytes, "1970-01-01T00:01:24"));
	assert_non_null(
		strstr(j.bytes,
		       "\"history\":[{\"at\":\"1970-01-01T00:01:25.000Z\","
		       "\"kind\":\"sessionClose\",\"reason\":\"operator\"}"));
	assert_non_null(strstr(j.bytes, "1970-01-01T00:01:40"));
	json_fini(&j);
}

static void test_event_ring_counts_what_was_lost(void **state)
{
	static struct event_ring b;
	static struct event_ring_entry out[EVENT_RING_ENTRIES];
	struct rib_router_info router = { .name = "core.1" };
	struct rib_event e = { .kind = RIB_EVENT_RESYNC, .router = &router };
	uint64_t from = 0, lost;

	(void)state;
	for (unsigned i = 0; i < EVENT_RING_ENTRIES + 10; i++) {
		e.received_ns = i;
		event_ring_add(&b, &e);
	}
	e.kind = RIB_EVENT_STATISTICS;
	event_ring_add(&b, &e);
	assert_int_equal(event_ring_fetch(&b, &from, 4, out, &lost), 4);
	assert_int_equal(lost, 10);
	assert_int_equal(out[0].at_ns, 10);
	assert_string_equal(out[0].router, "id_core_2e1");
	assert_int_equal(event_ring_fetch(&b, &from, EVENT_RING_ENTRIES, out,
					  &lost),
			 EVENT_RING_ENTRIES - 4);
	assert_int_equal(lost, 0);
	assert_int_equal(out[0].at_ns, 14);
	assert_int_equal(event_ring_fetch(&b, &from, 1, out, &lost), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_json_has_one_form_for_peers),
		cmocka_unit_test(
			test_json_shows_reasons_without_a_name_as_numbers),
		cmocka_unit_test(test_json_splices_what_failed),
		cmocka_unit_test(test_metrics_text),
		cmocka_unit_test(test_metrics_labels_are_cut_whole),
		cmocka_unit_test(test_metrics_histogram),
		cmocka_unit_test(test_event_history_keeps_the_last),
		cmocka_unit_test(test_event_ring_counts_what_was_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
