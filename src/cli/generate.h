/*
 * cli/generate.h - shared parts of "arancini generate"
 *
 *	generate.c		options, the summary
 *	generate_output.c	to a file, to a collector
 */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include "cli/bmp_senders.h"
#include "cli/bmp_target.h"
#include "load/router.h"

struct generate {
	struct load_plan plan;
	struct load_table *table;
	const char *file;     /* NULL = send to the target */
	struct target target; /* of --to */
	const char *target_name;
	bool wall_clock; /* use real times in the headers */
	/* end churn at full speed after this time; 0 = no end */
	int64_t duration_ns;

	/* Results */
	struct sessions sessions;
	struct load_counts counts; /* of all routers */
	uint32_t tables;	   /* routers that have sent their tables */
	/* routes sent when all routers had sent their tables */
	uint64_t table_updates;
	int64_t began;
	int64_t tables_at;
	int64_t ended;
};

/* The number of routes so far, announced and withdrawn. */
static inline uint64_t generate_updates(const struct load_counts *counts)
{
	return counts->announced + counts->withdrawn;
}

/*
 * Generate the sessions. Both return the exit code, after printing any error.
 */
int generate_to_file(struct generate *g);
int generate_to_target(struct generate *g);

#endif
