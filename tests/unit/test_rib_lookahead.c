/*
 * Messages read ahead have the effect of messages applied one by one: two ribs
 * get the same session, one in pieces of any size, and publish the same.
 */
#include "apply_messages.h"
#include "check.h"

#include "bmp/frame.h"
#include "bmp/message.h"
#include "load/router.h"
#include "rib/rib.h"

#include <stdlib.h>

#define SECOND	  UINT64_C(1000000000)
#define PIECE	  (64u << 10)
#define PIECE_MAX (3 * RIB_LOOKAHEAD)

struct side {
	struct rib *rib;
	struct rib_router *router;
	uint64_t sum; /* of all that was published, in its order */
	uint64_t changes;
	uint64_t events;
};

static void add(struct side *s, const void *p, size_t len)
{
	const uint8_t *bytes = p;

	for (size_t i = 0; i < len; i++)
		s->sum = (s->sum ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static void on_change(void *arg, const struct rib_change *c)
{
	struct side *s = arg;

	add(s, c->table->peer_address, 16);
	add(s, &c->bmp_ns, sizeof(c->bmp_ns));
	add(s, &c->announced, sizeof(c->announced));
	if (c->attrs != NULL)
		add(s, c->attrs->block.p, c->attrs->block.len);
	for (size_t i = 0; i < c->count; i++) {
		add(s, &c->routes[i].sequence, sizeof(uint64_t));
		add(s, c->routes[i].address, 16);
		add(s, &c->routes[i].prefix_len, 1);
	}
	s->changes += c->count;
}

static void on_event(void *arg, const struct rib_event *e)
{
	struct side *s = arg;

	add(s, &e->kind, sizeof(e->kind));
	s->events++;
}

static const struct rib_time when = { 1000 * SECOND, 1700000000 * SECOND };

static void side_new(struct side *s, enum rib_mode mode)
{
	struct rib_identity id = { .address = {
					   [10] = 0xff, 0xff, 10, 0, 0, 1 } };
	struct rib_sink sink = { .change = on_change,
				 .event = on_event,
				 .change_arg = s,
				 .event_arg = s };
	struct rib_config config;

	*s = (struct side){ .sum = 1 };
	rib_config_defaults(&config);
	config.seed = 7;
	config.mode = (uint8_t)mode;
	assert_int_equal(rib_new(&config, &sink, &s->rib), 0);
	assert_int_equal(rib_router_get(s->rib, &id, &s->router), 0);
	rib_session_open(s->router, &when, id.address, 4000, NULL);
}

/* As many whole messages as there are, at most @max. */
static size_t decode(struct wire_view *rest, struct bmp_message *msgs,
		     size_t max)
{
	struct bmp_frame frame;
	size_t want;
	size_t n = 0;

	while (n < max && bmp_frame_next(*rest, BMP_MAX_FRAME_DEFAULT, &frame,
					 &want) == BMP_FRAME_WHOLE) {
		assert_true(bmp_status_usable(
			bmp_message_decode(&frame, BMP_V4_OFF, &msgs[n++])));
		rest->p += frame.whole.len;
		rest->len -= frame.whole.len;
	}
	return n;
}

static void work(struct side *s)
{
	while (rib_background(s->rib, &when, 1000).more)
		;
}

static void apply_both(struct side *one, struct side *many, size_t len,
		       uint8_t *buf, uint64_t *random)
{
	struct wire_view rest = { buf, len };
	struct bmp_message msgs[PIECE_MAX];
	size_t n;

	do {
		*random = *random * UINT64_C(6364136223846793005) + 1;
		n = decode(&rest, msgs, 1 + (*random >> 40) % PIECE_MAX);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(apply_message(one->router, &when,
						       &msgs[i], NULL),
					 0);
		assert_int_equal(apply_messages(many->router, &when, msgs, n,
						NULL),
				 0);
		/* What Peer Downs leave to do, on both sides alike. */
		if ((*random >> 60) == 0) {
			work(one);
			work(many);
		}
	} while (n > 0);
	assert_int_equal(many->sum, one->sum);
}

static void check_session(enum rib_mode mode, uint32_t per_update)
{
	struct load_plan plan = LOAD_PLAN_INIT;
	uint8_t *buf = malloc(PIECE);
	struct load_router *router;
	struct load_table *table;
	struct side one, many;
	uint64_t random = 42;
	size_t len;

	plan.prefixes = 500;
	plan.peers = 3;
	plan.per_update = per_update;
	plan.churn = FEWER_IF_SANITIZED(100000);
	plan.flaps = 5;
	plan.changes = plan.duplicates = plan.withdraws = 1;
	assert_int_equal(load_table_new(&plan, &table), 0);
	assert_int_equal(load_router_new(table, 0, &router), 0);
	side_new(&one, mode);
	side_new(&many, mode);
	while ((len = load_router_fill(router, LOAD_NO_END, buf, PIECE)) > 0)
		apply_both(&one, &many, len, buf, &random);
	work(&one);
	work(&many);
	assert_int_equal(many.sum, one.sum);
	assert_int_equal(many.changes, one.changes);
	assert_int_equal(many.events, one.events);
	assert_true(one.changes > 1000);
	assert_int_equal(rib_router_routes(many.router),
			 rib_router_routes(one.router));
	assert_true(rib_validate(many.rib));
	rib_free(one.rib);
	rib_free(many.rib);
	load_router_free(router);
	load_table_free(table);
	free(buf);
}

static void test_single_routes(void **state)
{
	(void)state;
	check_session(RIB_MODE_ATTRIBUTES, 1);
}

static void test_some_routes(void **state)
{
	(void)state;
	check_session(RIB_MODE_ATTRIBUTES, 7);
}

static void test_presence(void **state)
{
	(void)state;
	check_session(RIB_MODE_PRESENCE, 1);
}

static void test_off(void **state)
{
	(void)state;
	check_session(RIB_MODE_OFF, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_routes),
		cmocka_unit_test(test_some_routes),
		cmocka_unit_test(test_presence),
		cmocka_unit_test(test_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
