#include "check.h"
#include "random.h"

#include "rib/mem/handle_heap.h"

#include <string.h>

#define PIECES 4000

struct piece {
	uint8_t *p;
	uint32_t number;
	size_t len;
	uint8_t fill;
};

static size_t any_length(struct draws *d)
{
	switch (draw_below(d, 8)) {
	case 0:
		return 1 + draw_below(d, 20000);
	case 1:
		return 1 + draw_below(d, 3000);
	default:
		return 1 + draw_below(d, 160);
	}
}

static void check_piece(const struct rib_handle_heap *heap,
			const struct piece *piece)
{
	CHECK(rib_handle_heap_at(heap, piece->number) == piece->p, "number %u",
	      piece->number);
	CHECK(piece->number >= 8192 && piece->number < UINT32_C(1) << 31,
	      "number %u", piece->number);
	for (size_t i = 0; i < piece->len; i++)
		CHECK(piece->p[i] == piece->fill, "byte %zu of %zu", i,
		      piece->len);
}

/* Every piece keeps its bytes whatever happens to the others. */
static void test_pieces_do_not_overlap(void **state)
{
	static struct piece pieces[PIECES];
	struct draws d = draws_start("heap");
	struct rib_handle_heap heap;

	(void)state;
	rib_handle_heap_init(&heap);
	for (int i = 0; i < FEWER_IF_SANITIZED(200000); i++) {
		struct piece *piece = &pieces[draw_below(&d, PIECES)];

		if (piece->p != NULL) {
			check_piece(&heap, piece);
			rib_handle_heap_free(&heap, piece->p);
			piece->p = NULL;
			continue;
		}
		piece->len = any_length(&d);
		piece->fill = (uint8_t)draw(&d);
		piece->p = rib_handle_heap_alloc(&heap, piece->len);
		assert_non_null(piece->p);
		assert_int_equal((uintptr_t)piece->p % 8, 0);
		piece->number = rib_handle_heap_number(piece->p);
		memset(piece->p, piece->fill, piece->len);
		if (i % 20000 == 0)
			assert_true(rib_handle_heap_validate(&heap));
	}
	assert_true(rib_handle_heap_validate(&heap));
	for (int i = 0; i < PIECES; i++) {
		rib_handle_heap_free(&heap, pieces[i].p);
		pieces[i].p = NULL;
	}
	assert_true(rib_handle_heap_validate(&heap));
	assert_int_equal(heap.pieces, 0);
	rib_handle_heap_fini(&heap);
}

static void test_room_is_at_most_an_eighth_more(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 20000; n++) {
		size_t room = rib_handle_heap_room(n);

		CHECK(room >= n && room <= n + 7 + n / 8, "%zu gets %zu", n,
		      room);
	}
}

/* What a million pieces took is given back when they go. */
static void test_memory_is_given_back(void **state)
{
	enum {
		MANY = FEWER_IF_SANITIZED(100000)
	};
	void **pieces = calloc(MANY, sizeof(void *));
	struct rib_handle_heap heap;
	uint64_t most;

	(void)state;
	rib_handle_heap_init(&heap);
	for (size_t i = 0; i < MANY; i++)
		pieces[i] = rib_handle_heap_alloc(&heap, 100);
	most = rib_handle_heap_bytes(&heap);
	assert_true(most > MANY * 100);
	assert_true(most < MANY * 110 + (1 << 17));
	for (size_t i = 0; i < MANY; i++)
		rib_handle_heap_free(&heap, pieces[i]);
	assert_true(rib_handle_heap_bytes(&heap) <
		    2 * RIB_BLOCK_SIZE + 64 * 1024);
	rib_handle_heap_fini(&heap);
	free(pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_do_not_overlap),
		cmocka_unit_test(test_room_is_at_most_an_eighth_more),
		cmocka_unit_test(test_memory_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
