/*
 * For each length, the usable space is divided into as many equal ranges as
 * there are prefixes of that length, and a random prefix is chosen from each
 * range. So prefixes are distinct without a comparison, and lengths with many
 * prefixes are dense, as in real tables.
 */
#include "load/prefixes.h"

#include "bmp/bytes.h"
#include "load/shape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* bits of the address in a key: those of the longest prefix */
#define ADDRESS_BITS 48

/* Usable address space: @count blocks, each a prefix of length @bits. */
struct space {
	const uint16_t *blocks;
	uint32_t count;
	unsigned int bits;
};

/*
 * The /8 blocks not used for IPv4: they have private, shared, test or loopback
 * addresses.
 */
static const uint16_t ipv4_not[] = {
	0, 10, 100, 127, 169, 172, 192, 198, 203,
};

#define IPV4_END 224 /* multicast and beyond */

/* IPv6: the /12 blocks of the four large registries. */
static const uint16_t ipv6_blocks[] = { 0x240, 0x260, 0x280, 0x2a0 };

#define IPV6_BLOCKS (sizeof(ipv6_blocks) / sizeof(ipv6_blocks[0]))

static uint32_t list_ipv4_blocks(uint16_t out[IPV4_END])
{
	uint32_t count = 0;
	size_t skip = 0;

	for (uint16_t i = 0; i < IPV4_END; i++) {
		if (skip < sizeof(ipv4_not) / sizeof(ipv4_not[0]) &&
		    ipv4_not[skip] == i)
			skip++;
		else
			out[count++] = i;
	}
	return count;
}

/* The sort key of prefix number @nth of length @len: address, then length. */
static uint64_t key_of(const struct space *space, unsigned int len,
		       uint64_t nth)
{
	unsigned int below = len - space->bits;
	uint64_t block = space->blocks[nth >> below];
	uint64_t rest = nth & ((UINT64_C(1) << below) - 1);
	uint64_t address = block << (ADDRESS_BITS - space->bits) |
			   rest << (ADDRESS_BITS - len);

	return address << 8 | len;
}

/* The first number in range @i, if @room numbers are divided into @n ranges. */
static uint64_t prefix_start(uint64_t room, uint64_t i, uint64_t n)
{
	return (uint64_t)((unsigned __int128)room * i / n);
}

static void add_length(struct load_prefixes *prefixes,
		       const struct space *space, unsigned int len, uint32_t n,
		       struct load_random *random)
{
	uint64_t room = (uint64_t)space->count << (len - space->bits);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t begin = prefix_start(room, i, n);
		uint64_t width = prefix_start(room, i + 1, n) - begin;
		uint64_t at = begin + load_random_next(random) % width;

		prefixes->nlri[prefixes->count++] = key_of(space, len, at);
	}
}

/*
 * Convert the shares of the lengths to counts that add up to @count. If a
 * length has fewer prefixes than its count, the rest is added to the next
 * longer one; -ERANGE if the longest length has too few.
 */
static int count_lengths(const struct space *space, enum load_shape lengths,
			 uint32_t count, uint32_t counts[ADDRESS_BITS + 1])
{
	uint64_t sum = 0, so_far = 0, done = 0;
	const struct load_share *rows;
	size_t n;

	rows = load_shape_rows(lengths, &n);
	for (size_t i = 0; i < n; i++)
		sum += rows[i].share;
	for (size_t i = 0; i < n; i++) {
		unsigned int len = rows[i].value;
		uint64_t room = (uint64_t)space->count << (len - space->bits);
		uint64_t want;

		so_far += rows[i].share;
		want = count * so_far / sum - done;
		if (want > room)
			want = room;
		counts[len] = (uint32_t)want;
		done += want;
	}
	return done == count ? 0 : -ERANGE;
}

static int nlri_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the prefixes by key, and convert the keys to wire format. */
static void nlri_finish(struct load_prefixes *prefixes)
{
	qsort(prefixes->nlri, prefixes->count, sizeof(uint64_t), nlri_compare);
	for (uint32_t i = 0; i < prefixes->count; i++) {
		uint64_t key = prefixes->nlri[i];

		wire_put_u64((uint8_t *)&prefixes->nlri[i],
			     key << 56 | key >> 8 << 8);
	}
}

int load_prefixes_init(struct load_prefixes *prefixes, enum bgp_family family,
		       uint32_t count, struct load_random *random)
{
	bool ipv4 = family == BGP_IPV4_UNICAST;
	uint32_t counts[ADDRESS_BITS + 1] = { 0 };
	uint16_t ipv4_blocks[IPV4_END];
	struct space space = { ipv6_blocks, IPV6_BLOCKS, 12 };
	int err;

	*prefixes = (struct load_prefixes){ 0 };
	if (ipv4)
		space = (struct space){ ipv4_blocks,
					list_ipv4_blocks(ipv4_blocks), 8 };
	err = count_lengths(&space, ipv4 ? LOAD_IPV4_LENGTH : LOAD_IPV6_LENGTH,
			    count, counts);
	if (err < 0 || count == 0)
		return err;
	prefixes->nlri = malloc(count * sizeof(uint64_t));
	if (prefixes->nlri == NULL)
		return -ENOMEM;
	for (unsigned int len = space.bits; len <= ADDRESS_BITS; len++)
		if (counts[len] > 0)
			add_length(prefixes, &space, len, counts[len], random);
	nlri_finish(prefixes);
	return 0;
}

void load_prefixes_fini(struct load_prefixes *prefixes)
{
	free(prefixes->nlri);
	*prefixes = (struct load_prefixes){ 0 };
}
