/*
 * collector/checkpoint/snapshotter_counts.h - the counters of a snapshotter
 */
#ifndef COLLECTOR_CHECKPOINT_SNAPSHOTTER_COUNTS_H
#define COLLECTOR_CHECKPOINT_SNAPSHOTTER_COUNTS_H

#include <stdint.h>

struct snapshotter_counts {
	uint64_t files;
	uint64_t routes;
	uint64_t bytes;
	uint64_t failures;
	/* longest time for a file, from the first slice to the commit, ns */
	int64_t longest;
	int64_t took;  /* time for the last file, ns */
	int64_t total; /* total time of all files, ns */
	/* sp_now() when the last file was committed; 0 = never */
	int64_t last;
};

#endif
