/*
 * cli/status.h - shared parts of "arancini status"
 *
 *	status.c	options, requests, watching
 *	status_text.c	the answers as tables
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include "cli/terminal.h"

#include <stdio.h>

struct json_object;

/* The answers of the collector. Lists are NULL if they were not requested. */
struct status_answers {
	struct json_object *status;
	struct json_object *routers;
	struct json_object *peers;
	bool cut; /* a list was truncated: the collector has more elements */
};

void status_text(FILE *to, const struct terminal *terminal,
		 const struct status_answers *answers);

#endif
