#include "egress/open_batches.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BUCKETS 64

static uint64_t hash_mix(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const void *p, size_t len)
{
	const uint8_t *bytes = p;
	uint64_t word;

	for (; len >= 8; len -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		hash = hash_mix(hash, word);
	}
	word = 0;
	if (len != 0)
		memcpy(&word, bytes, len);
	return hash_mix(hash, word ^ (uint64_t)len << 56);
}

static void list_init(struct egress_link *list)
{
	list->prev = list->next = list;
}

static void list_append(struct egress_link *list, struct egress_link *link)
{
	link->prev = list->prev;
	link->next = list;
	list->prev->next = link;
	list->prev = link;
}

static void list_remove(struct egress_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

int egress_routers_init(struct egress_routers *r, uint64_t seed)
{
	*r = (struct egress_routers){
		.router_buckets = FIRST_BUCKETS,
		.open_buckets = FIRST_BUCKETS,
		.seed = hash_mix(seed, 1),
	};
	list_init(&r->by_age);
	r->routers = calloc(FIRST_BUCKETS, sizeof(struct egress_router *));
	r->opens = calloc(FIRST_BUCKETS, sizeof(struct egress_open *));
	if (r->routers == NULL || r->opens == NULL) {
		egress_routers_fini(r);
		return -ENOMEM;
	}
	return 0;
}

static void router_free(struct egress_router *router)
{
	free(router->name);
	free(router);
}

static void free_opens(struct egress_open *list)
{
	while (list != NULL) {
		struct egress_open *next = list->next;

		free(list);
		list = next;
	}
}

void egress_routers_fini(struct egress_routers *r)
{
	for (uint32_t i = 0; r->routers != NULL && i < r->router_buckets; i++) {
		while (r->routers[i] != NULL) {
			struct egress_router *router = r->routers[i];

			r->routers[i] = router->next;
			router_free(router);
		}
	}
	for (uint32_t i = 0; r->opens != NULL && i < r->open_buckets; i++)
		free_opens(r->opens[i]);
	free_opens(r->unused);
	free(r->routers);
	free(r->opens);
}

/* Routers */

static const char *name_of(const struct rib_router_info *info)
{
	return info == NULL ? SUBJECT_COLLECTOR : info->name;
}

bool egress_router_is(const struct egress_router *router,
		      const struct rib_router_info *info)
{
	const char *name = name_of(info);

	if (name == NULL)
		return router->name == NULL &&
		       memcmp(router->address, info->address, 16) == 0;
	return router->name != NULL && strcmp(router->name, name) == 0 &&
	       router->is_collector == (info == NULL);
}

static uint64_t router_hash(const struct egress_routers *r,
			    const struct rib_router_info *info)
{
	const char *name = name_of(info);

	return name == NULL ? mix_bytes(r->seed, info->address, 16)
			    : mix_bytes(r->seed + 1, name, strlen(name));
}

struct egress_router *egress_routers_find(struct egress_routers *r,
					  const struct rib_router_info *info)
{
	uint64_t hash = router_hash(r, info);
	struct egress_router *router = r->routers[hash % r->router_buckets];

	while (router != NULL &&
	       (router->hash != hash || !egress_router_is(router, info)))
		router = router->next;
	return router;
}

/*
 * Add buckets. If out of memory, leave the table as it is: its chains get
 * longer.
 */
static void grow_routers(struct egress_routers *r)
{
	uint32_t buckets = 2 * r->router_buckets;
	struct egress_router **bigger =
		calloc(buckets, sizeof(struct egress_router *));

	if (bigger == NULL)
		return;
	for (uint32_t i = 0; i < r->router_buckets; i++) {
		while (r->routers[i] != NULL) {
			struct egress_router *router = r->routers[i];

			r->routers[i] = router->next;
			router->next = bigger[router->hash % buckets];
			bigger[router->hash % buckets] = router;
		}
	}
	free(r->routers);
	r->routers = bigger;
	r->router_buckets = buckets;
}

static void router_token(struct egress_router *router,
			 const struct rib_router_info *info)
{
	if (info == NULL)
		strcpy(router->token, SUBJECT_COLLECTOR);
	else if (info->name == NULL ||
		 subject_router_named(info->name, router->token) == 0)
		/* Names that are too long for a token were refused earlier. */
		(void)subject_router(info->address, router->token);
}

struct egress_router *egress_routers_get(struct egress_routers *r,
					 const struct rib_router_info *info)
{
	struct egress_router *router = egress_routers_find(r, info);

	if (router != NULL)
		return router;
	router = calloc(1, sizeof(*router));
	if (router == NULL)
		return NULL;
	if (name_of(info) != NULL) {
		router->name = strdup(name_of(info));
		if (router->name == NULL) {
			free(router);
			return NULL;
		}
	}
	if (info != NULL)
		memcpy(router->address, info->address, 16);
	router->is_collector = info == NULL;
	router_token(router, info);
	list_init(&router->open);
	if (r->router_count >= r->router_buckets)
		grow_routers(r);
	router->hash = router_hash(r, info);
	router->next = r->routers[router->hash % r->router_buckets];
	r->routers[router->hash % r->router_buckets] = router;
	r->router_count++;
	return router;
}

void egress_routers_remove(struct egress_routers *r,
			   struct egress_router *router)
{
	struct egress_router **at =
		&r->routers[router->hash % r->router_buckets];

	while (*at != router)
		at = &(*at)->next;
	*at = router->next;
	r->router_count--;
	router_free(router);
}

/* Open batches */

static uint64_t open_hash(const struct egress_router *router, uint32_t peer_as,
			  uint16_t afi, uint8_t safi, bool is_events)
{
	return hash_mix(router->hash, (uint64_t)peer_as | (uint64_t)afi << 32 |
					      (uint64_t)safi << 48 |
					      (uint64_t)is_events << 56);
}

static struct egress_open **bucket_of(struct egress_routers *r,
				      const struct egress_open *open)
{
	return &r->opens[open_hash(open->router, open->peer_as, open->afi,
				   open->safi, open->is_events) %
			 r->open_buckets];
}

struct egress_open *egress_open_find(struct egress_routers *r,
				     const struct egress_router *router,
				     uint32_t peer_as, uint16_t afi,
				     uint8_t safi, bool is_events)
{
	struct egress_open *open =
		r->opens[open_hash(router, peer_as, afi, safi, is_events) %
			 r->open_buckets];

	while (open != NULL &&
	       !(open->router == router && open->peer_as == peer_as &&
		 open->afi == afi && open->safi == safi &&
		 open->is_events == is_events))
		open = open->next;
	return open;
}

static void grow_opens(struct egress_routers *r)
{
	uint32_t old = r->open_buckets;
	struct egress_open **smaller = r->opens;
	struct egress_open **bigger =
		calloc((size_t)2 * old, sizeof(struct egress_open *));

	if (bigger == NULL)
		return;
	r->opens = bigger;
	r->open_buckets = 2 * old;
	for (uint32_t i = 0; i < old; i++) {
		while (smaller[i] != NULL) {
			struct egress_open *open = smaller[i];
			struct egress_open **bucket = bucket_of(r, open);

			smaller[i] = open->next;
			open->next = *bucket;
			*bucket = open;
		}
	}
	free(smaller);
}

struct egress_open *egress_open_add(struct egress_routers *r,
				    struct egress_router *router,
				    uint32_t peer_as, uint16_t afi,
				    uint8_t safi, bool is_events)
{
	struct egress_open *open = r->unused;
	struct egress_open **bucket;

	if (open != NULL)
		r->unused = open->next;
	else
		open = malloc(sizeof(*open));
	if (open == NULL)
		return NULL;
	if (r->open_count >= r->open_buckets)
		grow_opens(r);
	*open = (struct egress_open){
		.router = router,
		.peer_as = peer_as,
		.afi = afi,
		.safi = safi,
		.is_events = is_events,
	};
	bucket = bucket_of(r, open);
	open->next = *bucket;
	*bucket = open;
	list_append(&r->by_age, &open->by_age);
	list_append(&router->open, &open->of_router);
	r->open_count++;
	return open;
}

void egress_open_remove(struct egress_routers *r, struct egress_open *open)
{
	struct egress_open **at = bucket_of(r, open);

	while (*at != open)
		at = &(*at)->next;
	*at = open->next;
	list_remove(&open->by_age);
	list_remove(&open->of_router);
	r->open_count--;
	open->next = r->unused;
	r->unused = open;
}
