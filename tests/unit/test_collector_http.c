/*
 * The parts of the HTTP server that need no server: what a request asks for,
 * who may ask, where a list goes on.
 */
#include "check.h"

#include "collector/http/cursor.h"
#include "collector/query/prefix_param.h"
#include "collector/query/query_param.h"
#include "collector/http/target.h"
#include "collector/http/token.h"
#include "collector/base/peer_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Targets */

static void test_target_is_taken_apart(void **state)
{
	struct http_target t;

	(void)state;
	assert_int_equal(http_target_parse("/api/v1/peers/a%2Fb/0-0-::1"
					   "?limit=10&filter=a+b%20c&flag",
					   &t),
			 HTTP_TARGET_OK);
	assert_int_equal(t.segment_count, 5);
	assert_string_equal(t.segments[0], "api");
	/* An escaped slash is no border of a segment. */
	assert_string_equal(t.segments[3], "a/b");
	assert_string_equal(t.segments[4], "0-0-::1");
	assert_string_equal(http_target_param(&t, "limit"), "10");
	assert_string_equal(http_target_param(&t, "filter"), "a b c");
	assert_string_equal(http_target_param(&t, "flag"), "");
	assert_null(http_target_param(&t, "cursor"));
}

static void test_target_root(void **state)
{
	struct http_target t;

	(void)state;
	assert_int_equal(http_target_parse("/", &t), HTTP_TARGET_OK);
	assert_int_equal(t.segment_count, 0);
	assert_int_equal(http_target_parse("/?", &t), HTTP_TARGET_OK);
	assert_int_equal(t.param_count, 0);
	assert_int_equal(http_target_parse("/?&&a=1&", &t), HTTP_TARGET_OK);
	assert_int_equal(t.param_count, 1);
}

static void test_target_mistakes(void **state)
{
	static const struct {
		const char *target;
		enum http_target_status status;
	} cases[] = {
		{ "", HTTP_TARGET_NO_PATH },
		{ "api", HTTP_TARGET_NO_PATH },
		{ "*", HTTP_TARGET_NO_PATH },
		{ "/a%", HTTP_TARGET_BAD_ESCAPE },
		{ "/a%4", HTTP_TARGET_BAD_ESCAPE },
		{ "/a%zz", HTTP_TARGET_BAD_ESCAPE },
		{ "/?a=%4g", HTTP_TARGET_BAD_ESCAPE },
		{ "/a%00b", HTTP_TARGET_BAD_TEXT },
		{ "/?a=%00", HTTP_TARGET_BAD_TEXT },
		{ "/?a=%0a", HTTP_TARGET_BAD_TEXT },
		{ "/?a=%ff", HTTP_TARGET_BAD_TEXT },
		{ "/?a=%c0%af", HTTP_TARGET_BAD_TEXT },	   /* a long "/" */
		{ "/?a=%ed%a0%80", HTTP_TARGET_BAD_TEXT }, /* a surrogate */
		{ "/?a=1&a=2", HTTP_TARGET_TWICE },
		{ "/?a=1&%61=2", HTTP_TARGET_TWICE },
		{ "/?=1", HTTP_TARGET_NO_NAME },
		{ "/?a=1&=", HTTP_TARGET_NO_NAME },
		{ "/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q", HTTP_TARGET_TOO_MANY },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_target t;

		CHECK(http_target_parse(cases[i].target, &t) == cases[i].status,
		      "%s is not judged as it should", cases[i].target);
		assert_non_null(http_target_words(cases[i].status));
	}
}

static void test_target_lengths(void **state)
{
	char text[HTTP_TARGET_MAX + 2];
	struct http_target t;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[0] = '/';
	text[HTTP_TARGET_MAX] = '\0';
	assert_int_equal(http_target_parse(text, &t), HTTP_TARGET_OK);
	text[HTTP_TARGET_MAX] = 'a';
	text[HTTP_TARGET_MAX + 1] = '\0';
	assert_int_equal(http_target_parse(text, &t), HTTP_TARGET_TOO_LONG);
	assert_int_equal(t.segment_count, 0);
	/* More segments than any path of ours has, and no more than fit. */
	assert_int_equal(http_target_parse("/1/2/3/4/5/6/7/8/9/10/11", &t),
			 HTTP_TARGET_OK);
	assert_int_equal(t.segment_count, HTTP_SEGMENTS_MAX + 1);
}

static void test_target_numbers(void **state)
{
	static const struct {
		const char *target;
		bool good;
		unsigned long value;
	} cases[] = {
		{ "/?n=1", true, 1 },
		{ "/?n=1000", true, 1000 },
		{ "/?n=0", false, 7 },
		{ "/?n=1001", false, 7 },
		{ "/?n=", false, 7 },
		{ "/?n=-1", false, 7 },
		{ "/?n=%2b1", false, 7 },
		{ "/?n=1e2", false, 7 },
		{ "/?n=0x10", false, 7 },
		{ "/?n=%201", false, 7 },
		{ "/?n=0010", true, 10 },
		{ "/?n=18446744073709551617", false, 7 },
		{ "/?n=99999999999999999999999999999999", false, 7 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned long n = 7;
		struct http_target t;

		assert_int_equal(http_target_parse(cases[i].target, &t),
				 HTTP_TARGET_OK);
		CHECK(query_param_number(http_target_param(&t, "n"), 1, 1000,
					 &n) == cases[i].good &&
			      n == cases[i].value,
		      "%s gives %lu", cases[i].target, n);
	}
}

/* Cursors */

static void test_cursor_comes_back(void **state)
{
	uint8_t place[24], back[24] = { 0 };
	char text[HTTP_CURSOR_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(place); i++)
		place[i] = (uint8_t)(i * 11);
	http_cursor_write(5, 1, place, sizeof(place), text);
	assert_true(http_cursor_read(5, 1, text, back, sizeof(back)));
	assert_memory_equal(place, back, sizeof(place));
	/* Of another run, another list, another length. */
	assert_false(http_cursor_read(6, 1, text, back, sizeof(back)));
	assert_false(http_cursor_read(5, 2, text, back, sizeof(back)));
	assert_false(http_cursor_read(5, 1, text, back, sizeof(back) - 1));
	assert_false(http_cursor_read(5, 1, "", back, sizeof(back)));
}

static void test_cursor_of_our_own_only(void **state)
{
	uint8_t place[24] = { 1, 2, 3 }, back[24];
	char text[HTTP_CURSOR_TEXT], broken[HTTP_CURSOR_TEXT];

	(void)state;
	http_cursor_write(5, 1, place, sizeof(place), text);
	for (size_t i = 0; text[i] != '\0'; i++) {
		memcpy(broken, text, sizeof(broken));
		broken[i] = broken[i] == '0' ? '1' : '0';
		CHECK(!http_cursor_read(5, 1, broken, back, sizeof(back)),
		      "a cursor changed at %zu is taken", i);
		broken[i] = 'x';
		assert_false(
			http_cursor_read(5, 1, broken, back, sizeof(back)));
	}
}

static uint64_t seed_of(const char *target)
{
	struct http_target t;

	assert_int_equal(http_target_parse(target, &t), HTTP_TARGET_OK);
	return http_cursor_seed(9, &t);
}

static void test_cursor_is_of_one_question(void **state)
{
	(void)state;
	assert_true(seed_of("/?a=1&b=2") == seed_of("/?b=2&a=1"));
	assert_true(seed_of("/?a=1&limit=5&cursor=x") == seed_of("/?a=1"));
	assert_true(seed_of("/?a=1") != seed_of("/?a=2"));
	assert_true(seed_of("/?a=1&b=2") != seed_of("/?a=2&b=1"));
}

/* Tokens */

static void test_token_is_compared(void **state)
{
	(void)state;
	assert_true(http_token_equal("secret", "secret"));
	assert_false(http_token_equal("secret", "secreT"));
	assert_false(http_token_equal("secret", "secre"));
	assert_false(http_token_equal("secret", "secrets"));
	assert_false(http_token_equal("secret", "secretsecret"));
	assert_false(http_token_equal("secret", ""));
	/* No token is no permission. */
	assert_false(http_token_equal("", ""));
	assert_false(http_token_equal("", "x"));
}

static void read_token(const char *folder, char *out, size_t cap)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/" HTTP_TOKEN_NAME, folder);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(out, (int)cap, f));
	fclose(f);
}

static void test_token_is_made_for_its_owner(void **state)
{
	char folder[] = "/tmp/arancini-test-XXXXXX";
	char token[HTTP_TOKEN_LEN + 1], again[HTTP_TOKEN_LEN + 1];
	char text[HTTP_TOKEN_LEN + 8], path[256];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(http_token_get(folder, token), 0);
	assert_int_equal(strlen(token), HTTP_TOKEN_LEN);
	read_token(folder, text, sizeof(text));
	assert_int_equal(strncmp(text, token, HTTP_TOKEN_LEN), 0);
	assert_string_equal(text + HTTP_TOKEN_LEN, "\n");
	snprintf(path, sizeof(path), "%s/" HTTP_TOKEN_NAME, folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* Another start, the same token. */
	assert_int_equal(http_token_get(folder, again), 0);
	assert_string_equal(token, again);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(http_token_get(folder, token), -ENOENT);
}

static void write_text(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* What somebody else may have read, or what is not a token, is replaced. */
static void test_token_of_a_doubtful_file_is_replaced(void **state)
{
	static const char good[] = "0123456789abcdef0123456789abcdef"
				   "0123456789abcdef0123456789abcdef\n";
	static const struct {
		const char *text;
		mode_t mode;
		bool kept;
	} cases[] = {
		{ good, 0600, true },
		{ good, 0400, true },
		{ good, 0640, false },
		{ good, 0604, false },
		{ "", 0600, false },
		{ "0123456789abcdef\n", 0600, false },
		{ "0123456789ABCDEF0123456789abcdef"
		  "0123456789abcdef0123456789abcdef\n",
		  0600, false },
		{ "0123456789abcdef0123456789abcdef"
		  "0123456789abcdef0123456789abcdef0",
		  0600, false },
	};
	char folder[] = "/tmp/arancini-test-XXXXXX";
	char token[HTTP_TOKEN_LEN + 1], path[256];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" HTTP_TOKEN_NAME, folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_text(path, cases[i].text, cases[i].mode);
		assert_int_equal(http_token_get(folder, token), 0);
		assert_int_equal(strlen(token), HTTP_TOKEN_LEN);
		assert_int_equal(strncmp(token, good, HTTP_TOKEN_LEN) == 0,
				 cases[i].kept);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0077, 0);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(http_token_get(folder, token), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void test_host_of_this_machine(void **state)
{
	static const char *const local[] = {
		"localhost",   "LOCALHOST:8080", "127.0.0.1",  "127.0.0.1:8080",
		"127.9.8.7:1", "[::1]",		 "[::1]:8080",
	};
	static const char *const other[] = {
		"",
		"evil.example",
		"localhost.evil.example",
		"127.0.0.1.evil",
		"127.0.0.1:80x",
		"128.0.0.1",
		"[::2]:1",
		"[::1]evil",
		"[::1",
		"localhost:80:90",
		"0.0.0.0",
		":8080",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(local); i++)
		CHECK(http_host_is_local(local[i]), "%s is", local[i]);
	for (size_t i = 0; i < COUNT(other); i++)
		CHECK(!http_host_is_local(other[i]), "%s is not", other[i]);
}

static void test_origin(void **state)
{
	(void)state;
	assert_true(http_origin_is_own("http://a:8080", "a:8080"));
	assert_true(http_origin_is_own("https://A", "a"));
	assert_false(http_origin_is_own("http://b:8080", "a:8080"));
	assert_false(http_origin_is_own("http://a", "a:8080"));
	assert_false(http_origin_is_own("null", "a"));
	assert_false(http_origin_is_own("", ""));
}

/* Prefixes and peers */

static void test_prefixes(void **state)
{
	static const struct {
		const char *text;
		int len; /* -1: it is none */
		bool ipv6, is_address;
	} cases[] = {
		{ "192.0.2.0/24", 24, false, false },
		{ "192.0.2.1", 32, false, true },
		{ "192.0.2.1/32", 32, false, false },
		{ "0.0.0.0/0", 0, false, false },
		{ "::/0", 0, true, false },
		{ "2001:db8::/32", 32, true, false },
		{ "2001:db8::1", 128, true, true },
		{ "::ffff:192.0.2.1", 128, true, true },
		{ "192.0.2.1/24", -1, false, false },
		{ "192.0.2.0/33", -1, false, false },
		{ "192.0.2.0/024", -1, false, false },
		{ "192.0.2.0/", -1, false, false },
		{ "192.0.2.0/-1", -1, false, false },
		{ "192.0.2.0/24/8", -1, false, false },
		{ "192.0.2/24", -1, false, false },
		{ "2001:db8::/129", -1, false, false },
		{ "2001:db8::1/64", -1, false, false },
		{ "fe80::1%eth0", -1, false, false },
		{ "", -1, false, false },
		{ "/", -1, false, false },
		{ "not a prefix at all, and much longer than an address is", -1,
		  false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct query_prefix p = { .len = 77 };
		const char *why = query_prefix_parse(cases[i].text, &p);

		CHECK((why == NULL) == (cases[i].len >= 0), "%s: %s",
		      cases[i].text, why != NULL ? why : "taken");
		if (why != NULL)
			continue;
		assert_int_equal(p.len, cases[i].len);
		assert_int_equal(p.ipv6, cases[i].ipv6);
		assert_int_equal(p.is_address, cases[i].is_address);
	}
}

static void test_peer_words(void **state)
{
	static const char *const good[] = {
		"0-0-192.0.2.1",
		"1-fde80000000a-2001:db8::1",
		"3-0-::",
		"255-ffffffffffffffff-255.255.255.255",
	};
	static const char *const bad[] = {
		"",
		"0",
		"0-0",
		"0-0-",
		"-0-::",
		"256-0-::",
		"0-x-::",
		"0-FF-::",
		"0--::",
		"+0-0-::",
		" 0-0-::",
		"0-0-192.0.2",
		"0-0-:::",
		"0-00000000000000000-::",
		"0-0-192.0.2.1 ",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		struct bmp_peer peer;
		char text[PEER_ID_MAX];

		CHECK(peer_id_parse(good[i], &peer) == 0, "%s", good[i]);
		peer_id_text(peer.type, peer.distinguisher, peer.address, text);
		assert_string_equal(text, good[i]);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct bmp_peer peer;

		CHECK(peer_id_parse(bad[i], &peer) == -EINVAL, "%s", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target_is_taken_apart),
		cmocka_unit_test(test_target_root),
		cmocka_unit_test(test_target_mistakes),
		cmocka_unit_test(test_target_lengths),
		cmocka_unit_test(test_target_numbers),
		cmocka_unit_test(test_cursor_comes_back),
		cmocka_unit_test(test_cursor_of_our_own_only),
		cmocka_unit_test(test_cursor_is_of_one_question),
		cmocka_unit_test(test_token_is_compared),
		cmocka_unit_test(test_token_is_made_for_its_owner),
		cmocka_unit_test(test_token_of_a_doubtful_file_is_replaced),
		cmocka_unit_test(test_host_of_this_machine),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_peer_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
