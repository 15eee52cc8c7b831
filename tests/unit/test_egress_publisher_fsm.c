/* The states of the publisher: each cell of the table, and all ways through. */
#include "check.h"

#include "egress/publisher/publisher_fsm.h"

#include <string.h>

#define STATE(name) PUBLISHER_##name
#define EV(name)    PUBLISHER_EV_##name
#define TELL	    PUBLISHER_TELL
#define BEGIN	    (PUBLISHER_START_SETTLING | PUBLISHER_TELL)
#define WAKE	    (PUBLISHER_WAKE_LINK | PUBLISHER_TELL)
#define LOOK	    PUBLISHER_REPAIR_STREAM
#define LINK	    PUBLISHER_REPAIR_LINK
#define EPOCH	    PUBLISHER_REPAIR_EPOCH

/* Every cell that is not here is impossible. */
/* clang-format off */
static const struct {
	enum publisher_state state;
	enum publisher_event event;
	enum publisher_state next;
	unsigned actions;
} cells[] = {
	{ STATE(STARTING), EV(JOURNAL), STATE(JOURNAL), TELL },
	{ STATE(STARTING), EV(DISCARD), STATE(DISCARDING), TELL },
	{ STATE(STARTING), EV(CONNECT), STATE(CONNECTING), TELL },
	{ STATE(STARTING), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(CONNECTING), EV(CONNECTED), STATE(ESTABLISHING), TELL },
	{ STATE(CONNECTING), EV(NO_PROGRESS), STATE(CONNECTING), EPOCH | TELL },
	{ STATE(CONNECTING), EV(ATTEMPT_FAILED), STATE(BACKOFF), TELL },
	{ STATE(CONNECTING), EV(REFUSED), STATE(REFUSED), TELL },
	{ STATE(CONNECTING), EV(SUPERSEDED), STATE(SUPERSEDED), TELL },
	{ STATE(CONNECTING), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(ESTABLISHING), EV(ESTABLISHED), STATE(RESUMING), PUBLISHER_WAKE_MAIN },
	{ STATE(ESTABLISHING), EV(NO_PROGRESS), STATE(ESTABLISHING), EPOCH | TELL },
	{ STATE(ESTABLISHING), EV(ATTEMPT_FAILED), STATE(BACKOFF), TELL },
	{ STATE(ESTABLISHING), EV(REFUSED), STATE(REFUSED), TELL },
	{ STATE(ESTABLISHING), EV(SUPERSEDED), STATE(SUPERSEDED), TELL },
	{ STATE(ESTABLISHING), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(RESUMING), EV(RESUMED), STATE(READY), TELL },
	{ STATE(RESUMING), EV(STREAM_FAILED), STATE(BACKOFF), LOOK | WAKE },
	{ STATE(RESUMING), EV(LINK_FAILED), STATE(BACKOFF), LINK | WAKE },
	{ STATE(RESUMING), EV(NO_PROGRESS), STATE(BACKOFF), EPOCH | WAKE },
	{ STATE(RESUMING), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(READY), EV(STREAM_FAILED), STATE(SETTLING), LOOK | BEGIN },
	{ STATE(READY), EV(LINK_FAILED), STATE(SETTLING), LINK | BEGIN },
	{ STATE(READY), EV(NO_PROGRESS), STATE(SETTLING), EPOCH | BEGIN },
	{ STATE(READY), EV(STOP), STATE(STOPPING), 0 },

	/* The time to settle does not begin again. */
	{ STATE(SETTLING), EV(STREAM_FAILED), STATE(SETTLING), LOOK },
	{ STATE(SETTLING), EV(LINK_FAILED), STATE(SETTLING), LINK },
	{ STATE(SETTLING), EV(NO_PROGRESS), STATE(SETTLING), EPOCH | TELL },
	{ STATE(SETTLING), EV(SETTLED), STATE(BACKOFF), PUBLISHER_WAKE_LINK },
	{ STATE(SETTLING), EV(STOP), STATE(STOPPING), 0 },

	/* Attempts that are repeated do not fill the log. */
	{ STATE(BACKOFF), EV(CONNECT), STATE(CONNECTING), 0 },
	{ STATE(BACKOFF), EV(CONNECTED), STATE(ESTABLISHING), 0 },
	{ STATE(BACKOFF), EV(STREAM_FAILED), STATE(BACKOFF), LOOK },
	{ STATE(BACKOFF), EV(NO_PROGRESS), STATE(BACKOFF), EPOCH | TELL },
	{ STATE(BACKOFF), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(REFUSED), EV(CONNECT), STATE(CONNECTING), 0 },
	{ STATE(REFUSED), EV(CONNECTED), STATE(ESTABLISHING), 0 },
	{ STATE(REFUSED), EV(NO_PROGRESS), STATE(REFUSED), EPOCH | TELL },
	{ STATE(REFUSED), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(SUPERSEDED), EV(NO_PROGRESS), STATE(SUPERSEDED), 0 },
	{ STATE(SUPERSEDED), EV(STOP), STATE(STOPPING), 0 },
	{ STATE(JOURNAL), EV(STOP), STATE(STOPPING), 0 },
	{ STATE(DISCARDING), EV(STOP), STATE(STOPPING), 0 },

	{ STATE(STOPPING), EV(CONNECT), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(CONNECTED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(ESTABLISHED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(STREAM_FAILED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(NO_PROGRESS), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(ATTEMPT_FAILED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(REFUSED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(SUPERSEDED), STATE(STOPPING), 0 },
	{ STATE(STOPPING), EV(STOPPED), STATE(STOPPED), TELL },
};
/* clang-format on */

static void test_every_cell(void **state)
{
	struct publisher_step want[PUBLISHER_STATES][PUBLISHER_EVENTS];

	(void)state;
	for (int s = 0; s < PUBLISHER_STATES; s++)
		for (int e = 0; e < PUBLISHER_EVENTS; e++)
			want[s][e] = (struct publisher_step){
				(enum publisher_state)s, PUBLISHER_IMPOSSIBLE
			};
	for (size_t i = 0; i < COUNT(cells); i++)
		want[cells[i].state][cells[i].event] =
			(struct publisher_step){ cells[i].next,
						 cells[i].actions };
	for (int s = 0; s < PUBLISHER_STATES; s++) {
		for (int e = 0; e < PUBLISHER_EVENTS; e++) {
			struct publisher_step got =
				publisher_step((enum publisher_state)s,
					       (enum publisher_event)e);

			CHECK(got.next == want[s][e].next &&
				      got.actions == want[s][e].actions,
			      "state %d, event %d: next %d, actions %#x", s, e,
			      got.next, got.actions);
		}
	}
}

/* The state in which the link fiber waits for main. */
static bool link_waits(enum publisher_state state)
{
	return publisher_state_is_up(state) || state == PUBLISHER_SETTLING;
}

/* Who is in this state without a notice has to look for it in the status. */
static bool is_news(enum publisher_state state)
{
	return state == PUBLISHER_READY || state == PUBLISHER_SETTLING ||
	       state == PUBLISHER_REFUSED || state == PUBLISHER_SUPERSEDED ||
	       state == PUBLISHER_JOURNAL || state == PUBLISHER_DISCARDING ||
	       state == PUBLISHER_STOPPED;
}

static void step_check(enum publisher_state state, struct publisher_step step)
{
	enum publisher_state next = step.next;
	unsigned actions = step.actions;

	CHECK(next != PUBLISHER_STARTING, "state %d: back to the start", state);
	/* A link fiber that nobody wakes would wait for ever. */
	CHECK(!!(actions & PUBLISHER_WAKE_LINK) ==
		      (link_waits(state) && !link_waits(next) &&
		       next != PUBLISHER_STOPPING),
	      "state %d to %d: wake link", state, next);
	CHECK(!!(actions & PUBLISHER_WAKE_MAIN) ==
		      (!link_waits(state) && link_waits(next)),
	      "state %d to %d: wake main", state, next);
	CHECK(!!(actions & PUBLISHER_START_SETTLING) ==
		      (next == PUBLISHER_SETTLING && state != next),
	      "state %d to %d: settle time", state, next);
	CHECK(!is_news(next) || state == next || actions & PUBLISHER_TELL,
	      "state %d to %d: nobody is told", state, next);
	/* What failed after the stream was up is repaired by the next attempt. */
	CHECK(!publisher_state_is_up(state) || publisher_state_is_up(next) ||
		      next == PUBLISHER_STOPPING ||
		      actions & (LOOK | LINK | EPOCH),
	      "state %d to %d: nothing to repair", state, next);
}

/* From each state that can be reached, in any number of steps. */
static void states_visit(enum publisher_state state, bool seen[])
{
	if (seen[state])
		return;
	seen[state] = true;
	for (int e = 0; e < PUBLISHER_EVENTS; e++) {
		struct publisher_step step =
			publisher_step(state, (enum publisher_event)e);

		if (step.actions & PUBLISHER_IMPOSSIBLE) {
			CHECK(step.next == state, "state %d, event %d", state,
			      e);
			continue;
		}
		step_check(state, step);
		states_visit(step.next, seen);
	}
}

static void test_actions_fit_the_state(void **state)
{
	bool seen[PUBLISHER_STATES] = { false };

	(void)state;
	states_visit(PUBLISHER_STARTING, seen);
	for (int s = 0; s < PUBLISHER_STATES; s++)
		CHECK(seen[s], "state %d cannot be reached", s);
}

/* Each state but the last can be stopped, and each can be told. */
static void test_every_state_ends_and_has_a_name(void **state)
{
	(void)state;
	for (int s = 0; s < PUBLISHER_STATES; s++) {
		const char *name =
			publisher_state_name((enum publisher_state)s);
		struct publisher_step stop =
			publisher_step((enum publisher_state)s,
				       PUBLISHER_EV_STOP);

		assert_non_null(name);
		for (int o = 0; o < s; o++)
			assert_string_not_equal(
				name,
				publisher_state_name((enum publisher_state)o));
		CHECK(stop.next == PUBLISHER_STOPPING || s == PUBLISHER_STOPPED,
		      "state %d cannot be stopped", s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell),
		cmocka_unit_test(test_actions_fit_the_state),
		cmocka_unit_test(test_every_state_ends_and_has_a_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
