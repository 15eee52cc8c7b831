#include "curation.h"

#include "collector/router/session_stats.h"
#include "collector/router/stats_report.h"
#include "rib/read.h"

/* A router with one peer of one route; the notes are those of its router. */
struct scene {
	struct stage stage;
	struct stage_peer header;
	struct rib_peer *peer;
	struct router_stats router;
};

static struct scene scene;

/* What the peer's slot keeps of it, made if need be. */
static struct peer_stats *stats(void)
{
	return peer_stats_get(rib_peer_slot(scene.peer), &scene.router);
}

static int start(void **state)
{
	(void)state;
	memset(&scene, 0, sizeof(scene));
	scene.header = stage_peer("192.0.2.1", 64500);
	stage_start(&scene.stage, NULL);
	stage_up(&scene.stage, &scene.header);
	stage_announce(&scene.stage, &scene.header, "198.51.100.0/24", 1);
	scene.peer = rib_router_peer(scene.stage.router, &scene.header.header);
	return scene.peer == NULL || stats() == NULL;
}

static int end(void **state)
{
	(void)state;
	peer_stats_free(stats());
	*rib_peer_slot(scene.peer) = NULL;
	stage_end(&scene.stage);
	return 0;
}

static bool read_report(const struct bmp_stat *counters, size_t n,
			struct stats_report *out)
{
	static uint8_t buf[32768];
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_frame frame;
	struct bmp_message msg;
	size_t need;

	bmp_write_statistics(&w, &scene.header.header, counters, n);
	assert_int_equal(bmp_frame_next((struct wire_view){ w.p, w.len },
					BMP_MAX_FRAME_DEFAULT, &frame, &need),
			 BMP_FRAME_WHOLE);
	assert_int_equal(bmp_message_decode(&frame, BMP_V4_OFF, &msg), BMP_OK);
	return stats_report_read(&msg, scene.peer, 1, out);
}

/* The router says that the peer has so many. False: nobody takes that up. */
static bool report(uint64_t routes)
{
	struct bmp_stat stat = { .type = STATS_REPORT_ADJ_RIB_IN,
				 .kind = BMP_STAT_GAUGE64,
				 .value = routes };
	struct stats_report r;

	if (!read_report(&stat, 1, &r))
		return false;
	peer_stats_report(stats(), &r);
	return true;
}

static void expect(uint32_t reporting, int64_t difference)
{
	assert_int_equal(scene.router.reporting, reporting);
	assert_int_equal(scene.router.difference, difference);
	assert_int_equal(stats()->reported != NULL, reporting != 0);
}

static void test_the_last_report_of_a_peer_counts(void **state)
{
	(void)state;
	expect(0, 0);
	assert_true(report(5));
	expect(1, -4);
	assert_true(report(1));
	expect(1, 0);
}

/* Whatever a router says, nothing overflows, and it is taken back whole. */
static void test_a_report_of_any_number(void **state)
{
	static const uint64_t numbers[] = { UINT64_MAX, UINT64_C(1) << 63,
					    INT64_MAX,
					    (UINT64_C(1) << 63) + 2 };

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		assert_true(report(numbers[i]));
		expect(1, -(INT64_C(1) << 40));
	}
	assert_true(report(1));
	expect(1, 0);
}

/* Its rows are summed up, and then those of its peers. */
static void test_sums_of_reports_stay_in_bounds(void **state)
{
	struct stats_report r = { .count = STATS_REPORT_ROWS };

	(void)state;
	for (uint32_t i = 0; i < r.count; i++)
		r.rows[i] = (struct stats_report_row){
			.type = STATS_REPORT_ADJ_RIB_IN_FAMILY,
			.value = UINT64_C(1) << 63,
		};
	assert_true(stats_report_difference(&r) ==
		    -(INT64_C(1) << 40) * STATS_REPORT_ROWS);
	for (uint32_t i = 0; i < r.count; i++)
		r.rows[i] = (struct stats_report_row){
			.type = STATS_REPORT_ADJ_RIB_IN_FAMILY,
			.ours = UINT64_MAX,
		};
	assert_true(stats_report_difference(&r) ==
		    (INT64_C(1) << 40) * STATS_REPORT_ROWS);
}

/* Each is looked for among all tables of the peer. */
static void test_only_the_first_counters_are_compared(void **state)
{
	static struct bmp_stat counters[1000];
	struct stats_report r;

	(void)state;
	for (size_t i = 0; i < COUNT(counters); i++)
		counters[i] = (struct bmp_stat){
			.type = STATS_REPORT_ADJ_RIB_IN_FAMILY,
			.kind = BMP_STAT_FAMILY_GAUGE64,
			.afi = (uint16_t)(1000 + i),
			.safi = 1,
			.value = 7,
		};
	assert_false(read_report(counters, COUNT(counters), &r));
	assert_int_equal(r.left_out, COUNT(counters) - STATS_REPORT_LOOKS);
	/* One that is compared, each time anew. */
	for (size_t i = 0; i < COUNT(counters); i++)
		counters[i].afi = 1;
	assert_true(read_report(counters, COUNT(counters), &r));
	assert_int_equal(r.count, STATS_REPORT_ROWS);
	assert_int_equal(r.left_out, COUNT(counters) - STATS_REPORT_ROWS);
}

/* It went down in the middle of its dump, and will not report again. */
static void test_a_peer_that_goes_down_takes_its_report_along(void **state)
{
	struct rib_event down = { .kind = RIB_EVENT_PEER_DOWN,
				  .received_ns = 7,
				  .reason = BMP_DOWN_REMOTE };

	(void)state;
	assert_true(report(5));
	stage_down(&scene.stage, &scene.header, BMP_DOWN_REMOTE);
	peer_stats_add_event(stats(), &down);
	expect(0, 0);
	assert_int_equal(stats()->downs, 1);
	/* Nor does a report that was late. */
	assert_false(report(5));
	expect(0, 0);
}

static void test_a_session_that_ends_takes_all_reports_along(void **state)
{
	(void)state;
	assert_true(report(5));
	rib_session_close(scene.stage.router, &scene.stage.when, 0, NULL);
	router_stats_forget_reports(scene.stage.router);
	expect(0, 0);
	/* Its routes are held, but who would report them is gone. */
	assert_false(report(5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_report_of_any_number,
						start, end),
		cmocka_unit_test(test_sums_of_reports_stay_in_bounds),
		cmocka_unit_test_setup_teardown(
			test_only_the_first_counters_are_compared, start, end),
		cmocka_unit_test_setup_teardown(
			test_the_last_report_of_a_peer_counts, start, end),
		cmocka_unit_test_setup_teardown(
			test_a_peer_that_goes_down_takes_its_report_along,
			start, end),
		cmocka_unit_test_setup_teardown(
			test_a_session_that_ends_takes_all_reports_along, start,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
