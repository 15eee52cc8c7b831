#include "egress/encode/encode_optional.h"

#include "bmp/attr.h"
#include "bmp/nlri_text.h"
#include "schema/layout.h"

#define BIT(ptr) (UINT32_C(1) << ptr##_PTR)

/* The flags of an attribute that have a meaning, without Extended Length. */
#define FLAGS (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE | BGP_ATTR_PARTIAL)

/*
 * Iterates over the attributes that have no field in the schema; of duplicates,
 * only the first is visited.
 */
struct unknown_iter {
	struct wire_cursor c;
	uint64_t left[4]; /* bit mask of codes not yet visited */
};

static struct unknown_iter unknown_start(const struct bgp_attrs *a)
{
	return (struct unknown_iter){
		.c = wire_start(a->block),
		.left = { a->seen[0] & ~BGP_ATTRS_WITH_MEMBER, a->seen[1],
			  a->seen[2], a->seen[3] },
	};
}

static bool unknown_next(struct unknown_iter *it, struct bgp_attr *out)
{
	while (bgp_attr_next(&it->c, out)) {
		uint64_t bit = UINT64_C(1) << (out->code % 64);
		uint64_t *left = &it->left[out->code / 64];

		if (*left & bit) {
			*left &= ~bit;
			return true;
		}
	}
	return false;
}

static size_t text_bound(size_t len)
{
	return 8 * egress_words(len + 1);
}

/* The maximum size: after the tag, each element has two words and its value. */
static size_t unknown_bound(const struct bgp_attrs *a)
{
	struct unknown_iter it = unknown_start(a);
	struct bgp_attr attr;
	size_t bytes = 8;

	while (unknown_next(&it, &attr))
		bytes += 16 + 8 * egress_words(attr.value.len);
	return bytes;
}

static size_t segments_bound(const struct bgp_as_path *path)
{
	struct bgp_as_path_iter it = bgp_as_path_start(path);
	struct bgp_as_segment segment;
	size_t bytes = 8;

	while (bgp_as_path_next(&it, &segment))
		bytes += 16 + 8 * egress_words(4 * (size_t)segment.count);
	return bytes;
}

static void rare_attrs(const struct bgp_attrs *a, bool has_segments,
		       struct egress_optional *out)
{
	if (egress_optional_unknown(a)) {
		out->present |= BIT(UPDATE_UNKNOWN_ATTRIBUTES);
		out->bound += unknown_bound(a);
	}
	if (has_segments) {
		out->present |= BIT(UPDATE_AS_PATH_SEGMENTS);
		out->bound += segments_bound(&a->as_path);
	}
	if (a->ipv6_ext_communities.len != 0) {
		out->present |= BIT(UPDATE_IPV6_EXTENDED_COMMUNITIES);
		out->bound += a->ipv6_ext_communities.len / 20 * 32;
	}
}

void egress_optional_change(const struct rib_change *c, bool has_segments,
			    struct egress_optional *out)
{
	const struct rib_table_info *t = c->table;

	out->present = 0;
	out->bound = 0;
	out->text_len = 0;
	if (t->router->name != NULL && t->router->name[0] != '\0') {
		out->present |= BIT(UPDATE_ROUTER_ID);
		out->bound += text_bound(strlen(t->router->name));
	}
	if (t->table_name.len != 0) {
		out->present |= BIT(UPDATE_TABLE_NAME);
		out->bound += text_bound(t->table_name.len);
	}
	if (c->next_hop.has_link_local)
		out->present |= BIT(UPDATE_NEXT_HOP_LINK_LOCAL);
	if (c->attrs != NULL)
		rare_attrs(c->attrs, has_segments, out);
}

/* Write an NLRI that is not a prefix as text. */
static size_t nlri_text(const struct rib_change *c, const struct rib_route *r,
			char *out, size_t cap)
{
	struct bgp_nlri_format how = {
		.afi = c->table->afi,
		.safi = c->table->safi,
		.family = c->table->family,
		.withdrawn = !c->announced,
	};
	struct bgp_nlri_iter it;
	size_t len;

	bgp_nlri_start(&it, r->nlri, &how);
	if (!bgp_nlri_next(&it))
		return 0;
	len = bgp_nlri_text(&it.nlri, out, cap);
	return len < cap ? len : cap - 1;
}

void egress_optional_route(const struct rib_change *c,
			   const struct rib_route *r,
			   struct egress_optional *rare)
{
	if (r->labels.len >= 3) {
		rare->present |= BIT(UPDATE_LABELS);
		rare->bound += 8 * egress_words(r->labels.len / 3 * 4);
	}
	if (r->nlri.len != 0) {
		rare->present |= BIT(UPDATE_NLRI);
		rare->bound += 8 * egress_words(r->nlri.len);
		rare->text_len =
			nlri_text(c, r, rare->text, sizeof(rare->text));
	}
	if (r->key.len != 0) {
		rare->present |= BIT(UPDATE_NLRI_KEY);
		rare->bound += 8 * egress_words(r->key.len);
	}
	if (r->nlri.len != 0 && rare->text_len != 0) {
		rare->present |= BIT(UPDATE_NLRI_TEXT);
		rare->bound += text_bound(rare->text_len);
	}
}

/* A list of structs with at most one word and one pointer each. */
struct elements {
	uint64_t *tag;
	size_t words;
	size_t ptrs;
	size_t at;
};

static struct elements start_elements(struct capnp_builder *b, unsigned ptr,
				      size_t count, size_t words, size_t ptrs)
{
	struct elements e = { .tag = b->next, .words = words, .ptrs = ptrs };

	capnp_build_list(b, ptr, EGRESS_LIST_STRUCTS, count * (words + ptrs));
	*b->next = egress_tag((uint32_t)count, words, ptrs);
	b->next += 1 + count * (words + ptrs);
	return e;
}

/*
 * Set the word of the next element. Returns the address of the element's
 * pointer.
 */
static uint64_t *next_element(struct elements *e, uint64_t word)
{
	uint64_t *element = e->tag + 1 + (e->words + e->ptrs) * e->at++;

	if (e->words != 0)
		element[0] = word;
	if (e->ptrs != 0)
		element[e->words] = 0;
	return element + e->words;
}

static uint64_t unknown_word(const struct bgp_attr *attr)
{
	return (uint64_t)(attr->flags & FLAGS) << UNKNOWN_ATTRIBUTE_FLAGS_AT |
	       (uint64_t)attr->code << UNKNOWN_ATTRIBUTE_TYPE_AT;
}

static void build_unknown(struct capnp_builder *b, const struct bgp_attrs *a)
{
	struct unknown_iter it = unknown_start(a);
	struct elements e;
	struct bgp_attr attr;
	uint64_t words = 0;
	size_t count = 0, bytes = 0;

	while (unknown_next(&it, &attr)) {
		count++;
		words |= unknown_word(&attr);
		bytes |= attr.value.len;
	}
	e = start_elements(b, UPDATE_UNKNOWN_ATTRIBUTES_PTR, count, words != 0,
			   bytes != 0);
	it = unknown_start(a);
	while (unknown_next(&it, &attr)) {
		struct capnp_builder value = {
			.ptrs = next_element(&e, unknown_word(&attr)),
			.next = b->next,
		};

		capnp_build_data(&value, UNKNOWN_ATTRIBUTE_VALUE_PTR,
				 attr.value);
		b->next = value.next;
	}
}

static void build_asns(struct capnp_builder *b, unsigned ptr,
		       const uint32_t *asns, unsigned count)
{
	size_t words = egress_words(4 * (size_t)count);

	capnp_build_list(b, ptr, EGRESS_LIST_U32, count);
	b->next[words - 1] = 0;
	memcpy(b->next, asns, 4 * (size_t)count);
	b->next += words;
}

static void build_segments(struct capnp_builder *b,
			   const struct bgp_as_path *path)
{
	struct bgp_as_runs runs = bgp_as_runs_start(path);
	uint32_t asns[BGP_AS_RUN_MAX];
	struct elements e;
	size_t count = 0;
	unsigned n;
	uint8_t type;

	_Static_assert(AS_PATH_SEGMENT_TYPE_AT == 0, "the word is the type");
	while (bgp_as_runs_next(&runs, &type, asns) > 0)
		count++;
	/*
	 * Segments have a non-zero type and are not empty, so no element is all
	 * zero and its word is never omitted.
	 */
	e = start_elements(b, UPDATE_AS_PATH_SEGMENTS_PTR, count, 1, count > 0);
	runs = bgp_as_runs_start(path);
	while ((n = bgp_as_runs_next(&runs, &type, asns)) > 0) {
		struct capnp_builder list = {
			.ptrs = next_element(&e, type),
			.next = b->next,
		};

		build_asns(&list, AS_PATH_SEGMENT_ASNS_PTR, asns, n);
		b->next = list.next;
	}
}

static void build_labels(struct capnp_builder *b, struct wire_view labels)
{
	uint32_t *out = (uint32_t *)(void *)b->next;
	size_t count = labels.len / 3;

	capnp_build_list(b, UPDATE_LABELS_PTR, EGRESS_LIST_U32, count);
	b->next[egress_words(4 * count) - 1] = 0;
	for (size_t i = 0; i < count; i++)
		out[i] = bgp_label_value(labels.p + 3 * i);
	b->next += egress_words(4 * count);
}

static void build_ipv6_ext(struct capnp_builder *b, struct wire_view list)
{
	size_t count = list.len / 20;
	struct capnp_builder each = { .ptrs = b->next,
				      .next = b->next + count };

	capnp_build_list(b, UPDATE_IPV6_EXTENDED_COMMUNITIES_PTR,
			 EGRESS_LIST_POINTERS, count);
	for (unsigned i = 0; i < count; i++)
		capnp_build_data(&each, i,
				 (struct wire_view){ list.p + 20 * i, 20 });
	b->next = each.next;
}

static struct wire_view view_of(const char *text, size_t len)
{
	return (struct wire_view){ (const uint8_t *)text, len };
}

void egress_optional_build(const struct rib_change *c,
			   const struct rib_route *r,
			   const struct egress_optional *rare,
			   struct capnp_builder *b)
{
	const struct rib_table_info *t = c->table;
	uint32_t present = rare->present;

	if (present & BIT(UPDATE_ROUTER_ID))
		capnp_build_text(b, UPDATE_ROUTER_ID_PTR,
				 view_of(t->router->name,
					 strlen(t->router->name)));
	capnp_build_text(b, UPDATE_TABLE_NAME_PTR, t->table_name);
	if (present & BIT(UPDATE_NEXT_HOP_LINK_LOCAL))
		capnp_build_address(b, UPDATE_NEXT_HOP_LINK_LOCAL_PTR,
				    c->next_hop.link_local);
	if (present & BIT(UPDATE_UNKNOWN_ATTRIBUTES))
		build_unknown(b, c->attrs);
	if (present & BIT(UPDATE_AS_PATH_SEGMENTS))
		build_segments(b, &c->attrs->as_path);
	if (present & BIT(UPDATE_LABELS))
		build_labels(b, r->labels);
	if (present & BIT(UPDATE_NLRI))
		capnp_build_data(b, UPDATE_NLRI_PTR, r->nlri);
	if (present & BIT(UPDATE_NLRI_KEY))
		capnp_build_data(b, UPDATE_NLRI_KEY_PTR, r->key);
	if (present & BIT(UPDATE_NLRI_TEXT))
		capnp_build_text(b, UPDATE_NLRI_TEXT_PTR,
				 view_of(rare->text, rare->text_len));
	if (present & BIT(UPDATE_IPV6_EXTENDED_COMMUNITIES))
		build_ipv6_ext(b, c->attrs->ipv6_ext_communities);
}
