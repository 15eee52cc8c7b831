/*
 * spargio/probe.h - what this kernel's io_uring does for the runtime
 *
 * The runtime takes what there is and says nothing (sp_backend_name() tells
 * what became of it). This is for who wants to know before: an installer, a
 * check of a host. Each feature is tried, not guessed from a version number.
 *
 * Threads	Any thread, fiber or not. Blocks for microseconds.
 */
#ifndef SPARGIO_PROBE_H
#define SPARGIO_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sp_feature {
	SP_FEATURE_MSG_RING, /* shards wake each other without an eventfd */
	SP_FEATURE_DEFER_TASKRUN, /* completions come when they are asked for */
	SP_FEATURE_NO_SQARRAY,	  /* one indirection less a submission */
	SP_FEATURE_BUFFER_RING,	  /* the kernel picks buffers to receive into */
	SP_FEATURE_RECV_MULTISHOT, /* one submission for a whole stream */
	SP_FEATURE_RECV_BUNDLE,	   /* one completion for several buffers */
	SP_FEATURE_NO_IOWAIT, /* a sleeping shard is not "waiting for I/O" */
	SP_FEATURES
};

struct sp_probe {
	int error; /* 0, or why there is no io_uring: the runtime uses epoll */
	uint32_t features; /* bits by enum sp_feature */
};

void sp_probe_get(struct sp_probe *out);

static inline bool sp_probe_has(const struct sp_probe *probe,
				enum sp_feature feature)
{
	return probe->features >> feature & 1;
}

/* A word for a feature, and the Linux version that brought it: "6.1". */
const char *sp_feature_name(enum sp_feature feature);
const char *sp_feature_since(enum sp_feature feature);

#ifdef __cplusplus
}
#endif

#endif
