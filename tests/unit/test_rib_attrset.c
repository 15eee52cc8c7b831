#include "check.h"
#include "random.h"

#include "rib/attrset.h"

#include <string.h>

#define SETS 3000u

struct model {
	uint8_t bytes[120];
	size_t len;
	uint32_t value;
	uint32_t count;
};

static struct model sets[SETS];
static struct model values[SETS];

static struct wire_view view(const struct model *m)
{
	return (struct wire_view){ m->bytes, m->len };
}

static void make(struct draws *d, struct model *m, uint32_t i)
{
	*m = (struct model){ .len = 4 + draw_below(d, 116) };
	for (size_t b = 4; b < m->len; b++)
		m->bytes[b] = (uint8_t)draw(d);
	memcpy(m->bytes, &i, 4);
}

static void check_set(const struct rib_attrsets *a, const struct model *m)
{
	struct wire_view got = rib_attrset_bytes(a, m->value);

	assert_int_equal(got.len, m->len);
	assert_memory_equal(got.p, m->bytes, m->len);
	assert_int_equal(rib_value_set(a, m->value), m->value);
	assert_int_equal(rib_value_extra(a, m->value).len, 0);
}

static void take_set(struct rib_attrsets *a, struct model *s,
		     const struct model *v)
{
	uint32_t got = rib_attrset_intern(a, view(s));

	/* It is there as long as it, or a value made of it, is in use. */
	if (s->count > 0 || v->count > 0)
		assert_int_equal(got, s->value);
	s->value = got;
	s->count++;
	check_set(a, s);
}

static void take_value(struct rib_attrsets *a, const struct model *s,
		       struct model *v)
{
	uint32_t got = rib_value_intern(a, s->value, view(v));

	if (v->count > 0)
		assert_int_equal(got, v->value);
	v->value = got;
	v->count++;
	assert_true(got & RIB_VALUE_EXTRA);
}

static void put_value(struct rib_attrsets *a, const struct model *s,
		      struct model *v)
{
	struct wire_view extra = rib_value_extra(a, v->value);

	assert_int_equal(extra.len, v->len);
	assert_memory_equal(extra.p, v->bytes, v->len);
	assert_int_equal(rib_value_set(a, v->value), s->value);
	check_set(a, s);
	rib_value_put(a, v->value);
	v->count--;
}

static void step(struct rib_attrsets *a, struct draws *d)
{
	uint32_t i = draw_below(d, SETS);
	struct model *s = &sets[i];
	struct model *v = &values[i];

	switch (draw_below(d, 4)) {
	case 0:
		take_set(a, s, v);
		break;
	case 1:
		if (s->count > 0) {
			rib_value_put(a, s->value);
			s->count--;
		}
		break;
	case 2:
		if (s->count > 0 || v->count > 0)
			take_value(a, s, v);
		break;
	default:
		if (v->count > 0)
			put_value(a, s, v);
	}
}

/* Against arrays of sets and values with their counts. */
static void test_each_set_is_kept_once(void **state)
{
	struct draws d = draws_start("attrset");
	struct rib_attrsets a;

	(void)state;
	rib_attrsets_init(&a, draw(&d));
	for (uint32_t i = 0; i < SETS; i++) {
		make(&d, &sets[i], i);
		make(&d, &values[i], i);
	}
	for (int i = 0; i < FEWER_IF_SANITIZED(400000); i++) {
		step(&a, &d);
		if (i % 50000 == 0)
			assert_true(rib_attrsets_validate(&a));
	}
	assert_true(rib_attrsets_validate(&a));
	for (uint32_t i = 0; i < SETS; i++) {
		for (; sets[i].count > 0; sets[i].count--)
			rib_value_put(&a, sets[i].value);
		for (; values[i].count > 0; values[i].count--)
			rib_value_put(&a, values[i].value);
	}
	assert_int_equal(a.sets.count, 0);
	assert_int_equal(a.values.count, 0);
	rib_attrsets_fini(&a);
}

static void test_unknown_needs_no_counting(void **state)
{
	static const uint8_t label[] = { 0, 1, 1 };
	struct rib_attrsets a;
	uint32_t value;

	(void)state;
	rib_attrsets_init(&a, 1);
	rib_value_get(&a, RIB_VALUE_UNKNOWN);
	rib_value_put(&a, RIB_VALUE_UNKNOWN);
	rib_value_put(&a, RIB_VALUE_UNKNOWN);
	value = rib_value_intern(&a, RIB_VALUE_UNKNOWN,
				 (struct wire_view){ label, sizeof(label) });
	assert_int_equal(rib_value_set(&a, value), RIB_VALUE_UNKNOWN);
	assert_int_equal(rib_attrset_bytes(&a, RIB_VALUE_UNKNOWN).len, 0);
	rib_value_put(&a, value);
	assert_int_equal(a.values.count, 0);
	rib_attrsets_fini(&a);
}

/* The same extra bytes with two sets are two values. */
static void test_values_differ_by_set(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4 };
	struct wire_view extra = { bytes, 3 };
	struct rib_attrsets a;
	uint32_t s1, s2, v1, v2;

	(void)state;
	rib_attrsets_init(&a, 1);
	s1 = rib_attrset_intern(&a, (struct wire_view){ bytes, 2 });
	s2 = rib_attrset_intern(&a, (struct wire_view){ bytes, 4 });
	v1 = rib_value_intern(&a, s1, extra);
	v2 = rib_value_intern(&a, s2, extra);
	assert_int_not_equal(s1, s2);
	assert_int_not_equal(v1, v2);
	assert_true(rib_attrsets_validate(&a));
	rib_attrsets_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_set_is_kept_once),
		cmocka_unit_test(test_unknown_needs_no_counting),
		cmocka_unit_test(test_values_differ_by_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
