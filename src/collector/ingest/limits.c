/*
 * Sessions by address: an open-addressed table that has room for twice the
 * sessions allowed, so that admitting never allocates. Leaving closes the gap
 * by moving back what was pushed behind it; there are no tombstones to collect.
 */
#include "collector/ingest/limits.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct place {
	uint8_t address[16];
	uint32_t sessions; /* 0: the place is free */
};

struct limits {
	uint64_t seed;
	pthread_mutex_t lock;
	/* Under the lock. */
	uint32_t max;
	uint32_t max_per_address;
	uint32_t sessions;
	uint32_t mask;
	struct place *places;
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

/* Twice @sessions and a power of two, at least 16. */
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

/* Where @address is, or would go. There is always a free place. */
static uint32_t place_find(const struct limits *l, const struct place *places,
			   uint32_t mask, const uint8_t address[16])
{
	uint32_t i = home_index(l, address, mask);

	while (places[i].sessions != 0 &&
	       memcmp(places[i].address, address, 16) != 0)
		i = (i + 1) & mask;
	return i;
}

int limits_new(uint32_t sessions, uint32_t per_address, uint64_t seed,
	       struct limits **out)
{
	struct limits *l = calloc(1, sizeof(*l));
	uint32_t places = places_for(sessions);

	assert(sessions > 0 && per_address > 0);
	if (l == NULL)
		return -ENOMEM;
	*l = (struct limits){
		.seed = seed,
		.max = sessions,
		.max_per_address = per_address,
		.mask = places - 1,
		.places = calloc(places, sizeof(*l->places)),
	};
	if (l->places == NULL) {
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
	free(l);
}

enum limits_verdict limits_admit(struct limits *l, const uint8_t address[16])
{
	enum limits_verdict verdict = LIMITS_ADMIT;
	struct place *p;

	pthread_mutex_lock(&l->lock);
	p = &l->places[place_find(l, l->places, l->mask, address)];
	if (l->sessions >= l->max) {
		verdict = LIMITS_ALL_FULL;
	} else if (p->sessions >= l->max_per_address) {
		verdict = LIMITS_ADDRESS_FULL;
	} else {
		memcpy(p->address, address, sizeof(p->address));
		p->sessions++;
		l->sessions++;
	}
	pthread_mutex_unlock(&l->lock);
	return verdict;
}

/*
 * Place @gap is free: pull back whoever stands behind it and would be found no
 * more, because his way from home goes across the gap.
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

void limits_leave(struct limits *l, const uint8_t address[16])
{
	uint32_t i;

	pthread_mutex_lock(&l->lock);
	i = place_find(l, l->places, l->mask, address);
	assert(l->places[i].sessions > 0); /* gives back what it never took */
	if (l->places[i].sessions > 0) {
		l->sessions--;
		if (--l->places[i].sessions == 0)
			close_gap(l, i);
	}
	pthread_mutex_unlock(&l->lock);
}

/* Those who are in stay in, so the table must hold the larger of the two. */
static int table_resize(struct limits *l, uint32_t sessions)
{
	uint32_t places =
		places_for(sessions > l->sessions ? sessions : l->sessions);
	struct place *made = calloc(places, sizeof(*made));

	if (made == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i <= l->mask; i++) {
		const struct place *p = &l->places[i];

		if (p->sessions != 0)
			made[place_find(l, made, places - 1, p->address)] = *p;
	}
	free(l->places);
	l->places = made;
	l->mask = places - 1;
	return 0;
}

int limits_set(struct limits *l, uint32_t sessions, uint32_t per_address)
{
	int err;

	assert(sessions > 0 && per_address > 0);
	pthread_mutex_lock(&l->lock);
	err = table_resize(l, sessions);
	if (err == 0) {
		l->max = sessions;
		l->max_per_address = per_address;
	}
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
	uint32_t n;

	pthread_mutex_lock(&l->lock);
	n = l->places[place_find(l, l->places, l->mask, address)].sessions;
	pthread_mutex_unlock(&l->lock);
	return n;
}

static int64_t deadline_after(int64_t start, int64_t ns)
{
	return ns >= SP_NEVER - start ? SP_NEVER : start + ns;
}

int64_t limits_deadline(const struct limits_times *t, int64_t opened,
			int64_t last)
{
	return last == 0 ? deadline_after(opened, t->handshake)
			 : deadline_after(last, t->idle);
}
