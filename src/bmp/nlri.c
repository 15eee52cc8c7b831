/*
 * All prefix families have one reader, with a fast path for families whose NLRI
 * are plain prefixes. Every other kind has a row in nlri_kinds.c with a reader
 * that takes one NLRI from the field and finds its type. The body of such an
 * NLRI is not parsed here.
 */
#include "bmp/nlri.h"

#include "bmp/nlri_ops.h"

#define LABEL_LEN    3
#define LABEL_BITS   24
#define LABEL_BOTTOM 1
#define RD_BITS	     64

#define IPV4_MAPPED UINT64_C(0x0000ffff00000000)

/* A mask of the first @bits of 64 bits. */
static inline uint64_t mask_of_bits(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ~(UINT64_MAX >> bits);
}

/*
 * Load @bits bits from @p; the rest of the 64 bits is cleared. The bits from
 * there to the next byte boundary should be zero: set bits are added to
 * *@stray.
 */
static inline uint64_t load_masked(const uint8_t *p, size_t readable,
				   unsigned bits, uint64_t *stray)
{
	uint64_t mask = mask_of_bits(bits);
	uint64_t v = wire_get_u64_padded(p, readable);

	*stray |= v & ~mask & mask_of_bits((bits + 7) & ~7u);
	return v & mask;
}

static inline uint64_t put_ipv6(uint8_t out[16], struct wire_cursor at,
				unsigned bits)
{
	uint64_t high, low = 0, stray = 0;

	if (bits > 64) {
		high = wire_get_u64(at.p);
		low = load_masked(at.p + 8, at.left - 8, bits - 64, &stray);
	} else {
		high = load_masked(at.p, at.left, bits, &stray);
	}
	wire_put_u64(out, high);
	wire_put_u64(out + 8, low);
	return stray;
}

static inline uint64_t put_ipv4(uint8_t out[16], struct wire_cursor at,
				unsigned bits)
{
	uint64_t ones = UINT64_C(0xffffffff) << 32;
	uint32_t mask = (uint32_t)(ones >> bits);
	uint32_t bytes = (uint32_t)(ones >> ((bits + 7) & ~7u));
	uint32_t v = wire_get_u32_padded(at.p, at.left);

	wire_put_u64(out, 0);
	wire_put_u64(out + 8, IPV4_MAPPED | (v & mask));
	return v & bytes & ~mask;
}

/*
 * Write the prefix at @at to @out, in the one form of addresses. All bytes left
 * in @at may be loaded, also those after the prefix: so whole words are loaded
 * and masked, and no branch depends on the number of bytes of the prefix.
 * Returns the stray bits.
 */
static inline uint64_t put_prefix(uint8_t out[16], struct wire_cursor at,
				  unsigned bits, unsigned addr_bits)
{
	return addr_bits == 32 ? put_ipv4(out, at, bits)
			       : put_ipv6(out, at, bits);
}

static inline void set_prefix(struct bgp_nlri_iter *it, struct wire_cursor at,
			      unsigned bits)
{
	it->nlri.prefix_len = (uint8_t)bits;
	it->host_bits +=
		put_prefix(it->nlri.address, at, bits, it->addr_bits) != 0;
}

/*
 * The number of labels before the prefix, or 0 if no number fits. Without the
 * capability, and in every withdrawal, there is one label, whatever its
 * bottom-of-stack bit says (RFC 8277 2.2, 2.4). Old speakers send several
 * labels without the capability: then, with one label, the prefix would be
 * longer than an address.
 */
static unsigned label_count(const struct bgp_nlri_iter *it, struct wire_view v,
			    unsigned bits)
{
	unsigned other = it->flags & BGP_FAMILY_RD ? RD_BITS : 0;
	unsigned max = other + it->addr_bits;

	if (!it->multiple_labels && bits >= LABEL_BITS + other &&
	    bits - LABEL_BITS <= max)
		return 1;
	for (unsigned n = 1; n * LABEL_BITS + other <= bits; n++)
		if (v.p[n * LABEL_LEN - 1] & LABEL_BOTTOM)
			return bits - n * LABEL_BITS <= max ? n : 0;
	return 0;
}

/*
 * Read one NLRI of a prefix family. Its length counts labels, route
 * distinguisher and prefix.
 */
bool bgp_nlri_read_prefix(struct bgp_nlri_iter *it)
{
	struct wire_cursor c;
	struct wire_view v;
	uint8_t len;
	unsigned bits, labels;

	if (!wire_u8(&it->c, &len) || !wire_take(&it->c, (len + 7u) / 8, &v))
		return false;
	bits = len;
	c = wire_start(v);
	if (it->flags & BGP_FAMILY_LABELS) {
		labels = label_count(it, v, bits);
		if (labels == 0)
			return false;
		wire_take(&c, labels * LABEL_LEN, &it->nlri.labels);
		if (it->nlri.withdrawn)
			it->nlri.labels.len = 0;
		bits -= labels * LABEL_BITS;
	}
	if (it->flags & BGP_FAMILY_RD) {
		if (bits < RD_BITS)
			return false;
		wire_u64(&c, &it->nlri.rd);
		bits -= RD_BITS;
	}
	if (bits > it->addr_bits)
		return false;
	set_prefix(it, c, bits);
	return true;
}

static bool take_rd(struct bgp_nlri_iter *it)
{
	struct wire_cursor c = wire_start(it->nlri.body);

	if (!bgp_nlri_has_rd(&it->nlri)) {
		it->nlri.rd = 0;
		return true;
	}
	if (!wire_u64(&c, &it->nlri.rd))
		return false;
	it->nlri.body = wire_rest(&c);
	return true;
}

static bool next_other(struct bgp_nlri_iter *it)
{
	struct wire_cursor start = it->c;

	if (!bgp_nlri_ops[it->nlri.kind]->read(it))
		return false;
	if (it->nlri.kind == BGP_NLRI_PREFIX)
		return true;
	wire_take(&start, start.left - it->c.left, &it->nlri.wire);
	return take_rd(it);
}

/* True if each NLRI of the family is only a length and a prefix. */
static bool is_plain(const struct bgp_family_info *info)
{
	return info->kind == BGP_NLRI_PREFIX &&
	       !(info->flags & (BGP_FAMILY_LABELS | BGP_FAMILY_RD));
}

void bgp_nlri_start(struct bgp_nlri_iter *it, struct wire_view field,
		    const struct bgp_nlri_format *format)
{
	const struct bgp_family_info *info = bgp_family_info(format->family);

	*it = (struct bgp_nlri_iter){
		.c = wire_start(field),
		.flags = info->flags,
		.addr_bits = info->addr_bits,
		.plain = is_plain(info),
		.multiple_labels = format->multiple_labels && !format->withdrawn,
		.nlri = {
			.afi = format->afi,
			.safi = format->safi,
			.family = format->family,
			.kind = info->kind,
			/* NLRI of an unknown family cannot be separated. */
			.has_path_id = format->add_path &&
				       info->kind != BGP_NLRI_RAW,
			.withdrawn = format->withdrawn,
		},
	};
}

static bool nlri_fail(struct bgp_nlri_iter *it)
{
	it->malformed = true;
	it->c.left = 0;
	return false;
}

/* Not inlined, so that the fast path in bgp_nlri_next() needs no stack. */
static __attribute__((noinline)) bool next_any(struct bgp_nlri_iter *it)
{
	if (it->nlri.has_path_id && !wire_u32(&it->c, &it->nlri.path_id))
		return nlri_fail(it);
	return next_other(it) || nlri_fail(it);
}

/* Take one plain prefix from @c: *@at = its bytes, *@bits = its length. */
static inline bool take_plain(struct wire_cursor *c, unsigned addr_bits,
			      struct wire_cursor *at, uint8_t *bits)
{
	if (!wire_u8(c, bits) || *bits > addr_bits)
		return false;
	*at = *c;
	return wire_skip(c, (*bits + 7u) / 8);
}

/*
 * Hot: once per route. Cost for plain prefixes: two loads that depend on the
 * one before (length, address), no branch on the data. bench/bmp_decode.c
 */
bool bgp_nlri_next(struct bgp_nlri_iter *it)
{
	struct wire_cursor c = it->c;
	struct wire_cursor at;
	uint8_t bits;

	if (c.left == 0)
		return false;
	if (!it->plain)
		return next_any(it);
	if (it->nlri.has_path_id && !wire_u32(&c, &it->nlri.path_id))
		return nlri_fail(it);
	if (!take_plain(&c, it->addr_bits, &at, &bits))
		return nlri_fail(it);
	it->c = c;
	set_prefix(it, at, bits);
	return true;
}

/*
 * Hot: once per batch of routes. Like bgp_nlri_next(), but with the cursor in
 * registers: bgp_nlri_next() mostly waits for the last store to its cursor.
 */
size_t bgp_nlri_take(struct bgp_nlri_iter *it, struct bgp_prefix *out,
		     size_t max)
{
	struct wire_cursor c = it->c;
	unsigned addr_bits = it->addr_bits;
	bool has_path_id = it->nlri.has_path_id;
	uint32_t host_bits = 0;
	uint32_t path_id = 0;
	size_t n;

	for (n = 0; n < max && c.left != 0; n++) {
		struct wire_cursor at;
		uint8_t bits;

		if ((has_path_id && !wire_u32(&c, &path_id)) ||
		    !take_plain(&c, addr_bits, &at, &bits)) {
			it->malformed = true;
			c.left = 0;
			break;
		}
		host_bits +=
			put_prefix(out[n].address, at, bits, addr_bits) != 0;
		out[n].path_id = path_id;
		out[n].len = bits;
	}
	it->c = c;
	it->host_bits += host_bits;
	return n;
}

/* Hot: once per UPDATE. Cost: as one step of bgp_nlri_take(). */
bool bgp_nlri_first(struct wire_view field,
		    const struct bgp_nlri_format *format,
		    struct bgp_prefix *out, bool *host_bits)
{
	const struct bgp_family_info *info = bgp_family_info(format->family);
	struct wire_cursor c = wire_start(field);
	struct wire_cursor at;
	uint8_t bits;

	if (!is_plain(info) || format->add_path ||
	    !take_plain(&c, info->addr_bits, &at, &bits))
		return false;
	*host_bits = put_prefix(out->address, at, bits, info->addr_bits) != 0;
	out->path_id = 0;
	out->len = bits;
	return true;
}

/* Count the plain prefixes from @c on; @head bytes of path id precede each. */
static bool count_plain(struct wire_cursor c, size_t head, unsigned max_bits,
			uint32_t *count)
{
	uint32_t n = 0;
	uint8_t bits;

	while (c.left != 0) {
		if (!wire_skip(&c, head) || !wire_u8(&c, &bits) ||
		    bits > max_bits || !wire_skip(&c, (bits + 7u) / 8))
			return false;
		n++;
	}
	*count = n;
	return true;
}

bool bgp_nlri_count(struct wire_view field,
		    const struct bgp_nlri_format *format, uint32_t *count)
{
	const struct bgp_family_info *info = bgp_family_info(format->family);
	struct bgp_nlri_iter it;
	uint32_t n = 0;

	if (is_plain(info))
		return count_plain(wire_start(field), format->add_path ? 4 : 0,
				   info->addr_bits, count);
	bgp_nlri_start(&it, field, format);
	while (bgp_nlri_next(&it))
		n++;
	if (it.malformed)
		return false;
	*count = n;
	return true;
}
