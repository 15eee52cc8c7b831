/* The states of a BMP session: each cell of the table, and all ways through. */
#include "check.h"

#include "collector/ingest/session_state.h"

#define NO SESSION_IMPOSSIBLE

static void test_every_cell(void **state)
{
	static const struct {
		enum session_state state;
		enum session_event event;
		enum session_state next;
		unsigned actions;
	} cells[] = {
		{ SESSION_CLAIMING, SESSION_EV_CLAIMED, SESSION_NEW_IDLE, 0 },
		{ SESSION_CLAIMING, SESSION_EV_INPUT, SESSION_CLAIMING, NO },
		{ SESSION_CLAIMING, SESSION_EV_MESSAGE, SESSION_CLAIMING, NO },
		{ SESSION_CLAIMING, SESSION_EV_DRAINED, SESSION_CLAIMING, NO },
		/* A claim that is refused: the router saw nothing of it. */
		{ SESSION_CLAIMING, SESSION_EV_CLOSE, SESSION_CLOSED, 0 },

		{ SESSION_NEW_IDLE, SESSION_EV_CLAIMED, SESSION_NEW_IDLE, NO },
		{ SESSION_NEW_IDLE, SESSION_EV_INPUT, SESSION_NEW_READING,
		  SESSION_COUNT_INPUT },
		{ SESSION_NEW_IDLE, SESSION_EV_MESSAGE, SESSION_NEW_IDLE, NO },
		{ SESSION_NEW_IDLE, SESSION_EV_DRAINED, SESSION_NEW_IDLE, 0 },
		{ SESSION_NEW_IDLE, SESSION_EV_CLOSE, SESSION_CLOSED,
		  SESSION_COUNT_INPUT | SESSION_ADD_COUNTS | SESSION_END_INPUT |
			  SESSION_LOG_CLOSE },

		{ SESSION_NEW_READING, SESSION_EV_CLAIMED, SESSION_NEW_READING,
		  NO },
		{ SESSION_NEW_READING, SESSION_EV_INPUT, SESSION_NEW_READING,
		  0 },
		{ SESSION_NEW_READING, SESSION_EV_MESSAGE, SESSION_OPEN_READING,
		  SESSION_RIB_OPEN | SESSION_RIB_PAUSE | SESSION_LOG_OPEN },
		{ SESSION_NEW_READING, SESSION_EV_DRAINED, SESSION_NEW_IDLE,
		  SESSION_END_INPUT },
		{ SESSION_NEW_READING, SESSION_EV_CLOSE, SESSION_CLOSED,
		  SESSION_ADD_COUNTS | SESSION_END_INPUT | SESSION_LOG_CLOSE },

		{ SESSION_OPEN_IDLE, SESSION_EV_CLAIMED, SESSION_OPEN_IDLE,
		  NO },
		{ SESSION_OPEN_IDLE, SESSION_EV_INPUT, SESSION_OPEN_READING,
		  SESSION_COUNT_INPUT | SESSION_RIB_PAUSE },
		{ SESSION_OPEN_IDLE, SESSION_EV_MESSAGE, SESSION_OPEN_IDLE,
		  NO },
		{ SESSION_OPEN_IDLE, SESSION_EV_DRAINED, SESSION_OPEN_IDLE, 0 },
		{ SESSION_OPEN_IDLE, SESSION_EV_CLOSE, SESSION_CLOSED,
		  SESSION_COUNT_INPUT | SESSION_RIB_PAUSE | SESSION_RIB_CLOSE |
			  SESSION_ADD_COUNTS | SESSION_END_INPUT |
			  SESSION_LOG_CLOSE },

		{ SESSION_OPEN_READING, SESSION_EV_CLAIMED,
		  SESSION_OPEN_READING, NO },
		{ SESSION_OPEN_READING, SESSION_EV_INPUT, SESSION_OPEN_READING,
		  0 },
		{ SESSION_OPEN_READING, SESSION_EV_MESSAGE,
		  SESSION_OPEN_READING, 0 },
		{ SESSION_OPEN_READING, SESSION_EV_DRAINED, SESSION_OPEN_IDLE,
		  SESSION_END_INPUT | SESSION_RIB_RESUME },
		{ SESSION_OPEN_READING, SESSION_EV_CLOSE, SESSION_CLOSED,
		  SESSION_RIB_CLOSE | SESSION_ADD_COUNTS | SESSION_END_INPUT |
			  SESSION_LOG_CLOSE },

		{ SESSION_CLOSED, SESSION_EV_CLAIMED, SESSION_CLOSED, NO },
		{ SESSION_CLOSED, SESSION_EV_INPUT, SESSION_CLOSED, NO },
		{ SESSION_CLOSED, SESSION_EV_MESSAGE, SESSION_CLOSED, NO },
		{ SESSION_CLOSED, SESSION_EV_DRAINED, SESSION_CLOSED, NO },
		{ SESSION_CLOSED, SESSION_EV_CLOSE, SESSION_CLOSED, NO },

		{ SESSION_CLAIMING, SESSION_EV_HOLD, SESSION_CLAIMING, NO },
		{ SESSION_CLAIMING, SESSION_EV_RELEASE, SESSION_CLAIMING, NO },
		{ SESSION_NEW_IDLE, SESSION_EV_HOLD, SESSION_NEW_IDLE, NO },
		{ SESSION_NEW_IDLE, SESSION_EV_RELEASE, SESSION_NEW_IDLE, NO },
		{ SESSION_NEW_READING, SESSION_EV_HOLD, SESSION_NEW_READING,
		  NO },
		{ SESSION_NEW_READING, SESSION_EV_RELEASE, SESSION_NEW_READING,
		  NO },
		{ SESSION_OPEN_IDLE, SESSION_EV_HOLD, SESSION_OPEN_IDLE, NO },
		{ SESSION_OPEN_IDLE, SESSION_EV_RELEASE, SESSION_OPEN_IDLE,
		  NO },
		{ SESSION_OPEN_READING, SESSION_EV_HOLD, SESSION_OPEN_HELD, 0 },
		{ SESSION_OPEN_READING, SESSION_EV_RELEASE,
		  SESSION_OPEN_READING, NO },
		{ SESSION_CLOSED, SESSION_EV_HOLD, SESSION_CLOSED, NO },
		{ SESSION_CLOSED, SESSION_EV_RELEASE, SESSION_CLOSED, NO },

		{ SESSION_OPEN_HELD, SESSION_EV_CLAIMED, SESSION_OPEN_HELD,
		  NO },
		{ SESSION_OPEN_HELD, SESSION_EV_INPUT, SESSION_OPEN_HELD, 0 },
		{ SESSION_OPEN_HELD, SESSION_EV_MESSAGE, SESSION_OPEN_HELD, 0 },
		{ SESSION_OPEN_HELD, SESSION_EV_HOLD, SESSION_OPEN_HELD, 0 },
		{ SESSION_OPEN_HELD, SESSION_EV_RELEASE, SESSION_OPEN_READING,
		  0 },
		{ SESSION_OPEN_HELD, SESSION_EV_DRAINED, SESSION_OPEN_IDLE,
		  SESSION_END_INPUT | SESSION_RIB_RESUME },
		{ SESSION_OPEN_HELD, SESSION_EV_CLOSE, SESSION_CLOSED,
		  SESSION_RIB_CLOSE | SESSION_ADD_COUNTS | SESSION_END_INPUT |
			  SESSION_LOG_CLOSE },
	};
	bool seen[SESSION_STATES][SESSION_EVENTS] = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cells); i++) {
		struct session_step got =
			session_step(cells[i].state, cells[i].event);

		CHECK(got.next == cells[i].next &&
			      got.actions == cells[i].actions,
		      "state %d, event %d: next %d, actions %#x",
		      cells[i].state, cells[i].event, got.next, got.actions);
		seen[cells[i].state][cells[i].event] = true;
	}
	for (int s = 0; s < SESSION_STATES; s++)
		for (int e = 0; e < SESSION_EVENTS; e++)
			CHECK(seen[s][e], "state %d, event %d: not tested", s,
			      e);
}

/* What the actions did so far. */
struct effect {
	int with_input; /* sessions that the worker counts */
	int open;	/* sessions that the rib has */
	bool paused;
	int opens_logged, closes_logged, counts_added;
};

static void run_actions(struct effect *e, unsigned actions)
{
	e->with_input += (actions & SESSION_COUNT_INPUT) != 0;
	e->open += (actions & SESSION_RIB_OPEN) != 0;
	if (actions & SESSION_RIB_PAUSE) {
		CHECK(e->open == 1 && !e->paused, "paused twice, or not open");
		e->paused = true;
	}
	e->opens_logged += (actions & SESSION_LOG_OPEN) != 0;
	if (actions & SESSION_RIB_CLOSE) {
		e->open--;
		e->paused = false;
	}
	e->counts_added += (actions & SESSION_ADD_COUNTS) != 0;
	e->with_input -= (actions & SESSION_END_INPUT) != 0;
	if (actions & SESSION_RIB_RESUME) {
		CHECK(e->open == 1 && e->paused, "resumed, and not paused");
		e->paused = false;
	}
	e->closes_logged += (actions & SESSION_LOG_CLOSE) != 0;
}

/* All sequences of @left possible events: the actions fit the state. */
static void walk(enum session_state state, struct effect effect, bool claimed,
		 int left)
{
	bool open = session_state_is_open(state);

	CHECK(effect.open == open, "state %d: open %d", state, effect.open);
	CHECK(effect.with_input == (state == SESSION_NEW_READING ||
				    state == SESSION_OPEN_READING ||
				    state == SESSION_OPEN_HELD),
	      "state %d: with input %d", state, effect.with_input);
	CHECK(effect.paused == (state == SESSION_OPEN_READING ||
				state == SESSION_OPEN_HELD),
	      "state %d: paused %d", state, effect.paused);
	CHECK(effect.opens_logged <= 1 && (!open || effect.opens_logged == 1),
	      "state %d: opens logged %d", state, effect.opens_logged);
	CHECK(effect.closes_logged == (state == SESSION_CLOSED && claimed) &&
		      effect.counts_added == effect.closes_logged,
	      "state %d: closes logged %d, counts added %d", state,
	      effect.closes_logged, effect.counts_added);
	if (left == 0)
		return;
	for (int e = 0; e < SESSION_EVENTS; e++) {
		struct session_step step =
			session_step(state, (enum session_event)e);
		struct effect after = effect;

		CHECK(step.next < SESSION_STATES, "state %d, event %d", state,
		      e);
		if (step.actions & SESSION_IMPOSSIBLE)
			continue;
		run_actions(&after, step.actions);
		walk(step.next, after, claimed || e == SESSION_EV_CLAIMED,
		     left - 1);
	}
}

static void test_actions_fit_the_state(void **state)
{
	(void)state;
	walk(SESSION_CLAIMING, (struct effect){ 0 }, false, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell),
		cmocka_unit_test(test_actions_fit_the_state),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
