#include "check.h"

#include "rib/peer.h"

static void test_no_hole_in_the_table(void **state)
{
	(void)state;
	for (int s = 0; s < RIB_PEER_STATES; s++)
		for (int e = 0; e < RIB_PEER_EVENTS; e++)
			CHECK(rib_peer_step((enum rib_peer_state)s,
					    (enum rib_peer_event)e)
					      .duty != RIB_DUTY_UNSET,
			      "state %d, event %d", s, e);
}

static enum rib_peer_state walk(const enum rib_peer_event *events, size_t n,
				enum rib_peer_duty never)
{
	enum rib_peer_state state = RIB_PEER_DOWN;

	for (size_t i = 0; i < n; i++) {
		struct rib_peer_step step = rib_peer_step(state, events[i]);

		CHECK(step.duty != never, "at event %zu", i);
		state = step.next;
	}
	return state;
}

/* A router that restarts and repeats its routes must cause no withdrawal. */
static void test_flap_within_grace_withdraws_nothing(void **state)
{
	static const enum rib_peer_event flap[] = {
		RIB_EV_PEER_UP, RIB_EV_END_OF_RIB, RIB_EV_SESSION_LOST,
		RIB_EV_PEER_UP, RIB_EV_END_OF_RIB,
	};

	(void)state;
	assert_int_equal(walk(flap, COUNT(flap), RIB_DUTY_WITHDRAW_ALL),
			 RIB_PEER_LIVE);
}

static void test_grace_over_withdraws_all(void **state)
{
	struct rib_peer_step step =
		rib_peer_step(RIB_PEER_STALE, RIB_EV_GRACE_OVER);

	(void)state;
	assert_int_equal(step.next, RIB_PEER_DOWN);
	assert_int_equal(step.duty, RIB_DUTY_WITHDRAW_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_hole_in_the_table),
		cmocka_unit_test(test_flap_within_grace_withdraws_nothing),
		cmocka_unit_test(test_grace_over_withdraws_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
