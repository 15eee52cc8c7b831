/*
 * A line is built in the caller's memory and written by one system call that
 * does not wait. Which call depends on the kind of standard error:
 *
 *	socket (the journal)	send() with MSG_DONTWAIT
 *	pipe, terminal		write() to a second, non-blocking descriptor of
 *				the same file; the original descriptor is
 *				shared with other programs, so its mode must
 *				not be changed
 *	pipe or terminal that	poll(), then write(). If two threads see room
 *	cannot be opened again	for one line, the second one blocks
 *	anything else		write(): a file is written without waiting
 */
#include "collector/base/log.h"

#include "bmp/text.h"

#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Space reserved for log_end(): the fields cut and lost, a closing brace, a
 * newline.
 */
#define TAIL_MAX 80

enum way {
	WAY_WRITE,
	WAY_SEND,
	WAY_NONBLOCK,
	WAY_POLL,
};

const char *log_level_name(enum log_level level)
{
	static const char *const names[LOG_LEVELS] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug",
	};

	return level < LOG_LEVELS ? names[level] : "unknown";
}

/* Life cycle */

static int open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void choose_way(struct log *log, int fd)
{
	struct stat st;
	int own;

	log->fd = fd;
	if (fstat(fd, &st) < 0 ||
	    !(S_ISSOCK(st.st_mode) || isatty(fd) || S_ISFIFO(st.st_mode))) {
		log->way = WAY_WRITE;
		return;
	}
	if (S_ISSOCK(st.st_mode)) {
		log->way = WAY_SEND;
		return;
	}
	own = open_again(fd);
	if (own < 0) {
		log->way = WAY_POLL;
		return;
	}
	log->way = WAY_NONBLOCK;
	log->fd = own;
	log->own_fd = true;
}

void log_init(struct log *log, int fd, enum log_format format,
	      enum log_level level)
{
	*log = (struct log){ .format = (uint8_t)format };
	atomic_init(&log->level, (uint8_t)level);
	choose_way(log, fd);
}

void log_fini(struct log *log)
{
	if (log == NULL)
		return;
	if (log->own_fd)
		close(log->fd);
	log->own_fd = false;
	log->fd = -1;
}

void log_set_level(struct log *log, enum log_level level)
{
	atomic_store_explicit(&log->level, (uint8_t)level,
			      memory_order_relaxed);
}

uint64_t log_lost(const struct log *log)
{
	return atomic_load_explicit(&log->lost, memory_order_relaxed);
}

uint64_t log_suppressed(const struct log *log)
{
	return atomic_load_explicit(&log->suppressed, memory_order_relaxed);
}

/* Buckets */

void log_bucket_init(struct log_bucket *bucket, uint32_t burst,
		     uint32_t per_second, int64_t now_ns)
{
	*bucket = (struct log_bucket){
		.burst = burst,
		.per_second = per_second,
		.tokens = burst,
		.last_ns = now_ns,
	};
}

static bool take_token(struct log_bucket *b, int64_t now_ns)
{
	int64_t each_ns =
		INT64_C(1000000000) / (b->per_second > 0 ? b->per_second : 1);
	int64_t back = (now_ns - b->last_ns) / each_ns;

	if (b->per_second > 0 && back > 0) {
		/* Keep the time that is not enough for a whole token. */
		b->last_ns += back * each_ns;
		if (back >= b->burst - b->tokens)
			b->tokens = b->burst;
		else
			b->tokens += (uint32_t)back;
	}
	if (b->tokens == 0)
		return false;
	b->tokens--;
	return true;
}

/* Take a token from the limit that all buckets share. False if it has none. */
static bool take_shared_token(struct log *log, enum log_level level,
			      int64_t now_ns)
{
	const int64_t each_ns = INT64_C(1000000000) / LOG_SHARED_RATE;
	int64_t most = level <= LOG_LEVEL_WARNING ? LOG_SHARED_BURST
						  : LOG_SHARED_BURST / 4 * 3;
	int64_t before = atomic_load(&log->tokens_back_ns);
	int64_t after;

	do {
		after = (before > now_ns ? before : now_ns) + each_ns;
		if (after - now_ns > most * each_ns)
			return false;
	} while (!atomic_compare_exchange_weak(&log->tokens_back_ns, &before,
					       after));
	return true;
}

static bool take_tokens(struct log *log, struct log_bucket *bucket,
			enum log_level level, int64_t now_ns)
{
	if (!take_token(bucket, now_ns))
		return false;
	if (take_shared_token(log, level, now_ns))
		return true;
	bucket->tokens++;
	return false;
}

bool log_begin_limited(struct log *log, struct log_bucket *bucket,
		       int64_t now_ns, enum log_level level, const char *event,
		       struct log_line *line)
{
	if (!log_wants(log, level))
		return false;
	if (!take_tokens(log, bucket, level, now_ns)) {
		bucket->suppressed++;
		atomic_fetch_add_explicit(&log->suppressed, 1,
					  memory_order_relaxed);
		return false;
	}
	log_start(log, level, event, line);
	if (bucket->suppressed > 0)
		log_u64(line, "suppressed", bucket->suppressed);
	bucket->suppressed = 0;
	return true;
}

/* Building a line */

/* The number of bytes that can still be appended, without the reserved tail. */
static size_t line_room(const struct log_line *line)
{
	return sizeof(line->bytes) - TAIL_MAX - line->len;
}

/* Append text. If it does not fit, mark the line and return false. */
static bool line_append(struct log_line *line, const char *s, size_t n)
{
	if (n > line_room(line)) {
		line->cut = true;
		return false;
	}
	memcpy(line->bytes + line->len, s, n);
	line->len += n;
	return true;
}

static bool put_str(struct log_line *line, const char *s)
{
	return line_append(line, s, strlen(s));
}

static bool put_key(struct log_line *line, const char *key)
{
	if (line->format == LOG_FORMAT_JSON)
		return put_str(line, line->len == 1 ? "\"" : ",\"") &&
		       put_str(line, key) && put_str(line, "\":");
	return (line->len == 0 || line_append(line, " ", 1)) &&
	       put_str(line, key) && line_append(line, "=", 1);
}

/* Append a whole field or nothing. @value needs no escaping. */
static void put_field(struct log_line *line, const char *key, const char *value)
{
	size_t before = line->len;

	if (!put_key(line, key) || !put_str(line, value))
		line->len = before;
}

static bool is_plain(struct wire_view v)
{
	for (size_t i = 0; i < v.len; i++)
		if (v.p[i] <= ' ' || v.p[i] >= 0x7f || v.p[i] == '"' ||
		    v.p[i] == '=' || v.p[i] == '\\')
			return false;
	return v.len > 0;
}

static bool put_character(struct log_line *line, struct wire_view v, size_t n)
{
	char escape[8];
	uint32_t code;

	if (n == 0)
		return put_str(line, "\\ufffd");
	switch (v.p[0]) {
	case '\n':
		return put_str(line, "\\n");
	case '\t':
		return put_str(line, "\\t");
	case '"':
		return put_str(line, "\\\"");
	case '\\':
		return put_str(line, "\\\\");
	default:
		break;
	}
	if (!text_is_unsafe(v.p, n, &code))
		return line_append(line, (const char *)v.p, n);
	snprintf(escape, sizeof(escape), "\\u%04x", (uint16_t)code);
	return put_str(line, escape);
}

static bool put_quoted(struct log_line *line, struct wire_view v)
{
	size_t left = LOG_VALUE_MAX;

	if (!line_append(line, "\"", 1))
		return false;
	while (v.len > 0) {
		size_t n = text_utf8_len(v);
		size_t step = n > 0 ? n : 1;

		if (step > left)
			return put_str(line, "...\"");
		if (!put_character(line, v, n))
			return false;
		left -= step;
		v.p += step;
		v.len -= step;
	}
	return line_append(line, "\"", 1);
}

void log_bytes(struct log_line *line, const char *key, const void *value,
	       size_t len)
{
	struct wire_view v = { value, len };
	size_t before = line->len;
	bool fits = put_key(line, key);

	if (line->format == LOG_FORMAT_TEXT && len <= LOG_VALUE_MAX &&
	    is_plain(v))
		fits = fits && line_append(line, value, len);
	else
		fits = fits && put_quoted(line, v);
	if (!fits)
		line->len = before;
}

void log_text(struct log_line *line, const char *key, const char *value)
{
	log_bytes(line, key, value, strlen(value));
}

void log_u64(struct log_line *line, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_field(line, key, text);
}

void log_i64(struct log_line *line, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_field(line, key, text);
}

void log_bool(struct log_line *line, const char *key, bool value)
{
	put_field(line, key, value ? "true" : "false");
}

void log_seconds(struct log_line *line, const char *key, int64_t ns)
{
	uint64_t ms = (ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns) / 1000000;
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "",
		 ms / 1000, (unsigned int)(ms % 1000));
	put_field(line, key, text);
}

void log_address(struct log_line *line, const char *key,
		 const uint8_t address[16])
{
	char text[64];
	struct text t = text_start(text, sizeof(text));

	text_ip(&t, address);
	log_bytes(line, key, text, text_end(&t));
}

void log_address_port(struct log_line *line, const char *key,
		      const uint8_t address[16], uint16_t port)
{
	char text[64];
	struct text t = text_start(text, sizeof(text));

	text_ip_port(&t, address, port);
	log_bytes(line, key, text, text_end(&t));
}

void log_error(struct log_line *line, const char *key, int err)
{
	char text[128];

	/* The GNU form of strerror_r(): it may return a static string. */
	log_text(line, key, strerror_r(-err, text, sizeof(text)));
}

/* Append the time: "2026-11-16T00:22:20.123Z". */
static void put_time(struct log_line *line)
{
	int64_t now = sp_wall_now();
	time_t seconds = now / SP_S;
	struct tm tm;
	char text[64];
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, sizeof(text) - len, ".%03ldZ",
		 (long)(now % SP_S / SP_MS));
	log_text(line, "time", text);
}

void log_start(struct log *log, enum log_level level, const char *event,
	       struct log_line *line)
{
	line->log = log;
	line->len = 0;
	line->format = log->format;
	line->cut = false;
	if (line->format == LOG_FORMAT_JSON)
		line->bytes[line->len++] = '{';
	put_time(line);
	log_text(line, "level", log_level_name(level));
	log_text(line, "event", event);
}

/* Writing a line */

static ssize_t write_now(const struct log *log, const char *p, size_t n)
{
	struct pollfd ready = { .fd = log->fd, .events = POLLOUT };

	switch ((enum way)log->way) {
	case WAY_SEND:
		return send(log->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	case WAY_POLL:
		if (poll(&ready, 1, 0) != 1) {
			errno = EAGAIN;
			return -1; /* like write(2): -1, with errno set */
		}
		break;
	case WAY_WRITE:
	case WAY_NONBLOCK:
		break;
	}
	return write(log->fd, p, n);
}

/*
 * Append the tail of the line, which may use the reserved space. @lost is the
 * number of lost lines to report in it; 0 = none.
 */
static void put_tail(struct log_line *line, uint64_t lost)
{
	char *end = line->bytes + line->len;
	size_t left = sizeof(line->bytes) - line->len;
	bool json = line->format == LOG_FORMAT_JSON;
	int n = 0;

	if (line->cut)
		n = snprintf(end, left, json ? ",\"cut\":true" : " cut=true");
	if (lost > 0)
		n += snprintf(end + n, left - (size_t)n,
			      json ? ",\"lost\":%" PRIu64 : " lost=%" PRIu64,
			      lost);
	n += snprintf(end + n, left - (size_t)n, json ? "}\n" : "\n");
	line->len += (size_t)n;
}

void log_end(struct log_line *line)
{
	struct log *log = line->log;
	uint64_t told = atomic_load(&log->lost_told);
	uint64_t lost = atomic_load(&log->lost) - told;
	ssize_t n;

	/* Two threads may try to report the same lost lines: one succeeds. */
	if (lost > 0 && !atomic_compare_exchange_strong(&log->lost_told, &told,
							told + lost))
		lost = 0;
	put_tail(line, lost);
	do
		n = write_now(log, line->bytes, line->len);
	while (n < 0 && errno == EINTR);
	if (n >= 0) {
		atomic_fetch_add(&log->lines, 1);
		return;
	}
	/*
	 * This line is lost, too. The lost lines that it should have reported
	 * must be reported by a later line.
	 */
	atomic_fetch_add(&log->lost, 1);
	atomic_fetch_sub(&log->lost_told, lost);
}
