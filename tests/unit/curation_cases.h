/*
 * curation_cases.h - what the tests of the table of COLLECTOR.md section 4 begin
 * with: one stage, and a peer on it
 */
#ifndef TESTS_CURATION_CASES_H
#define TESTS_CURATION_CASES_H

#include "curation.h"

static struct stage s;

static inline struct stage_peer peer_a(void)
{
	return stage_peer("192.0.2.10", 64510);
}

static inline struct rib_flow flow(void)
{
	struct rib_flow f;

	rib_flow(s.rib, &f);
	return f;
}

/* A peer that is up and has told 198.51.100.0/24, MED 7. */
static inline struct stage_peer start(const struct rib_config *config)
{
	struct stage_peer a = peer_a();

	stage_start(&s, config);
	stage_up(&s, &a);
	stage_announce(&s, &a, "198.51.100.0/24", 7);
	return a;
}

static inline struct rib_config defaults(void)
{
	struct rib_config c;

	rib_config_defaults(&c);
	return c;
}

/* The peer comes up once more, with its table to be told. */
static inline void again(struct stage_peer *a)
{
	a->port++;
	stage_up(&s, a);
	stage_forget(&s);
}

#endif
