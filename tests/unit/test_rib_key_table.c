#include "check.h"
#include "random.h"

#include "rib/mem/key_table.h"

#define KEYS 5000u

struct key {
	uint8_t bytes[400];
	size_t len;
	uint32_t id;
	uint32_t count;
};

static struct key keys[KEYS];

/* Distinct keys: the first four bytes are a number of their own. */
static void make_keys(struct draws *d, uint32_t width)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		struct key *k = &keys[i];

		*k = (struct key){ .id = RIB_NO_ID };
		k->len = width != RIB_KEY_VARIABLE ? width
						   : 4 + draw_below(d, 390);
		for (size_t b = 0; b < k->len; b++)
			k->bytes[b] = (uint8_t)draw(d);
		/* One byte from each, so that short ones differ, too. */
		memcpy(k->bytes + (k->len - 4), &i, 4);
	}
}

static struct wire_view view(const struct key *k)
{
	return (struct wire_view){ k->bytes, k->len };
}

static uint32_t use(struct rib_key_table *dict, const struct key *k)
{
	uint32_t hash = rib_key_table_hash(dict, view(k));
	uint32_t id = rib_key_table_find(dict, hash, view(k));

	if (id == RIB_NO_ID)
		id = rib_key_table_add(dict, hash, view(k));
	assert_int_not_equal(id, RIB_NO_ID);
	rib_key_table_get(dict, id);
	return id;
}

static void check_key(const struct rib_key_table *dict, const struct key *k)
{
	uint32_t hash = rib_key_table_hash(dict, view(k));
	uint8_t room[RIB_KEY_FIXED];
	struct wire_view got;

	assert_int_equal(rib_key_table_find(dict, hash, view(k)),
			 k->count == 0 ? RIB_NO_ID : k->id);
	if (k->count == 0)
		return;
	got = rib_key_table_key(dict, k->id, room);
	assert_int_equal(got.len, k->len);
	assert_memory_equal(got.p, k->bytes, k->len);
	assert_int_equal(rib_key_table_count(dict, k->id), k->count);
}

/* Against an array of keys with their counts. */
static void race(uint32_t width)
{
	struct draws d = draws_start("dictionary");
	struct rib_handle_heap heap;
	struct rib_key_table dict;

	make_keys(&d, width);
	rib_handle_heap_init(&heap);
	rib_key_table_init(&dict, &heap, draw(&d), width);
	for (int i = 0; i < FEWER_IF_SANITIZED(200000); i++) {
		struct key *k = &keys[draw_below(&d, KEYS)];

		check_key(&dict, k);
		if (draw_below(&d, 2) == 0) {
			uint32_t id = use(&dict, k);

			if (k->count++ > 0)
				assert_int_equal(id, k->id);
			k->id = id;
		} else if (k->count > 0) {
			rib_key_table_put(&dict, k->id);
			k->count--;
		}
		if (i % 50000 == 0)
			assert_true(rib_key_table_validate(&dict));
	}
	assert_true(rib_key_table_validate(&dict));
	for (uint32_t i = 0; i < KEYS; i++)
		check_key(&dict, &keys[i]);
	for (uint32_t i = 0; i < KEYS; i++)
		for (; keys[i].count > 0; keys[i].count--)
			rib_key_table_put(&dict, keys[i].id);
	assert_int_equal(dict.pool.count, 0);
	rib_key_table_fini(&dict);
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

static void test_ipv4_keys_have_numbers(void **state)
{
	(void)state;
	race(5);
}

static void test_pairs_have_numbers(void **state)
{
	(void)state;
	race(8);
}

static void test_vpn_keys_have_numbers(void **state)
{
	(void)state;
	race(25);
}

static void test_keys_of_any_length_have_numbers(void **state)
{
	(void)state;
	race(RIB_KEY_VARIABLE);
}

static void test_fini_frees_what_is_still_used(void **state)
{
	struct draws d = draws_start("fini");
	struct rib_handle_heap heap;
	struct rib_key_table dict;

	(void)state;
	make_keys(&d, RIB_KEY_VARIABLE);
	rib_handle_heap_init(&heap);
	rib_key_table_init(&dict, &heap, 1, RIB_KEY_VARIABLE);
	for (uint32_t i = 0; i < 1000; i++)
		use(&dict, &keys[i]);
	rib_key_table_fini(&dict);
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

/* 8 bytes, and at most 16 for the slot that finds it. */
static void test_ipv4_prefix_takes_few_bytes(void **state)
{
	enum {
		MANY = 200000
	};
	struct rib_handle_heap heap;
	struct rib_key_table dict;

	(void)state;
	rib_handle_heap_init(&heap);
	rib_key_table_init(&dict, &heap, 7, 5);
	for (uint32_t i = 0; i < MANY; i++) {
		struct key k = { .len = 5 };

		k.bytes[0] = 32;
		memcpy(k.bytes + 1, &i, 4);
		use(&dict, &k);
	}
	assert_true(rib_handle_heap_bytes(&heap) + rib_key_table_bytes(&dict) <
		    24u * MANY);
	rib_key_table_fini(&dict);
	rib_handle_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4_keys_have_numbers),
		cmocka_unit_test(test_pairs_have_numbers),
		cmocka_unit_test(test_vpn_keys_have_numbers),
		cmocka_unit_test(test_keys_of_any_length_have_numbers),
		cmocka_unit_test(test_fini_frees_what_is_still_used),
		cmocka_unit_test(test_ipv4_prefix_takes_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
