/*
 * spargio/probe.h - the io_uring features of this kernel
 *
 * The runtime uses the available features without a message (sp_backend_name()
 * returns the back end). This header is for programs that need to know the
 * features in advance, such as an installer. Each feature is tested, not
 * derived from a version number.
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
	/* completions run when the shard asks for them */
	SP_FEATURE_DEFER_TASKRUN,
	SP_FEATURE_NO_SQARRAY,	   /* no index array in the submission queue */
	SP_FEATURE_BUFFER_RING,	   /* the kernel chooses the receive buffers */
	SP_FEATURE_RECV_MULTISHOT, /* one submission for many receives */
	SP_FEATURE_RECV_BUNDLE,	   /* one completion for several buffers */
	SP_FEATURE_NO_IOWAIT, /* a sleeping shard is not counted as I/O wait */
	SP_FEATURES
};

struct sp_probe {
	/*
	 * 0, or the negative errno of the io_uring set-up; then epoll is used
	 */
	int error;
	uint32_t features; /* bit mask by enum sp_feature */
};

void sp_probe_get(struct sp_probe *out);

static inline bool sp_probe_has(const struct sp_probe *probe,
				enum sp_feature feature)
{
	return probe->features >> feature & 1;
}

/* The name of a feature, and the Linux version that introduced it: "6.1". */
const char *sp_feature_name(enum sp_feature feature);
const char *sp_feature_since(enum sp_feature feature);

#ifdef __cplusplus
}
#endif

#endif
