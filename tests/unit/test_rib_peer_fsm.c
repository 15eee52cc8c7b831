/* Every state of a peer with every event: what follows, cell by cell. */
#include "rib/peer_fsm.h"

#include "check.h"

#define D RIB_PEER_DOWN
#define U RIB_PEER_UP
#define I RIB_PEER_IMPLIED
#define S RIB_PEER_STALE
#define L RIB_PEER_LEAVING

static void test_every_cell(void **state)
{
	/* clang-format off */
	static const uint8_t want[RIB_PEER_PHASES][RIB_PEER_EVENTS] = {
		/* Peer  routes Peer  de-    lost hold purge re- */
		/* Up           Down  conf.       over       stored */
		{ U,     I,     D,    L,     D,   D,   L,    S }, /* DOWN */
		{ U,     U,     D,    L,     S,   U,   U,    U }, /* UP */
		{ U,     I,     D,    L,     S,   I,   I,    I }, /* IMPLIED */
		{ U,     I,     D,    L,     S,   D,   L,    S }, /* STALE */
		{ U,     I,     L,    L,     L,   L,   L,    S }, /* LEAVING */
	};
	/* clang-format on */

	(void)state;
	for (int p = 0; p < RIB_PEER_PHASES; p++)
		for (int e = 0; e < RIB_PEER_EVENTS; e++)
			assert_int_equal(rib_peer_step(p, e), want[p][e]);
}

static void test_up_and_implied_are_up(void **state)
{
	(void)state;
	for (int p = 0; p < RIB_PEER_PHASES; p++)
		assert_int_equal(rib_peer_phase_up((uint8_t)p),
				 p == U || p == I);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell),
		cmocka_unit_test(test_up_and_implied_are_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
