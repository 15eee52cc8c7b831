/*
 * collector/base/log.h - one line for each event
 *
 *	time=2026-11-16T00:22:20.123Z level=info event=session_open
 *		router=core1 from=192.0.2.1:50123
 *
 * (on one line), or the same as a JSON object. A caller says what and with
 * which values; how it looks is decided here:
 *
 *	struct log_line line;
 *
 *	if (log_begin(log, LOG_LEVEL_INFO, "session_open", &line)) {
 *		log_text(&line, "router", name);
 *		log_u64(&line, "sessions", n);
 *		log_end(&line);
 *	}
 *
 * With the level off, log_begin() is one load and a comparison, and the values
 * are never worked out.
 *
 * Threads	Any; a line is made on the caller's stack and written by one
 *		call, so lines never mix. A bucket belongs to one thread.
 * Blocking	A line is written at once or not at all. Where standard error is
 *		a pipe, a socket or a terminal whose reader does not keep up,
 *		the line is lost and counted, and the next one that gets
 *		through says lost=N. A regular file is written plainly. See
 *		docs/decisions/0050.
 * Values	Text may hold any bytes: it is quoted and escaped as needed,
 *		and cut with "..." at LOG_VALUE_MAX. A field that does not fit
 *		into the line any more is left out and the line says cut=true.
 */
#ifndef COLLECTOR_BASE_LOG_H
#define COLLECTOR_BASE_LOG_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Below PIPE_BUF: what a pipe takes whole or not at all. */
#define LOG_LINE_MAX  2048
#define LOG_VALUE_MAX 256

enum log_level {
	LOG_LEVEL_ERROR,   /* the operator must do something */
	LOG_LEVEL_WARNING, /* something is not as it should be */
	LOG_LEVEL_INFO,	   /* the life of sessions and peers */
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
	uint8_t way; /* how to write without waiting; set by log_init() */
	uint8_t format;
	bool own_fd;
	_Atomic uint8_t level;
	_Atomic uint64_t lost;	    /* ever */
	_Atomic uint64_t lost_told; /* of them, said in a line */
	_Atomic uint64_t lines;	    /* ever written */
};

/*
 * So that a session cannot fill the disk: a line costs one token; they come
 * back at @per_second up to @burst.
 */
struct log_bucket {
	uint32_t burst;
	uint32_t per_second;
	uint32_t tokens;
	uint32_t suppressed; /* since the last line that was written */
	uint64_t left_out_total;
	int64_t last_ns; /* when tokens last came back */
};

struct log_line {
	struct log *log;
	size_t len;
	uint8_t format;
	bool cut;
	char bytes[LOG_LINE_MAX];
};

/* Life cycle */

/* Write to @fd, which stays the caller's. */
void log_init(struct log *log, int fd, enum log_format format,
	      enum log_level level);
void log_fini(struct log *log);

/* At a reload, from any thread. */
void log_set_level(struct log *log, enum log_level level);

uint64_t log_lost(const struct log *log);

void log_bucket_init(struct log_bucket *bucket, uint32_t burst,
		     uint32_t per_second, int64_t now_ns);

/* A line */

static inline bool log_wants(const struct log *log, enum log_level level)
{
	return level <= atomic_load_explicit(&log->level, memory_order_relaxed);
}

/* Makes the line whatever the level; use log_begin(). */
void log_start(struct log *log, enum log_level level, const char *event,
	       struct log_line *line);

/* False: nothing to do, and @line is not touched. */
static inline bool log_begin(struct log *log, enum log_level level,
			     const char *event, struct log_line *line)
{
	if (!log_wants(log, level))
		return false;
	log_start(log, level, event, line);
	return true;
}

/*
 * The same for what a router can cause. Without a token the line is left out
 * and counted; the next one says suppressed=N. @now_ns is monotonic.
 */
bool log_begin_limited(struct log *log, struct log_bucket *bucket,
		       int64_t now_ns, enum log_level level, const char *event,
		       struct log_line *line);

/* Fields: @key is ours, lower case with "_"; the value may be anything. */
void log_text(struct log_line *line, const char *key, const char *value);
void log_bytes(struct log_line *line, const char *key, const void *value,
	       size_t len);
void log_u64(struct log_line *line, const char *key, uint64_t value);
void log_i64(struct log_line *line, const char *key, int64_t value);
void log_bool(struct log_line *line, const char *key, bool value);
/* Seconds, to the millisecond. */
void log_seconds(struct log_line *line, const char *key, int64_t ns);
/* 16 bytes, IPv4 mapped; with a port, [2001:db8::1]:4000. */
void log_address(struct log_line *line, const char *key,
		 const uint8_t address[16]);
void log_address_port(struct log_line *line, const char *key,
		      const uint8_t address[16], uint16_t port);
/* A negative errno, by its words. */
void log_error(struct log_line *line, const char *key, int err);

/* Write it. */
void log_end(struct log_line *line);

#endif
