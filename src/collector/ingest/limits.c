/*
 * Sessions by address: an open-addressed table with space for twice the allowed
 * sessions, so that admission never allocates. A removal moves displaced
 * entries back; there are no tombstones.
 *
 * Known addresses: a table of a fixed size in which each address may be in one
 * of KNOWN_PROBES slots. If all of them are occupied, a new address replaces
 * the first one: a host that connects from very many addresses can remove
 * entries, but cannot make the table grow.
 */
#include "collector/ingest/limits.h"

#include "bmp/bytes.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define KNOWN_COUNT  (UINT32_C(1) << 16)
#define KNOWN_PROBES 16

/* 1 / KNOWN_SHARE of the slots is reserved for known routers. */
#define KNOWN_SHARE 10

/*
 * At most 1 / CONFIGURED_SHARE of the slots is reserved for configured routers.
 */
#define CONFIGURED_SHARE 2

struct address_count {
	uint8_t address[16];
	uint32_t sessions; /* 0 = the slot is free */
};

struct limits {
	uint64_t seed;
	pthread_mutex_t lock;
	/* The members below are protected by the lock. */
	struct limits_max max;
	uint32_t sessions;
	uint32_t kinds[LIMITS_KINDS]; /* number of sessions by kind */
	uint32_t mask;
	struct address_count *places;
	/* list of sessions that may be evicted, oldest first */
	struct limits_place *evictable, **evictable_end;
	uint8_t (*known)[16];
	uint64_t admissions; /* number of calls of limits_admit() so far */
};

const char *limits_verdict_name(enum limits_verdict v)
{
	static const char *const names[LIMITS_VERDICTS] = {
		[LIMITS_ADMIT] = "admit",
		[LIMITS_ALL_FULL] = "max-sessions",
		[LIMITS_ADDRESS_FULL] = "max-sessions-per-ip",
	};

	return v < LIMITS_VERDICTS ? names[v] : "unknown";
}

/*
 * The size of the table: at least twice @sessions, a power of two, at least 16.
 */
static uint32_t places_for(uint32_t sessions)
{
	uint32_t n = 16;

	while (n < UINT32_C(1) << 31 && n / 2 < sessions)
		n *= 2;
	return n;
}

static uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t home_index(const struct limits *l, const uint8_t address[16],
			   uint32_t mask)
{
	uint64_t half[2];

	memcpy(half, address, sizeof(half));
	half[0] = hash_mix(half[0] ^ l->seed, UINT64_C(0x9e3779b97f4a7c15));
	return (uint32_t)hash_mix(half[0] ^ half[1],
				  l->seed ^ UINT64_C(0xd1b54a32d192ed03)) &
	       mask;
}

/*
 * The slot of @address, or the free slot to insert it; there is always a free
 * slot.
 */
static uint32_t place_find(const struct limits *l,
			   const struct address_count *places, uint32_t mask,
			   const uint8_t address[16])
{
	uint32_t i = home_index(l, address, mask);

	while (places[i].sessions != 0 &&
	       memcmp(places[i].address, address, 16) != 0)
		i = (i + 1) & mask;
	return i;
}

int limits_new(const struct limits_max *max, uint64_t seed, struct limits **out)
{
	struct limits *l = calloc(1, sizeof(*l));
	uint32_t places = places_for(max->sessions);

	assert(max->sessions > 0 && max->per_address > 0);
	if (l == NULL)
		return -ENOMEM;
	*l = (struct limits){
		.seed = seed,
		.max = *max,
		.mask = places - 1,
		.places = calloc(places, sizeof(*l->places)),
		.known = calloc(KNOWN_COUNT, sizeof(*l->known)),
	};
	l->evictable_end = &l->evictable;
	if (l->places == NULL || l->known == NULL) {
		free(l->places);
		free(l->known);
		free(l);
		return -ENOMEM;
	}
	pthread_mutex_init(&l->lock, NULL);
	*out = l;
	return 0;
}

void limits_free(struct limits *l)
{
	if (l == NULL)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l->places);
	free(l->known);
	free(l);
}

/* Known addresses */

/*
 * The slot of @address, or a free slot for it; NULL if others occupy all slots
 * in which it may be.
 */
static uint8_t *known_find(const struct limits *l, const uint8_t address[16])
{
	static const uint8_t none[16];
	uint32_t home = home_index(l, address, KNOWN_COUNT - 1);
	uint8_t *unused = NULL;

	for (uint32_t i = 0; i < KNOWN_PROBES; i++) {
		uint8_t *at = l->known[(home + i) & (KNOWN_COUNT - 1)];

		if (memcmp(at, address, 16) == 0)
			return at;
		if (unused == NULL && memcmp(at, none, 16) == 0)
			unused = at;
	}
	return unused;
}

static bool address_is_known(const struct limits *l, const uint8_t address[16])
{
	const uint8_t *at = known_find(l, address);

	return at != NULL && memcmp(at, address, 16) == 0;
}

void limits_remember(struct limits *l, const uint8_t address[16])
{
	uint8_t *at;

	pthread_mutex_lock(&l->lock);
	at = known_find(l, address);
	if (at == NULL)
		at = l->known[home_index(l, address, KNOWN_COUNT - 1)];
	memcpy(at, address, 16);
	pthread_mutex_unlock(&l->lock);
}

/* Eviction */

static void evictable_add(struct limits *l, struct limits_place *place)
{
	place->next = NULL;
	place->link = l->evictable_end;
	*l->evictable_end = place;
	l->evictable_end = &place->next;
}

static void evictable_remove(struct limits *l, struct limits_place *place)
{
	if (place->link == NULL)
		return;
	*place->link = place->next;
	if (place->next != NULL)
		place->next->link = place->link;
	else
		l->evictable_end = place->link;
	place->link = NULL;
}

void limits_keep(struct limits *l, struct limits_place *place)
{
	pthread_mutex_lock(&l->lock);
	evictable_remove(l, place);
	pthread_mutex_unlock(&l->lock);
}

/* Admission */

static uint32_t kept_free(uint32_t reserved, uint32_t taken)
{
	return reserved > taken ? reserved - taken : 0;
}

static uint32_t configured_reserve(const struct limits_max *max)
{
	uint32_t most = max->sessions / CONFIGURED_SHARE;

	return max->configured < most ? max->configured : most;
}

/* True if there is a slot for one more session of @kind. */
static bool has_room(const struct limits *l, enum limits_kind kind)
{
	uint64_t taken = l->sessions;

	if (kind < LIMITS_CONFIGURED)
		taken += kept_free(configured_reserve(&l->max),
				   l->kinds[LIMITS_CONFIGURED]);
	if (kind < LIMITS_KNOWN)
		taken += kept_free(l->max.sessions / KNOWN_SHARE,
				   l->kinds[LIMITS_KNOWN]);
	return taken < l->max.sessions;
}

/*
 * The address by which a session is counted: for IPv6 the /64, because a
 * customer has at least a /64.
 */
static void counted_address(const uint8_t address[16], enum limits_kind kind,
			    uint8_t out[16])
{
	memcpy(out, address, 16);
	if (kind != LIMITS_CONFIGURED && !wire_is_mapped(address))
		memset(out + 8, 0, 8);
}

static void place_drop(struct limits *l, struct limits_place *place);

/* Evict the oldest session that may be evicted. False if there is none. */
static bool evict_oldest(struct limits *l)
{
	struct limits_place *oldest = l->evictable;

	if (oldest == NULL)
		return false;
	place_drop(l, oldest);
	atomic_store(&oldest->evicted, true);
	/*
	 * The socket is still open, because it is closed only after
	 * limits_leave().
	 */
	(void)sp_shutdown(oldest->fd, SHUT_RDWR);
	return true;
}

static enum limits_verdict admit_locked(struct limits *l,
					struct limits_place *place)
{
	enum limits_kind kind = (enum limits_kind)place->kind;
	struct address_count *p;

	p = &l->places[place_find(l, l->places, l->mask, place->counted_as)];
	if (p->sessions >= l->max.per_address)
		return has_room(l, kind) ? LIMITS_ADDRESS_FULL
					 : LIMITS_ALL_FULL;
	if (!has_room(l, kind) && (!evict_oldest(l) || !has_room(l, kind)))
		return LIMITS_ALL_FULL;
	/* Search again, because an eviction may have moved the entry. */
	p = &l->places[place_find(l, l->places, l->mask, place->counted_as)];
	memcpy(p->address, place->counted_as, sizeof(p->address));
	p->sessions++;
	l->sessions++;
	l->kinds[kind]++;
	place->held = true;
	if (kind == LIMITS_STRANGER)
		evictable_add(l, place);
	return LIMITS_ADMIT;
}

enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16],
				 bool configured, int fd,
				 struct limits_place *place)
{
	enum limits_verdict verdict;

	*place = (struct limits_place){ .fd = fd };
	pthread_mutex_lock(&l->lock);
	place->number = ++l->admissions;
	if (configured)
		place->kind = LIMITS_CONFIGURED;
	else if (address_is_known(l, address))
		place->kind = LIMITS_KNOWN;
	counted_address(address, (enum limits_kind)place->kind,
			place->counted_as);
	verdict = admit_locked(l, place);
	pthread_mutex_unlock(&l->lock);
	return verdict;
}

/* Release */

/*
 * Close the gap after slot @gap became free: move back later entries that could
 * not be found any more, because their probe sequence crosses the gap.
 */
static void close_gap(struct limits *l, uint32_t gap)
{
	uint32_t i = gap;

	for (;;) {
		uint32_t from_home;

		i = (i + 1) & l->mask;
		if (l->places[i].sessions == 0)
			return;
		from_home = (i - home_index(l, l->places[i].address, l->mask)) &
			    l->mask;
		if (from_home < ((i - gap) & l->mask))
			continue;
		l->places[gap] = l->places[i];
		l->places[i].sessions = 0;
		gap = i;
	}
}

static void place_drop(struct limits *l, struct limits_place *place)
{
	uint32_t i = place_find(l, l->places, l->mask, place->counted_as);

	assert(l->places[i].sessions > 0);
	place->held = false;
	evictable_remove(l, place);
	l->sessions--;
	l->kinds[place->kind]--;
	if (--l->places[i].sessions == 0)
		close_gap(l, i);
}

void limits_leave(struct limits *l, struct limits_place *place)
{
	pthread_mutex_lock(&l->lock);
	if (place->held)
		place_drop(l, place);
	pthread_mutex_unlock(&l->lock);
}

/*
 * Replace the table by one for @sessions. Sessions above a lower limit stay, so
 * the table is large enough for the present sessions, too.
 */
static int table_resize(struct limits *l, uint32_t sessions)
{
	uint32_t places =
		places_for(sessions > l->sessions ? sessions : l->sessions);
	struct address_count *made = calloc(places, sizeof(*made));

	if (made == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i <= l->mask; i++) {
		const struct address_count *p = &l->places[i];

		if (p->sessions != 0)
			made[place_find(l, made, places - 1, p->address)] = *p;
	}
	free(l->places);
	l->places = made;
	l->mask = places - 1;
	return 0;
}

int limits_set(struct limits *l, const struct limits_max *max)
{
	int err;

	assert(max->sessions > 0 && max->per_address > 0);
	pthread_mutex_lock(&l->lock);
	err = table_resize(l, max->sessions);
	if (err == 0)
		l->max = *max;
	pthread_mutex_unlock(&l->lock);
	return err;
}

uint32_t limits_sessions(struct limits *l)
{
	uint32_t n;

	pthread_mutex_lock(&l->lock);
	n = l->sessions;
	pthread_mutex_unlock(&l->lock);
	return n;
}

uint32_t limits_sessions_of(struct limits *l, const uint8_t address[16])
{
	uint8_t counted[16];
	uint32_t n;

	counted_address(address, LIMITS_STRANGER, counted);
	pthread_mutex_lock(&l->lock);
	n = l->places[place_find(l, l->places, l->mask, counted)].sessions;
	pthread_mutex_unlock(&l->lock);
	return n;
}

static int64_t deadline_after(int64_t start, int64_t ns)
{
	return ns >= SP_NEVER - start ? SP_NEVER : start + ns;
}

int64_t limits_frame_deadline(const struct limits_times *t, int64_t began)
{
	return began == 0 ? SP_NEVER : deadline_after(began, t->frame);
}

int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last)
{
	return last == 0 ? deadline_after(opened, t->handshake)
			 : deadline_after(last, t->idle);
}
