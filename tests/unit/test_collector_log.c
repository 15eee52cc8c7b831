#include "check.h"

#include "collector/base/log.h"

#include <spargio/time.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t v4[16] = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 };
static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

/* A log into a pipe; what was written, up to now, without the time. */
struct fixture {
	struct log log;
	int fds[2];
	char text[70000];
};

static void start(struct fixture *f, enum log_format format,
		  enum log_level level)
{
	assert_int_equal(pipe2(f->fds, O_CLOEXEC), 0);
	assert_int_equal(fcntl(f->fds[0], F_SETFL, O_NONBLOCK), 0);
	log_init(&f->log, f->fds[1], format, level);
}

static void stop(struct fixture *f)
{
	log_fini(&f->log);
	close(f->fds[0]);
	close(f->fds[1]);
}

static const char *written(struct fixture *f)
{
	ssize_t n = read(f->fds[0], f->text, sizeof(f->text) - 1);

	f->text[n > 0 ? n : 0] = '\0';
	return f->text;
}

/* The line behind its time stamp. */
static const char *behind_time(struct fixture *f)
{
	const char *text = written(f);
	const char *from = strstr(text, "level");

	return from != NULL ? from : text;
}

static void test_a_line_has_time_level_event_and_fields(void **state)
{
	struct fixture f;
	struct log_line line;
	static const char shape[] = "time=9999-99-99T99:99:99.999Z";
	const char *text;
	size_t chars = 0;

	(void)state;
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	assert_true(log_begin(&f.log, LOG_LEVEL_INFO, "session_open", &line));
	log_text(&line, "router", "core1");
	log_u64(&line, "n", 7);
	log_i64(&line, "i", -7);
	log_bool(&line, "ok", true);
	log_seconds(&line, "took", 1234567890);
	log_address(&line, "a", v6);
	log_address_port(&line, "from", v4, 179);
	log_address_port(&line, "to", v6, 179);
	log_error(&line, "error", -ECONNRESET);
	log_end(&line);
	text = written(&f);
	for (; shape[chars] != '\0'; chars++)
		CHECK(shape[chars] == '9' ? isdigit(text[chars])
					  : text[chars] == shape[chars],
		      "%s", text);
	assert_string_equal(text + chars,
			    " level=info event=session_open router=core1 n=7 "
			    "i=-7 ok=true took=1.234 a=2001:db8::1 "
			    "from=192.0.2.1:179 to=[2001:db8::1]:179 "
			    "error=\"Connection reset by peer\"\n");
	stop(&f);
}

static void test_values_are_quoted_when_needed(void **state)
{
	static const struct {
		const char *value, *text, *json;
	} cases[] = {
		{ "plain", "plain", "\"plain\"" },
		{ "", "\"\"", "\"\"" },
		{ "two words", "\"two words\"", "\"two words\"" },
		{ "a=b", "\"a=b\"", "\"a=b\"" },
		{ "say \"hi\"", "\"say \\\"hi\\\"\"", "\"say \\\"hi\\\"\"" },
		{ "back\\slash", "\"back\\\\slash\"", "\"back\\\\slash\"" },
		{ "x\nlevel=error", "\"x\\nlevel=error\"",
		  "\"x\\nlevel=error\"" },
		{ "\x1b[31m\t", "\"\\u001b[31m\\t\"", "\"\\u001b[31m\\t\"" },
		{ "\x7f", "\"\\u007f\"", "\"\\u007f\"" },
		{ "Z\xc3\xbcrich", "\"Z\xc3\xbcrich\"", "\"Z\xc3\xbcrich\"" },
		{ "bad\xff", "\"bad\\ufffd\"", "\"bad\\ufffd\"" },
		{ "\xc2\x9b", "\"\\u009b\"", "\"\\u009b\"" },
		{ "a\xe2\x80\xae", "\"a\\u202e\"", "\"a\\u202e\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int format = 0; format < LOG_FORMATS; format++) {
			struct fixture f;
			struct log_line line;
			char want[200];

			start(&f, format, LOG_LEVEL_INFO);
			log_start(&f.log, LOG_LEVEL_ERROR, "x", &line);
			log_text(&line, "v", cases[i].value);
			log_end(&line);
			snprintf(want, sizeof(want),
				 format == LOG_FORMAT_JSON
					 ? "level\":\"error\",\"event\":\"x\","
					   "\"v\":%s}\n"
					 : "level=error event=x v=%s\n",
				 format == LOG_FORMAT_JSON ? cases[i].json
							   : cases[i].text);
			assert_string_equal(behind_time(&f), want);
			stop(&f);
		}
}

static void test_json_numbers_are_numbers(void **state)
{
	struct fixture f;
	struct log_line line;

	(void)state;
	start(&f, LOG_FORMAT_JSON, LOG_LEVEL_INFO);
	log_start(&f.log, LOG_LEVEL_INFO, "x", &line);
	log_u64(&line, "n", UINT64_MAX);
	log_bool(&line, "no", false);
	log_seconds(&line, "s", -1500000000);
	log_address(&line, "a", v4);
	log_end(&line);
	assert_string_equal(behind_time(&f),
			    "level\":\"info\",\"event\":\"x\","
			    "\"n\":18446744073709551615,\"no\":false,"
			    "\"s\":-1.500,\"a\":\"192.0.2.1\"}\n");
	stop(&f);
}

static void test_levels_that_are_off_write_nothing(void **state)
{
	struct fixture f;
	struct log_line line;

	(void)state;
	memset(&line, 0x55, sizeof(line));
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_WARNING);
	assert_false(log_begin(&f.log, LOG_LEVEL_INFO, "x", &line));
	assert_int_equal(line.len, 0x5555555555555555); /* untouched */
	log_set_level(&f.log, LOG_LEVEL_DEBUG);
	assert_true(log_begin(&f.log, LOG_LEVEL_DEBUG, "x", &line));
	log_end(&line);
	assert_string_equal(behind_time(&f), "level=debug event=x\n");
	stop(&f);
}

static void test_long_values_are_cut(void **state)
{
	struct fixture f;
	struct log_line line;
	char value[LOG_VALUE_MAX + 2];
	const char *text;

	(void)state;
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	memset(value, 'a', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	log_start(&f.log, LOG_LEVEL_INFO, "x", &line);
	log_text(&line, "v", value);
	log_text(&line, "w", "still");
	log_end(&line);
	text = behind_time(&f);
	assert_non_null(strstr(text, "a...\" w=still\n"));
	assert_int_equal(strspn(strchr(text, '"') + 1, "a"), LOG_VALUE_MAX);
	stop(&f);
}

/* Whatever is put into it, a line ends well and stays below PIPE_BUF. */
static void test_a_full_line_says_that_it_was_cut(void **state)
{
	(void)state;
	for (int format = 0; format < LOG_FORMATS; format++) {
		struct fixture f;
		struct log_line line;
		char value[LOG_VALUE_MAX + 1];
		const char *text;

		start(&f, format, LOG_LEVEL_INFO);
		memset(value, '\x01', sizeof(value) - 1);
		value[sizeof(value) - 1] = '\0';
		log_start(&f.log, LOG_LEVEL_INFO, "x", &line);
		for (int i = 0; i < 50; i++) {
			log_text(&line, "v", value);
			log_u64(&line, "n", (uint64_t)i);
		}
		log_end(&line);
		text = written(&f);
		assert_true(strlen(text) <= LOG_LINE_MAX);
		assert_string_equal(text + strlen(text) -
					    (format == LOG_FORMAT_JSON ? 13
								       : 10),
				    format == LOG_FORMAT_JSON
					    ? ",\"cut\":true}\n"
					    : " cut=true\n");
		stop(&f);
	}
	assert_true(LOG_LINE_MAX <= PIPE_BUF);
}

static void test_a_bucket_leaves_out_and_says_how_many(void **state)
{
	struct fixture f;
	struct log_line line;
	struct log_bucket b;
	int64_t now = 5 * SP_S;
	int lines = 0;

	(void)state;
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	log_bucket_init(&b, 3, 2, now);
	for (int i = 0; i < 10; i++)
		if (log_begin_limited(&f.log, &b, now, LOG_LEVEL_INFO, "x",
				      &line))
			lines++;
	assert_int_equal(lines, 3);
	assert_int_equal(b.suppressed, 7);
	/* What the level leaves out costs nothing and is not counted. */
	assert_false(log_begin_limited(&f.log, &b, now, LOG_LEVEL_DEBUG, "x",
				       &line));
	assert_int_equal(b.suppressed, 7);
	/* Two a second: one after half of it, none just before. */
	assert_false(log_begin_limited(&f.log, &b, now + SP_S / 2 - 1,
				       LOG_LEVEL_INFO, "x", &line));
	assert_true(log_begin_limited(&f.log, &b, now + SP_S / 2,
				      LOG_LEVEL_INFO, "x", &line));
	log_end(&line);
	assert_string_equal(behind_time(&f),
			    "level=info event=x suppressed=8\n");
	assert_int_equal(b.suppressed, 0);
	assert_int_equal(log_suppressed(&f.log), 8);
	/* A quarter of a token's time that was not enough is not lost. */
	log_bucket_init(&b, 1, 2, now);
	assert_true(
		log_begin_limited(&f.log, &b, now, LOG_LEVEL_INFO, "x", &line));
	assert_true(log_begin_limited(&f.log, &b, now + SP_S * 3 / 4,
				      LOG_LEVEL_INFO, "x", &line));
	assert_true(log_begin_limited(&f.log, &b, now + SP_S, LOG_LEVEL_INFO,
				      "x", &line));
	assert_false(log_begin_limited(&f.log, &b, now + SP_S, LOG_LEVEL_INFO,
				       "x", &line));
	log_bucket_init(&b, 3, 2, now);
	/* A long silence gives the burst back, not more. */
	lines = 0;
	for (int i = 0; i < 10; i++)
		if (log_begin_limited(&f.log, &b, now + 1000 * SP_S,
				      LOG_LEVEL_INFO, "x", &line))
			lines++;
	assert_int_equal(lines, 3);
	stop(&f);
}

/* @n lines of as many routers. Returns how many were written. */
static int write_limited(struct log *log, struct log_bucket *buckets, int n,
			 int64_t now, enum log_level level)
{
	struct log_line line;
	int lines = 0;

	for (int i = 0; i < n; i++)
		lines += log_begin_limited(log, &buckets[i], now, level, "x",
					   &line);
	return lines;
}

static void test_all_buckets_share_a_limit(void **state)
{
	enum {
		ROUTERS = 2 * LOG_SHARED_BURST
	};
	static struct log_bucket buckets[ROUTERS];
	const int most = LOG_SHARED_BURST / 4 * 3;
	int64_t now = 5 * SP_S;
	struct fixture f;
	struct log_line line;

	(void)state;
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	for (int i = 0; i < ROUTERS; i++)
		log_bucket_init(&buckets[i], 20, 1, now);
	assert_int_equal(write_limited(&f.log, buckets, ROUTERS, now,
				       LOG_LEVEL_INFO),
			 most);
	assert_int_equal(log_suppressed(&f.log), ROUTERS - most);
	/* Routers that come and go do not hide a clash or a refusal. */
	assert_int_equal(write_limited(&f.log, buckets, ROUTERS, now,
				       LOG_LEVEL_WARNING),
			 LOG_SHARED_BURST - most);
	/* And what no router can cause is never left out. */
	assert_true(log_begin(&f.log, LOG_LEVEL_INFO, "x", &line));
	/* From then on so many a second, and each says what it left out. */
	now += SP_S;
	assert_int_equal(write_limited(&f.log, buckets + most, most, now,
				       LOG_LEVEL_WARNING),
			 LOG_SHARED_RATE);
	now += 100 * SP_S;
	assert_true(log_begin_limited(&f.log, &buckets[ROUTERS - 1], now,
				      LOG_LEVEL_INFO, "x", &line));
	log_end(&line);
	assert_string_equal(behind_time(&f),
			    "level=info event=x suppressed=2\n");
	stop(&f);
}

static void write_lines(struct log *log, int n)
{
	struct log_line line;

	for (int i = 0; i < n; i++) {
		log_start(log, LOG_LEVEL_INFO, "flood", &line);
		log_end(&line);
	}
}

/* Ends only if nothing waits: nobody reads. */
static void test_a_reader_that_stopped_does_not_stop_us(void **state)
{
	struct fixture f;
	uint64_t lost;
	char want[40];

	(void)state;
	start(&f, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	/* The descriptor we were given keeps its mode: it is not ours alone. */
	assert_int_equal(fcntl(f.fds[1], F_GETFL) & O_NONBLOCK, 0);
	write_lines(&f.log, 20000);
	lost = log_lost(&f.log);
	assert_true(lost > 1000);
	while (*written(&f) != '\0')
		;
	write_lines(&f.log, 2);
	snprintf(want, sizeof(want),
		 "event=flood lost=%llu\ntime=", (unsigned long long)lost);
	assert_non_null(strstr(written(&f), want));
	assert_null(strstr(strchr(f.text, '\n'), "lost"));
	assert_int_equal(log_lost(&f.log), lost);
	stop(&f);
}

static void test_a_socket_that_is_full_does_not_stop_us(void **state)
{
	struct log log;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    fds),
			 0);
	log_init(&log, fds[1], LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	write_lines(&log, 20000);
	assert_true(log_lost(&log) > 1000);
	log_fini(&log);
	close(fds[0]);
	close(fds[1]);
}

struct writer {
	struct log *log;
	int number;
};

static void *write_many(void *arg)
{
	const struct writer *w = arg;

	for (int i = 0; i < 500; i++) {
		struct log_line line;

		log_start(w->log, LOG_LEVEL_INFO, "many", &line);
		log_u64(&line, "thread", (uint64_t)w->number);
		log_u64(&line, "i", (uint64_t)i);
		log_text(&line, "end", "here");
		log_end(&line);
	}
	return NULL;
}

static void test_lines_of_threads_do_not_mix(void **state)
{
	char path[] = "/tmp/test_collector_log.XXXXXX";
	struct writer writers[4];
	pthread_t threads[4];
	struct log log;
	char text[256];
	int lines = 0;
	FILE *file;
	int fd = mkostemp(path, O_APPEND | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	log_init(&log, fd, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	for (int i = 0; i < 4; i++) {
		writers[i] = (struct writer){ &log, i };
		assert_int_equal(pthread_create(&threads[i], NULL, write_many,
						&writers[i]),
				 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	log_fini(&log);
	file = fdopen(fd, "r");
	rewind(file);
	while (fgets(text, sizeof(text), file) != NULL) {
		lines++;
		CHECK(strncmp(text, "time=", 5) == 0 &&
			      strstr(text, " end=here\n") != NULL &&
			      strstr(text + 1, "time=") == NULL,
		      "mixed: %s", text);
	}
	assert_int_equal(lines, 2000);
	fclose(file);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_has_time_level_event_and_fields),
		cmocka_unit_test(test_values_are_quoted_when_needed),
		cmocka_unit_test(test_json_numbers_are_numbers),
		cmocka_unit_test(test_levels_that_are_off_write_nothing),
		cmocka_unit_test(test_long_values_are_cut),
		cmocka_unit_test(test_a_full_line_says_that_it_was_cut),
		cmocka_unit_test(test_a_bucket_leaves_out_and_says_how_many),
		cmocka_unit_test(test_all_buckets_share_a_limit),
		cmocka_unit_test(test_a_reader_that_stopped_does_not_stop_us),
		cmocka_unit_test(test_a_socket_that_is_full_does_not_stop_us),
		cmocka_unit_test(test_lines_of_threads_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
