/*
 * collector/checkpoint/snapshotter_counts.h - what a snapshotter counts
 */
#ifndef COLLECTOR_CHECKPOINT_SNAPSHOTTER_COUNTS_H
#define COLLECTOR_CHECKPOINT_SNAPSHOTTER_COUNTS_H

#include <stdint.h>

struct snapshotter_counts {
	uint64_t files;
	uint64_t routes;
	uint64_t bytes;
	uint64_t failures;
	int64_t longest; /* ns from the first slice to the file's name */
	int64_t took;	 /* the same, of the last */
	int64_t total;	 /* the same, of all */
	int64_t last;	 /* sp_now() when a file was last finished; 0: never */
};

#endif
