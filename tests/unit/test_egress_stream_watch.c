/*
 * Which messages that are gone were removed by somebody, and which by a limit of
 * the stream.
 */
#include "check.h"

#include "egress/publisher/stream_watch.h"

#include <spargio/time.h>

#define MESSAGE 1000 /* bytes of the largest */
#define HOUR	(3600 * SP_S)
#define BEGAN	(1000 * HOUR)

struct row {
	const char *what;
	int64_t at; /* seconds since BEGAN */
	struct nats_stream_state state;
	enum stream_watch_result result;
};

static void look_at_rows(const struct row *rows, size_t count)
{
	struct stream_watch watch = { .known = false };

	for (size_t i = 0; i < count; i++) {
		struct stream_look look = {
			.state = rows[i].state,
			.asked_ns = BEGAN + rows[i].at * SP_S,
			.answered_ns = BEGAN + rows[i].at * SP_S + SP_MS,
			.began_ns = BEGAN,
			.max_message = MESSAGE,
		};

		if (stream_watch_look(&watch, &look) != rows[i].result)
			fail_msg("row %zu: %s", i, rows[i].what);
	}
}

#define STATE(first, last, ...)                                            \
	{                                                                  \
		.created_ns = 7, .first_seq = (first), .last_seq = (last), \
		.messages = (last) + 1 - (first),                          \
		.bytes = ((last) + 1 - (first)) * 100, __VA_ARGS__         \
	}
#define OK   STREAM_WATCH_UNCHANGED
#define GONE STREAM_WATCH_REMOVED

static void purges_without_limits(void **state)
{
	static const struct row rows[] = {
		{ "a new stream", 0, { .created_ns = 7 }, OK },
		{ "its first messages", 5, STATE(1, 10, .deleted = 0), OK },
		{ "more", 10, STATE(1, 50, .deleted = 0), OK },
		{ "purged", 15, STATE(51, 50, .deleted = 0), GONE },
		{ "once only", 20, STATE(51, 50, .deleted = 0), OK },
		{ "goes on", 25, STATE(51, 60, .deleted = 0), OK },
		{ "purged between two messages", 30,
		  STATE(65, 70, .deleted = 0), GONE },
		{ "some in the middle", 35, STATE(65, 80, .deleted = 2), GONE },
		{ "they stay so", 40, STATE(65, 90, .deleted = 2), OK },
		{ "another stream",
		  45,
		  { .created_ns = 8 },
		  STREAM_WATCH_REPLACED },
		{ "which begins",
		  50,
		  { .created_ns = 8, .first_seq = 1, .last_seq = 1 },
		  OK },
	};

	(void)state;
	look_at_rows(rows, COUNT(rows));
}

static void limits_of_count_and_size(void **state)
{
	static const struct row rows[] = {
		{ "not full", 0, STATE(1, 50, .max_msgs = 100), OK },
		{ "full", 5, STATE(11, 110, .max_msgs = 100), OK },
		{ "purged", 10, STATE(111, 110, .max_msgs = 100), GONE },
		{ "max_msgs lowered", 15, STATE(121, 130, .max_msgs = 10), OK },
		{ "max_bytes instead", 20, STATE(121, 180, .max_bytes = 10000),
		  OK },
		{ "full by bytes", 25, STATE(131, 225, .max_bytes = 10000),
		  OK },
		{ "nearly so, by a large message", 30,
		  STATE(141, 231, .max_bytes = 10000), OK },
		{ "less than a message can explain", 35,
		  STATE(200, 250, .max_bytes = 10000), GONE },
	};

	(void)state;
	look_at_rows(rows, COUNT(rows));
}

#define AGE(...) .max_age_ns = HOUR, __VA_ARGS__

static void limit_of_age(void **state)
{
	static const struct row rows[] = {
		/* The first message is half an hour older than the last. */
		{ "at the start", 0,
		  STATE(1, 100, AGE(.first_ns = HOUR, .last_ns = HOUR * 3 / 2)),
		  OK },
		{ "20 minutes later", 1200, STATE(1, 200, AGE(.deleted = 0)),
		  OK },
		{ "the first may be an hour old", 1900,
		  STATE(50, 250, AGE(.deleted = 0)), OK },
		{ "200 is not", 1905, STATE(201, 250, AGE(.deleted = 0)),
		  GONE },
		{ "an hour after 250 was there", 5600,
		  STATE(251, 250, AGE(.deleted = 0)), OK },
		{ "new ones", 5700, STATE(251, 300, AGE(.deleted = 0)), OK },
		{ "purged at once", 5705, STATE(301, 300, AGE(.deleted = 0)),
		  GONE },
		{ "a shorter age", 5710,
		  STATE(302, 305, .max_age_ns = 2 * SP_S), OK },
	};

	(void)state;
	look_at_rows(rows, COUNT(rows));
}

/* Of messages that were there before the first look all that is known is time. */
static void quiet_stream_of_before(void **state)
{
	static const struct row purged[] = {
		{ "at the start", 0,
		  STATE(1, 100, AGE(.first_ns = HOUR, .last_ns = HOUR * 3 / 2)),
		  OK },
		{ "purged", 60, STATE(101, 100, AGE(.deleted = 0)), GONE },
	};
	static const struct row unknown[] = {
		{ "a server that gives no times", 0,
		  STATE(1, 100, AGE(.deleted = 0)), OK },
		{ "may have trimmed it", 60, STATE(101, 100, AGE(.deleted = 0)),
		  OK },
	};

	(void)state;
	static const struct row nonsense[] = {
		{ "ages of centuries", 0,
		  STATE(1, 100, AGE(.first_ns = 1, .last_ns = INT64_MAX)), OK },
		{ "sequences of nonsense", 60,
		  STATE(UINT64_MAX, UINT64_MAX, AGE(.deleted = 0)), GONE },
		{ "and more", 65, STATE(0, UINT64_MAX, AGE(.deleted = 0)), OK },
	};

	look_at_rows(nonsense, COUNT(nonsense));
	look_at_rows(purged, COUNT(purged));
	look_at_rows(unknown, COUNT(unknown));
}

/* Looks are remembered for an hour, however many there are. */
static void many_looks(void **state)
{
	struct stream_watch watch = { .known = false };
	struct stream_look look = { .state = STATE(1, 1, AGE(.deleted = 0)),
				    .began_ns = BEGAN,
				    .max_message = MESSAGE };
	uint64_t n;

	(void)state;
	for (n = 0; n < 7200 / 5; n++) {
		uint64_t old =
			n > 730 ? n - 730 : 0; /* a little over an hour */

		look.state.last_seq = n + 1;
		look.state.first_seq = old + 1;
		look.asked_ns = look.answered_ns =
			BEGAN + (int64_t)n * 5 * SP_S;
		assert_int_equal(stream_watch_look(&watch, &look), OK);
	}
	look.state.first_seq = n - 100; /* 8 minutes */
	assert_int_equal(stream_watch_look(&watch, &look), GONE);
}

/* Between two runs nobody looked; the server's times are all there is. */
static void removed_between_runs(void **state)
{
	static const struct stream_extent before = { 7, 11,   100,
						     2, HOUR, 2 * HOUR };
	static const struct {
		const char *what;
		struct nats_stream_state state;
		bool removed;
	} rows[] = {
		{ "nothing", STATE(11, 101, .deleted = 2), false },
		{ "purged", STATE(101, 101, .deleted = 0), true },
		{ "all but the last ones", STATE(99, 101, .deleted = 0), true },
		{ "some in the middle", STATE(11, 101, .deleted = 3), true },
		{ "another stream",
		  { .created_ns = 8, .first_seq = 101, .last_seq = 101 },
		  false },
		{ "put back", STATE(51, 90, .deleted = 0), false },
		{ "full", STATE(52, 101, .max_msgs = 50), false },
		{ "no room", STATE(52, 101, .max_bytes = 5500), false },
		{ "not full", STATE(53, 101, .max_msgs = 50), true },
		{ "too old by now", STATE(101, 101, AGE(.last_ns = 3 * HOUR)),
		  false },
		{ "not yet too old",
		  STATE(101, 101, AGE(.last_ns = 3 * HOUR - 1)), true },
		{ "some of them may be too old",
		  STATE(60, 101, AGE(.last_ns = 2 * HOUR + 1)), false },
		{ "none of them is",
		  STATE(60, 101, AGE(.last_ns = 2 * HOUR - 1)), true },
		{ "a clock that was set back",
		  STATE(101, 101, AGE(.last_ns = 1)), false },
	};
	struct stream_extent unknown = before;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stream_look look = { .state = rows[i].state,
					    .max_message = MESSAGE };

		if (stream_watch_removed_since(&before, &look) !=
		    rows[i].removed)
			fail_msg("row %zu: %s", i, rows[i].what);
		unknown.created_ns = 0;
		assert_false(stream_watch_removed_since(&unknown, &look));
	}
}

static void extent_of_last_look(void **state)
{
	struct stream_watch watch = { .known = false };
	struct stream_look look = {
		.state = STATE(5, 9, .deleted = 1, .first_ns = 3, .last_ns = 4)
	};
	struct stream_extent got = stream_watch_extent(&watch);

	(void)state;
	assert_int_equal(got.created_ns, 0);
	stream_watch_look(&watch, &look);
	got = stream_watch_extent(&watch);
	assert_memory_equal(&got, (&(struct stream_extent){ 7, 5, 9, 1, 3, 4 }),
			    sizeof(got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(purges_without_limits),
		cmocka_unit_test(limits_of_count_and_size),
		cmocka_unit_test(limit_of_age),
		cmocka_unit_test(quiet_stream_of_before),
		cmocka_unit_test(many_looks),
		cmocka_unit_test(removed_between_runs),
		cmocka_unit_test(extent_of_last_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
