#include "check.h"

#include "collector/base/redact.h"
#include "collector/config/errors.h"

#include <stdio.h>

static void test_the_nearest_name_is_suggested(void **state)
{
	static const char *const names[] = { "max-sessions", "max-routes",
					     "listen",	     "http",
					     "nats",	     NULL };
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "max-sesions", "max-sessions" },   /* missing */
		{ "max-sessionss", "max-sessions" }, /* too many */
		{ "max-sassions", "max-sessions" },  /* wrong */
		{ "max-sessoins", "max-sessions" },  /* swapped */
		{ "max_sesions", "max-sessions" },   /* two faults */
		{ "maxsesions", "max-sessions" },
		{ "mxsesions", NULL }, /* three */
		{ "lisen", "listen" },
		{ "lsn", NULL },
		{ "htp", "http" },
		{ "htpt", "http" }, /* one swap, not two faults */
		{ "ht", NULL },	    /* too short to say */
		{ "nat", "nats" },
		{ "", NULL },
		{ "http", "http" },
		{ "this-is-a-very-long-word-that-no-option-has", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = config_errors_nearest(cases[i].word, names);

		CHECK((got == NULL) == (cases[i].want == NULL), "%s: %s",
		      cases[i].word, got != NULL ? got : "nothing");
		if (got != NULL)
			assert_string_equal(got, cases[i].want);
	}
}

static void test_a_mistake_is_one_line(void **state)
{
	struct config_errors m = CONFIG_ERRORS_INIT;

	(void)state;
	config_errors_add(&m, "bad '%s'", "a\nb\x1b[1m\x7f");
	config_errors_note(&m, "note %d", 1);
	assert_int_equal(m.kept, 1);
	assert_string_equal(m.lines[0], "bad 'a?b?[1m?'");
	assert_int_equal(m.note_count, 1);
	assert_string_equal(m.notes[0], "note 1");
	config_errors_release(&m);
	assert_null(m.lines);
}

static void test_passwords_are_not_shown(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "nats://u:secret@host:4222", "nats://*@host:4222" },
		{ "'nats://secret@host' and more", "'nats://*@host' and more" },
		{ "nats://a:b@h,tls://c:d@i", "nats://*@h,tls://*@i" },
		/* Characters that should have been escaped. */
		{ "nats://u:se/cr?e#t@host/x", "nats://*@host/x" },
		{ "nats://u:se@cret@host", "nats://*@host" },
		{ "nats://u:a,b@host", "nats://*@host" },
		{ "nats://host:4222, a@b", "nats://host:4222, a@b" },
		/* Without a scheme. */
		{ "--nats 'u:secret@h': no", "--nats '*@h': no" },
		{ "u@example.net", "u@example.net" },
		{ "nats://@host", "nats://@host" },
		{ "nats://", "nats://" },
		{ "://a@", "://*@" },
		{ "", "" },
	};
	struct config_errors m = CONFIG_ERRORS_INIT;
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].text);
		redact_userinfo(text);
		assert_string_equal(text, cases[i].want);
	}
	config_errors_add(&m, "--nats '%s': no", "nats://u:p@h");
	assert_string_equal(m.lines[0], "--nats 'nats://*@h': no");
	config_errors_release(&m);
}

static void test_very_many_are_only_counted(void **state)
{
	struct config_errors m = CONFIG_ERRORS_INIT;

	(void)state;
	for (int i = 0; i < CONFIG_ERRORS_MAX + 7; i++) {
		config_errors_add(&m, "%d", i);
		config_errors_note(&m, "%d", i);
	}
	assert_int_equal(m.kept, CONFIG_ERRORS_MAX);
	assert_int_equal(m.count, CONFIG_ERRORS_MAX + 7);
	assert_int_equal(m.note_count, CONFIG_ERRORS_MAX);
	config_errors_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nearest_name_is_suggested),
		cmocka_unit_test(test_a_mistake_is_one_line),
		cmocka_unit_test(test_passwords_are_not_shown),
		cmocka_unit_test(test_very_many_are_only_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
