/*
 * collector/base/log.h - one line for each event
 *
 *	time=2026-11-16T00:22:20.123Z level=info event=session_open
 *		router=core1 from=192.0.2.1:50123
 *
 * (on one line), or the same as a JSON object. The caller passes the event and
 * its values, and this module formats them:
 *
 *	struct log_line line;
 *
 *	if (log_begin(log, LOG_LEVEL_INFO, "session_open", &line)) {
 *		log_text(&line, "router", name);
 *		log_u64(&line, "sessions", n);
 *		log_end(&line);
 *	}
 *
 * If the level is off, log_begin() costs one load and a comparison, and the
 * caller does not compute the values.
 *
 * Threads	Any; a line is built on the caller's stack and written by one
 *		call, so lines never mix. A bucket belongs to one thread.
 * Blocking	A line is written immediately or not at all. If standard error
 *		is a pipe, a socket or a terminal whose reader does not keep up,
 *		the line is lost and counted, and the next line that is written
 *		has lost=N. A regular file is written normally. See
 *		docs/decisions/0050.
 * Values	Text may contain any bytes: it is quoted and escaped as needed,
 *		and truncated with "..." at LOG_VALUE_MAX. A field that does not
 *		fit into the line is left out and the line has cut=true.
 */
#ifndef COLLECTOR_BASE_LOG_H
#define COLLECTOR_BASE_LOG_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* At most PIPE_BUF, so that a pipe takes a line as a whole or not at all. */
#define LOG_LINE_MAX  2048
#define LOG_VALUE_MAX 256

enum log_level {
	LOG_LEVEL_ERROR,   /* an operator must act */
	LOG_LEVEL_WARNING, /* an unexpected condition */
	LOG_LEVEL_INFO,	   /* sessions and peers open and close */
	LOG_LEVEL_DEBUG,
	LOG_LEVELS
};

enum log_format {
	LOG_FORMAT_TEXT,
	LOG_FORMAT_JSON,
	LOG_FORMATS
};

const char *log_level_name(enum log_level level);

struct log {
	int fd;
	/* method to write without waiting (enum way); set by log_init() */
	uint8_t way;
	uint8_t format;
	bool own_fd;
	_Atomic uint8_t level;
	_Atomic uint64_t lost; /* lines lost since the start */
	/* how many of the lost lines were reported in a line */
	_Atomic uint64_t lost_told;
	_Atomic uint64_t lines; /* lines written since the start */
	/* lines suppressed by all buckets since the start */
	_Atomic uint64_t suppressed;
	/*
	 * The limit that all buckets share: the time when all its tokens will
	 * be available again. A time in the past = all are available.
	 */
	_Atomic int64_t tokens_back_ns;
};

/*
 * The limit that all buckets share: burst, and lines per second. A quarter of
 * the burst is for warnings and errors alone.
 */
#define LOG_SHARED_BURST 10000
#define LOG_SHARED_RATE	 100

/*
 * A rate limit for lines, so that a session cannot fill the disk. A line costs
 * one token; @per_second tokens are added per second, up to @burst.
 */
struct log_bucket {
	uint32_t burst;
	uint32_t per_second;
	uint32_t tokens;
	/* lines suppressed since the last one that was written */
	uint32_t suppressed;
	int64_t last_ns; /* time when tokens were last added */
};

struct log_line {
	struct log *log;
	size_t len;
	uint8_t format;
	bool cut;
	char bytes[LOG_LINE_MAX];
};

/* Life cycle */

/* Write to @fd, which the caller closes. */
void log_init(struct log *log, int fd, enum log_format format,
	      enum log_level level);
void log_fini(struct log *log);

/* Change the level, at a reload. Any thread. */
void log_set_level(struct log *log, enum log_level level);

uint64_t log_lost(const struct log *log);
uint64_t log_suppressed(const struct log *log);

void log_bucket_init(struct log_bucket *bucket, uint32_t burst,
		     uint32_t per_second, int64_t now_ns);

/* A line */

static inline bool log_wants(const struct log *log, enum log_level level)
{
	return level <= atomic_load_explicit(&log->level, memory_order_relaxed);
}

/* Start the line whatever its level is. Use log_begin() instead. */
void log_start(struct log *log, enum log_level level, const char *event,
	       struct log_line *line);

/*
 * Begin a line. Returns false if the level is off; @line is then not
 * initialised.
 */
static inline bool log_begin(struct log *log, enum log_level level,
			     const char *event, struct log_line *line)
{
	if (!log_wants(log, level))
		return false;
	log_start(log, level, event, line);
	return true;
}

/*
 * Like log_begin(), for an event that a router or a client can cause. If no
 * token is left, the line is left out and counted, and the next line of the
 * bucket has suppressed=N. A line takes a token from @bucket and one from the
 * limit that all buckets share, so that many routers together cannot fill the
 * disk either. @now_ns is monotonic.
 */
bool log_begin_limited(struct log *log, struct log_bucket *bucket,
		       int64_t now_ns, enum log_level level, const char *event,
		       struct log_line *line);

/* Append a field. @key is lower case with "_"; the value may be anything. */
void log_text(struct log_line *line, const char *key, const char *value);
void log_bytes(struct log_line *line, const char *key, const void *value,
	       size_t len);
void log_u64(struct log_line *line, const char *key, uint64_t value);
void log_i64(struct log_line *line, const char *key, int64_t value);
void log_bool(struct log_line *line, const char *key, bool value);
/* Append a duration in seconds with milliseconds. */
void log_seconds(struct log_line *line, const char *key, int64_t ns);
/*
 * Append an address of 16 bytes; as IPv4 if it is IPv4-mapped. With a port it
 * is written as [2001:db8::1]:4000.
 */
void log_address(struct log_line *line, const char *key,
		 const uint8_t address[16]);
void log_address_port(struct log_line *line, const char *key,
		      const uint8_t address[16], uint16_t port);
/* Append the text for @err, a negative errno. */
void log_error(struct log_line *line, const char *key, int err);

/* Write the line. */
void log_end(struct log_line *line);

#endif
