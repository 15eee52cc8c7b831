/*
 * arancini/census.h - metrics of every peer, for --metrics-per-peer
 *
 * As survey.h, with samples instead of objects. Two families need two texts,
 * because the samples of a family stand together.
 */
#ifndef ARANCINI_CENSUS_H
#define ARANCINI_CENSUS_H

#include "arancini/desk.h"
#include "arancini/json.h"
#include "arancini/survey.h"

#define CENSUS_UP     "arancini_peer_up"
#define CENSUS_ROUTES "arancini_peer_routes"

struct census {
	struct desk_question question;
	struct survey_place place;
	struct json up;
	struct json routes;
	bool more;
};

/* NULL: no memory. */
struct census *census_new(void);
void census_free(struct census *c);

#endif
