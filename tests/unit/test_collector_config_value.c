#include "check.h"

#include "collector/base/secret_memory.h"
#include "collector/config/value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[] = { "red", "green", NULL };

static const char *no_x(const char *text)
{
	return strchr(text, 'x') == NULL ? NULL : "allowed is text without x";
}

/* Room for any of them. */
union value {
	bool on;
	uint64_t number;
	int64_t time;
	int choice;
	char *text;
	struct config_address address;
	struct config_addresses addresses;
	struct acl_list networks;
	struct config_texts texts;
	struct filter rules;
	struct config_families families;
	struct config_secret secret;
};

/* clang-format off */
static const struct config_form
	flag = { .type = CONFIG_BOOL },
	number = { .type = CONFIG_NUMBER, .min = 2, .max = 100 },
	number0 = { .type = CONFIG_NUMBER, .flags = CONFIG_ZERO, .min = 2, .max = 100 },
	power = { .type = CONFIG_NUMBER, .flags = CONFIG_POWER, .min = 8, .max = 64 },
	size = { .type = CONFIG_SIZE, .min = 4096, .max = UINT64_C(1) << 40 },
	duration = { .type = CONFIG_TIME, .min = 1000000, .max = 3600000000000 },
	hold = { .type = CONFIG_TIME, .flags = CONFIG_NEVER, .max = 36000000000000 },
	choice = { .type = CONFIG_CHOICE, .words = words },
	text = { .type = CONFIG_TEXT, .check = no_x },
	text0 = { .type = CONFIG_TEXT, .flags = CONFIG_EMPTY },
	path = { .type = CONFIG_PATH, .flags = CONFIG_EMPTY },
	address = { .type = CONFIG_ADDRESS, .flags = CONFIG_OFF },
	addresses = { .type = CONFIG_ADDRESSES },
	networks = { .type = CONFIG_NETWORKS, .flags = CONFIG_EMPTY },
	texts = { .type = CONFIG_TEXTS, .flags = CONFIG_EMPTY, .check = no_x },
	rules = { .type = CONFIG_RULES, .flags = CONFIG_EMPTY },
	families = { .type = CONFIG_FAMILIES },
	secret = { .type = CONFIG_SECRET, .flags = CONFIG_EMPTY };
/* clang-format on */

/* All elements, joined by " | ". */
static void joined(const struct config_form *form, const union value *v,
		   char *out, size_t cap)
{
	char one[256];

	out[0] = '\0';
	for (size_t i = 0; config_value_format(form, v, i, one, sizeof(one));
	     i++) {
		if (i > 0)
			strncat(out, " | ", cap - strlen(out) - 1);
		strncat(out, one, cap - strlen(out) - 1);
	}
}

static void test_what_is_read_is_written_and_read_again(void **state)
{
	static const struct {
		const struct config_form *form;
		const char *in, *out;
	} cases[] = {
		{ &flag, "true", "true" },
		{ &flag, "Yes", "true" },
		{ &flag, "on", "true" },
		{ &flag, "1", "true" },
		{ &flag, "false", "false" },
		{ &flag, "off", "false" },
		{ &number, "2", "2" },
		{ &number, "100", "100" },
		{ &number, "007", "7" },
		{ &number0, "0", "0" },
		{ &power, "8", "8" },
		{ &size, "4096", "4K" },
		{ &size, "4k", "4K" },
		{ &size, "1536K", "1536K" },
		{ &size, "1024M", "1G" },
		{ &size, "5000", "5000" },
		{ &size, "1T", "1T" },
		{ &duration, "1ms", "1ms" },
		{ &duration, "1500ms", "1500ms" },
		{ &duration, "60s", "1m" },
		{ &duration, "90", "90s" },
		{ &duration, "60m", "1h" },
		{ &hold, "0", "0" },
		{ &hold, "0ms", "0" },
		{ &hold, "never", "never" },
		{ &hold, "OFF", "never" },
		{ &choice, "green", "green" },
		{ &text, "some words; and more", "some words; and more" },
		{ &text, "# not a comment", "# not a comment" },
		{ &text0, "", "" },
		{ &path, "/etc/x", "/etc/x" },
		{ &address, "127.0.0.1:8080", "127.0.0.1:8080" },
		{ &address, "[2001:DB8:0::1]:0", "[2001:db8::1]:0" },
		{ &address, "off", "off" },
		{ &addresses, "0.0.0.0:4000, [::]:4000",
		  "0.0.0.0:4000 | [::]:4000" },
		{ &networks, "", "" },
		{ &networks, "10.0.0.0/8,192.0.2.1 ,2001:db8::/32",
		  "10.0.0.0/8 | 192.0.2.1/32 | 2001:db8::/32" },
		{ &networks, "::/0,0.0.0.0/0", "::/0 | 0.0.0.0/0" },
		{ &texts, "a,b c , d", "a | b c | d" },
		{ &rules, "drop view=post; store as=1",
		  "drop view=post | store as=1" },
		{ &families, "ipv4-unicast", "ipv4-unicast" },
		{ &families, "link-state-vpn ,ipv6-unicast, ipv4-unicast",
		  "ipv4-unicast | ipv6-unicast | link-state-vpn" },
		{ &families, "ipv4-vpn,ipv4-vpn", "ipv4-vpn" },
		{ &families, "all", "all" },
		{ &families, "ipv4-vpn,all", "all" },
		{ &families, "in-post:ipv4-vpn", "in-post:ipv4-vpn" },
		{ &families, "post:ipv4-vpn,loc-rib:all",
		  "in-post:ipv4-vpn | out-post:ipv4-vpn | loc-rib:all" },
		{ &families, "in:all,out:all,loc-rib:all", "all" },
		{ &families, "ipv4-vpn,in-pre:ipv6-vpn,in-pre:ipv4-vpn",
		  "ipv4-vpn | in-pre:ipv6-vpn" },
		{ &families, "in-pre:all,ipv4-vpn", "ipv4-vpn | in-pre:all" },
		{ &secret, "/run/secret", "/run/secret" },
		{ &secret, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_form *form = cases[i].form;
		union value v = { 0 }, copy = { 0 }, again = { 0 };
		char why[CONFIG_WHY_MAX] = "", out[512], one[256];

		CHECK(config_value_parse(form, cases[i].in, &v, why) == 0,
		      "%s: %s", cases[i].in, why);
		joined(form, &v, out, sizeof(out));
		assert_string_equal(out, cases[i].out);

		for (size_t k = 0;
		     config_value_format(form, &v, k, one, sizeof(one)); k++)
			assert_int_equal(config_value_parse(form, one, &again,
							    why),
					 0);
		CHECK(config_value_equal(form, &v, &again), "%s again",
		      cases[i].in);
		assert_int_equal(config_value_copy(form, &v, &copy), 0);
		CHECK(config_value_equal(form, &v, &copy), "%s copied",
		      cases[i].in);
		joined(form, &copy, out, sizeof(out));
		assert_string_equal(out, cases[i].out);
		config_value_release(form, &v);
		config_value_release(form, &copy);
		config_value_release(form, &again);
	}
}

static void test_what_is_wrong_says_what_is_allowed(void **state)
{
	static char long_text[CONFIG_TEXT_MAX + 2];
	const struct {
		const struct config_form *form;
		const char *in, *why;
	} cases[] = {
		/* clang-format off */
		{ &flag, "maybe", "allowed is true or false" },
		{ &flag, "", "allowed is true or false" },
		{ &number, "1", "allowed is a whole number from 2 to 100" },
		{ &number, "101", "allowed is a whole number from 2 to 100" },
		{ &number, "-5", "allowed is a whole number from 2 to 100" },
		{ &number, "+5", "allowed is a whole number from 2 to 100" },
		{ &number, "5x", "allowed is a whole number from 2 to 100" },
		{ &number, " 5", "allowed is a whole number from 2 to 100" },
		{ &number, "99999999999999999999999", "allowed is a whole number from 2 to 100" },
		{ &number0, "1", "allowed is 0 or a whole number from 2 to 100" },
		{ &power, "12", "allowed is a power of two from 8 to 64" },
		{ &power, "0", "allowed is a power of two from 8 to 64" },
		{ &size, "1K", "allowed is a size from 4K to 1T" },
		{ &size, "5X", "allowed is a size from 4K to 1T" },
		{ &size, "K", "allowed is a size from 4K to 1T" },
		{ &size, "99999999999T", "allowed is a size from 4K to 1T" },
		{ &duration, "0", "allowed is a time from 1ms to 1h" },
		{ &duration, "2h", "allowed is a time from 1ms to 1h" },
		{ &duration, "5 s", "allowed is a time from 1ms to 1h" },
		{ &duration, "1d", "allowed is a time from 1ms to 1h" },
		{ &duration, "never", "allowed is a time from 1ms to 1h" },
		{ &duration, "18446744073709551615h", "allowed is a time from 1ms to 1h" },
		{ &hold, "soon", "allowed is a time from 0 to 10h, or never" },
		{ &choice, "blue", "allowed is one of red, green" },
		{ &choice, "RED", "allowed is one of red, green" },
		{ &text, "", "must not be empty" },
		{ &text, "axe", "allowed is text without x" },
		{ &text, " a", "begins or ends with a blank" },
		{ &text, "a ", "begins or ends with a blank" },
		{ &text, "a\nb", "has a control character" },
		{ &text, "a ;b", "has a ';' behind a blank or in front" },
		{ &text, ";b", "has a ';' behind a blank or in front" },
		{ &text, "\xff", "not UTF-8" },
		{ &text, long_text, "longer than 160 bytes" },
		{ &address, "127.0.0.1", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, "::1:80", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, "[::1:80", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, "[127.0.0.1]:80", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, "localhost:80", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, "127.0.0.1:65536", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &address, ":", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80, or off" },
		{ &addresses, "", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80" },
		{ &addresses, "0.0.0.0:1,,[::]:1", "allowed is ADDRESS:PORT as 127.0.0.1:80 or [::1]:80" },
		{ &networks, "10.0.0.1/8", "allowed is a network as 192.0.2.0/24 or an address" },
		{ &texts, "a,,b", "must not be empty" },
		{ &texts, "a,#b", "begins with '#'" },
		{ &texts, "a,x", "allowed is text without x" },
		{ &families, "", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, "ipv5", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, "unknown", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, "ipv4-vpn,,ipv6-vpn", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, "in-past:ipv4-vpn", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, ":ipv4-vpn", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &families, "in-post:", "allowed is all, or names as ipv4-unicast, in-post:ipv4-unicast" },
		{ &rules, "drop;", "a rule begins with publish, store or drop, not with ''" },
		/* clang-format on */
	};

	(void)state;
	memset(long_text, 'a', sizeof(long_text) - 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_form *form = cases[i].form;
		union value v = { 0 }, before = { 0 };
		char why[CONFIG_WHY_MAX] = "";

		CHECK(config_value_parse(form, cases[i].in, &v, why) == -EINVAL,
		      "%s was taken", cases[i].in);
		assert_string_equal(why, cases[i].why);
		if (config_value_is_list(form->type))
			assert_int_equal(config_value_count(form, &v), 0);
		else
			assert_memory_equal(&v, &before, sizeof(v));
		config_value_release(form, &v);
	}
}

static void test_a_list_that_fails_halfway_is_as_it_was(void **state)
{
	static const struct config_form *const forms[] = { &networks, &texts,
							   &rules, &families };
	static const char *const good[] = { "10.0.0.0/8", "a", "drop",
					    "ipv4-vpn" };
	static const char *const bad[] = { "11.0.0.0/8,nonsense", "b,c,x",
					   "store;nonsense",
					   "ipv6-vpn,nonsense" };

	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		union value v = { 0 };
		char why[CONFIG_WHY_MAX];
		char out[200];

		assert_int_equal(config_value_parse(forms[i], good[i], &v, why),
				 0);
		assert_int_equal(config_value_parse(forms[i], bad[i], &v, why),
				 -EINVAL);
		joined(forms[i], &v, out, sizeof(out));
		assert_string_equal(out, good[i]);
		config_value_release(forms[i], &v);
	}
}

static void test_differences_are_seen(void **state)
{
	static const struct {
		const struct config_form *form;
		const char *a, *b;
	} cases[] = {
		{ &flag, "true", "false" },
		{ &number, "5", "6" },
		{ &hold, "5s", "never" },
		{ &choice, "red", "green" },
		{ &text, "a", "b" },
		{ &address, "127.0.0.1:80", "127.0.0.1:81" },
		{ &address, "0.0.0.0:0", "off" },
		{ &addresses, "127.0.0.1:80", "127.0.0.2:80" },
		{ &networks, "10.0.0.0/8", "10.0.0.0/9" },
		{ &networks, "10.0.0.0/8", "10.0.0.0/8,11.0.0.0/8" },
		{ &texts, "a,b", "a,c" },
		{ &rules, "drop", "store" },
		{ &families, "ipv4-vpn", "ipv4-vpn,ipv6-vpn" },
		{ &families, "ipv4-vpn", "in-post:ipv4-vpn" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_form *form = cases[i].form;
		union value a = { 0 }, b = { 0 };
		char why[CONFIG_WHY_MAX];

		assert_int_equal(config_value_parse(form, cases[i].a, &a, why),
				 0);
		assert_int_equal(config_value_parse(form, cases[i].b, &b, why),
				 0);
		CHECK(!config_value_equal(form, &a, &b), "%s and %s",
		      cases[i].a, cases[i].b);
		CHECK(config_value_equal(form, &a, &a), "%s", cases[i].a);
		config_value_release(form, &a);
		config_value_release(form, &b);
	}
}

/* Secrets */

static char file_name[] = "/tmp/test_collector_config.XXXXXX";

static void write_file(const char *content, size_t len, mode_t mode)
{
	int fd = open(file_name, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_secrets_are_the_first_line_of_a_file(void **state)
{
	static char huge[5000];
	const struct {
		const char *content;
		size_t len;
		const char *value, *why;
	} cases[] = {
		{ "pass", 4, "pass", NULL },
		{ "pass\n", 5, "pass", NULL },
		{ "pass\r\nmore", 10, "pass", NULL },
		{ " with blanks \n", 14, " with blanks ", NULL },
		{ "", 0, NULL, "the file has nothing in its first line" },
		{ "\npass", 5, NULL, "the file has nothing in its first line" },
		{ "a\0b", 3, NULL, "the file has a NUL byte" },
		{ huge, sizeof(huge), NULL,
		  "the file is longer than 4096 bytes" },
	};

	(void)state;
	memset(huge, 'a', sizeof(huge));
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct config_secret s = { .path = strdup(file_name) };
		char why[CONFIG_WHY_MAX] = "";
		bool readable = true;
		int err;

		write_file(cases[i].content, cases[i].len, 0640);
		err = config_secret_read(&s, why, &readable);
		CHECK(err == (cases[i].value != NULL ? 0 : -EINVAL), "case %zu",
		      i);
		if (err == 0) {
			assert_string_equal(s.value, cases[i].value);
			assert_false(readable);
		} else {
			assert_string_equal(why, cases[i].why);
		}
		config_value_release(&secret, &s);
	}
}

static void test_a_secret_that_all_can_read_is_told(void **state)
{
	struct config_secret s = { .path = strdup(file_name) };
	char why[CONFIG_WHY_MAX];
	bool readable = false;

	(void)state;
	write_file("x", 1, 0644);
	assert_int_equal(config_secret_read(&s, why, &readable), 0);
	assert_true(readable);
	config_value_release(&secret, &s);
}

static void test_a_secret_is_in_a_regular_file(void **state)
{
	struct config_secret s = { .path = strdup("/tmp") };
	struct config_secret none = { .path = strdup("/no/such/file") };
	char why[CONFIG_WHY_MAX];
	bool readable;

	(void)state;
	assert_int_equal(config_secret_read(&s, why, &readable), -EINVAL);
	assert_string_equal(why, "not a regular file");
	assert_int_equal(config_secret_read(&none, why, &readable), -ENOENT);
	assert_string_equal(why, "cannot be read: No such file or directory");
	config_value_release(&secret, &s);
	config_value_release(&secret, &none);
}

static void test_the_same_secret_from_another_file_is_the_same(void **state)
{
	struct config_secret a = { strdup("/a"), secret_copy("x", 1) };
	struct config_secret b = { strdup("/b"), secret_copy("x", 1) };

	(void)state;
	assert_true(config_value_equal(&secret, &a, &b));
	b.value[0] = 'y';
	assert_false(config_value_equal(&secret, &a, &b));
	config_value_release(&secret, &a);
	config_value_release(&secret, &b);
}

static int make_file(void **state)
{
	int fd = mkstemp(file_name);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_read_is_written_and_read_again),
		cmocka_unit_test(test_what_is_wrong_says_what_is_allowed),
		cmocka_unit_test(test_a_list_that_fails_halfway_is_as_it_was),
		cmocka_unit_test(test_differences_are_seen),
		cmocka_unit_test(test_secrets_are_the_first_line_of_a_file),
		cmocka_unit_test(test_a_secret_that_all_can_read_is_told),
		cmocka_unit_test(test_a_secret_is_in_a_regular_file),
		cmocka_unit_test(
			test_the_same_secret_from_another_file_is_the_same),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
