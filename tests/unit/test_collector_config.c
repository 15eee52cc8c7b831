#include "check.h"

#include "collector/config/diff.h"
#include "collector/config/errors.h"
#include "collector/config/help.h"
#include "collector/config/loader.h"
#include "collector/config/options.h"
#include "collector/config/print.h"
#include "collector/config/router_settings.h"

#include <spargio/time.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ARGS_MAX 16

static char folder[] = "/tmp/test_collector_config.XXXXXX";

static char *no_env[] = { NULL };

/* The path of a file in the folder, with this content. */
static const char *file(const char *name, const char *content)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fchmod(fileno(f), 0600), 0);
	fputs(content, f);
	fclose(f);
	return path;
}

struct loaded {
	struct config config;
	struct config_request request;
	struct config_errors errors;
	int err;
};

/* @args: words by blanks. */
static void load(struct loaded *l, const char *args, char *const *env)
{
	char copy[1024];
	char *argv[ARGS_MAX];
	char *save = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", args);
	for (char *word = strtok_r(copy, " ", &save);
	     word != NULL && argc < ARGS_MAX; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	*l = (struct loaded){ .errors = CONFIG_ERRORS_INIT };
	l->err = config_load(argc, argv, env, &l->errors, &l->request,
			     &l->config);
}

static void load_ini(struct loaded *l, const char *ini)
{
	*l = (struct loaded){ .errors = CONFIG_ERRORS_INIT };
	l->err = config_load_bytes("f", ini, strlen(ini), &l->errors,
				   &l->config);
}

static void unload(struct loaded *l)
{
	if (l->err == 0)
		config_release(&l->config);
	config_errors_release(&l->errors);
}

static void must(struct loaded *l)
{
	CHECK(l->err == 0, "%s",
	      l->errors.kept > 0 ? l->errors.lines[0] : "no memory?");
}

static void expect_mistakes(const struct loaded *l, const char *const *want)
{
	size_t n = 0;

	assert_int_equal(l->err, -EINVAL);
	for (; want[n] != NULL; n++) {
		CHECK(n < l->errors.kept, "missing: %s", want[n]);
		assert_string_equal(l->errors.lines[n], want[n]);
	}
	CHECK(n == l->errors.count, "too many: %s", l->errors.lines[n]);
}

/* Contract: COLLECTOR.md sections 2 and 4 to 7. */
static void test_defaults_are_those_of_the_contract(void **state)
{
	struct loaded l;
	const struct config *c = &l.config;

	(void)state;
	load(&l, "", no_env);
	must(&l);
	assert_int_equal(c->listen.workers, 0);
	assert_int_equal(c->listen.addresses.count, 2);
	assert_int_equal(c->listen.addresses.at[0].port, 4000);
	assert_int_equal(c->listen.addresses.at[1].port, 4000);
	assert_int_equal(c->listen.backlog, 4096);
	assert_int_equal(c->listen.rcvbuf, 0);
	assert_int_equal(c->listen.max_frame, 1024 * 1024);
	assert_int_equal(c->listen.bmp_v4, BMP_V4_OFF);
	assert_int_equal(c->listen.overload, CONFIG_OVERLOAD_BLOCK);
	assert_int_equal(c->listen.drain_timeout, 30 * SP_S);
	assert_int_equal(c->identity.router_id, IDENTITY_ADDRESS);
	assert_true(*c->identity.collector != '\0');
	assert_int_equal(c->access.allow.count + c->access.deny.count, 0);
	assert_int_equal(c->limits.sessions, 20000);
	assert_int_equal(c->limits.sessions_per_ip, 16);
	assert_int_equal(c->limits.handshake_timeout, 60 * SP_S);
	assert_int_equal(c->limits.idle_timeout, SP_NEVER);
	assert_int_equal(c->limits.routes, 0);
	assert_int_equal(c->curation.mode, CONFIG_CURATION_ATTRIBUTES);
	assert_int_equal(c->curation.sweep_quiet, 30 * SP_S);
	assert_int_equal(c->curation.sweep_max, 300 * SP_S);
	assert_int_equal(c->curation.stale_hold, 600 * SP_S);
	assert_string_equal(c->egress.updates, "arancini.updates");
	assert_string_equal(c->egress.events, "arancini.events");
	assert_int_equal(c->egress.bridge_batches, 1024);
	assert_int_equal(c->nats.urls.count, 0);
	assert_string_equal(c->nats.stream, "ARANCINI");
	assert_int_equal(c->nats.replicas, 1);
	assert_int_equal(c->nats.max_age, 24 * 3600 * SP_S);
	assert_int_equal(c->nats.max_bytes, UINT64_C(32) << 30);
	assert_int_equal(c->nats.duplicate_window, 120 * SP_S);
	assert_int_equal(c->nats.window, 1024);
	assert_int_equal(c->journal.spool_max, UINT64_C(10) << 30);
	assert_string_equal(c->snapshot.state, "./data");
	assert_int_equal(c->snapshot.interval, 10 * SP_S);
	assert_int_equal(c->http.listen.port, 8080);
	assert_int_equal(c->log.level, LOG_LEVEL_INFO);
	assert_int_equal(c->log.format, LOG_FORMAT_TEXT);
	unload(&l);
}

static void test_flags_win_over_variables_and_those_over_the_file(void **state)
{
	char *env[] = { "ARANCINI_BACKLOG=2", "ARANCINI_WORKERS=2",
			"ARANCINI_ALLOW=10.2.0.0/16,10.3.0.0/16", NULL };
	char args[256];
	struct loaded l;

	(void)state;
	snprintf(args, sizeof(args), "--workers 3 --config %s",
		 file("layers", "[listen]\nbacklog = 1\nworkers = 1\n"
				"max-frame = 100000\n"
				"[access]\nallow = 10.1.0.0/16\n"
				"deny = 10.9.0.0/16\n"));
	load(&l, args, env);
	must(&l);
	assert_int_equal(l.config.listen.workers, 3);
	assert_int_equal(l.config.listen.backlog, 2);
	assert_int_equal(l.config.listen.max_frame, 100000);
	/* A list is replaced as a whole. */
	assert_int_equal(l.config.access.allow.count, 2);
	assert_int_equal(l.config.access.deny.count, 1);
	unload(&l);
	snprintf(args, sizeof(args), "--allow 10.4.0.0/16 --allow=10.5.0.0/16");
	load(&l, args, env);
	must(&l);
	assert_int_equal(l.config.access.allow.count, 2);
	assert_int_equal(l.config.access.allow.networks[0].addr[13], 4);
	unload(&l);
}

static void test_the_file_can_be_named_by_a_variable(void **state)
{
	char variable[160];
	char *env[] = { variable, NULL };
	struct loaded l;

	(void)state;
	snprintf(variable, sizeof(variable), "ARANCINI_CONFIG=%s",
		 file("named", "[log]\nlevel = debug\n"));
	load(&l, "", env);
	must(&l);
	assert_int_equal(l.config.log.level, LOG_LEVEL_DEBUG);
	unload(&l);
	load(&l, "--config /no/such/file", env);
	expect_mistakes(&l, (const char *const[]){
				    "/no/such/file: cannot be read: No such "
				    "file or directory",
				    NULL });
	unload(&l);
}

static void test_ways_to_write_flags(void **state)
{
	struct loaded l;

	(void)state;
	load(&l,
	     "--nats=nats://a:4222 --take-over --nats-tls=no "
	     "--nats-no-create=yes --workers=2 --workers 4",
	     no_env);
	must(&l);
	assert_true(l.config.nats.take_over);
	assert_false(l.config.nats.tls);
	assert_true(l.config.nats.no_create);
	assert_int_equal(l.config.listen.workers, 4); /* the last one */
	assert_false(l.request.check || l.request.help);
	unload(&l);
	load(&l, "--check-config", no_env);
	assert_true(l.request.check);
	unload(&l);
	load(&l, "--nonsense -h", no_env);
	assert_int_equal(l.err, 0);
	assert_true(l.request.help);
	unload(&l);
}

static void test_mistakes_in_flags(void **state)
{
	static const struct {
		const char *args;
		const char *want[4];
	} cases[] = {
		{ "--max-sesions 5",
		  { "unknown option '--max-sesions'; did you mean "
		    "'--max-sessions'?" } },
		{ "--colour blue --workers 3",
		  { "unknown option '--colour'; see 'arancini run --help'" } },
		{ "--conifg x",
		  { "unknown option '--conifg'; did you mean "
		    "'--config'?" } },
		{ "extra",
		  { "unknown argument 'extra'; see 'arancini run "
		    "--help'" } },
		{ "-x",
		  { "unknown argument '-x'; see 'arancini run "
		    "--help'" } },
		{ "--workers",
		  { "--workers needs a value: 0 or a whole number "
		    "from 1 to 1024" } },
		{ "--workers --backlog 5",
		  { "--workers needs a value: 0 or a whole number from 1 to "
		    "1024" } },
		{ "--config",
		  { "--config needs a value: the path of a "
		    "file" } },
		{ "--check-config=yes", { "--check-config takes no value" } },
		{ "--workers=x --backlog 0 --log-level loud",
		  { "--workers 'x': allowed is 0 or a whole number from 1 to "
		    "1024",
		    "--backlog '0': allowed is a whole number from 1 to 65535",
		    "--log-level 'loud': allowed is one of error, warning, "
		    "info, debug" } },
		{ "--nats-password secret",
		  { "--nats-password: every user could see it in the list of "
		    "processes; use --nats-password-file FILE" } },
		{ "--max-frame 65999",
		  { "--max-frame '65999': allowed is a size from 66000 to "
		    "64M" } },
		{ "--connect nowhere",
		  { "--connect 'nowhere': allowed is HOST:PORT as core1:1790 "
		    "or [2001:db8::1]:1790" } },
		{ "--connect a:b:1,[::1]:0",
		  { "--connect 'a:b:1,[::1]:0': allowed is HOST:PORT as "
		    "core1:1790 or [2001:db8::1]:1790" } },
		{ "--nats http://a:4222",
		  { "--nats 'http://a:4222': allowed is a URL as "
		    "nats://host:4222 or tls://host:4222" } },
		{ "--nats nats://u:p@a:4222",
		  { "--nats 'nats://*@a:4222': no user or password in a "
		    "URL: use --nats-user and --nats-password-file" } },
		{ "--collector-id a.b",
		  { "--collector-id 'a.b': allowed are up to 63 letters, "
		    "digits, '-' and '_'" } },
		{ "--subject-updates a..b",
		  { "--subject-updates 'a..b': allowed are words joined by "
		    "dots, of letters, digits, '-', '_' and {collector}" } },
		{ "--subject-updates a.{host}",
		  { "--subject-updates 'a.{host}': allowed are words joined "
		    "by dots, of letters, digits, '-', '_' and "
		    "{collector}" } },
		{ "--nats-stream a.b",
		  { "--nats-stream 'a.b': allowed are letters, digits, '-', "
		    "'_' and {collector}" } },
		{ "--state ftp://x",
		  { "--state 'ftp://x': allowed is a URL as nats://host:4222 "
		    "or tls://host:4222" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct loaded l;

		load(&l, cases[i].args, no_env);
		expect_mistakes(&l, cases[i].want);
		unload(&l);
	}
}

static void test_options_that_do_not_go_together(void **state)
{
	static const struct {
		const char *args;
		const char *want[3];
	} cases[] = {
		{ "--nats-user u",
		  { "--nats-user needs "
		    "--nats-password-file" } },
		{ "--nats-tls-cert c",
		  { "--nats-tls-cert needs "
		    "--nats-tls-key" } },
		{ "--nats-tls-key k",
		  { "--nats-tls-key needs "
		    "--nats-tls-cert" } },
		{ "--nats-creds c --nats-nkey k --nats-nkey-seed s",
		  { "only one of --nats-user, --nats-token-file, --nats-creds "
		    "and --nats-nkey can be used" } },
		{ "--nats-nkey k", { "--nats-nkey needs --nats-nkey-seed" } },
		{ "--nats-nkey-seed s",
		  { "--nats-nkey-seed needs "
		    "--nats-nkey" } },
		{ "--take-over", { "--take-over needs --nats" } },
		{ "--state nats://h:4222",
		  { "--state 'nats://h:4222' is no folder that the journal "
		    "could be in: give --journal DIR" } },
		{ "--state tls://h:4222 --journal j --http 0.0.0.0:80",
		  { "--state 'tls://h:4222' is no folder that a token could be "
		    "in, and --http is not on loopback: give "
		    "--http-token-file FILE" } },
		{ "--subject-updates a.b --subject-events a",
		  { "--subject-updates 'a.b' and --subject-events 'a' overlap: "
		    "neither may begin with the other" } },
		{ "--listen=",
		  { "--listen is empty and there is no --connect: "
		    "no router could ever come in" } },
		{ "--listen 1.2.3.4:1 --listen 1.2.3.4:1",
		  { "--listen has the same address twice, at places 1 and "
		    "2" } },
	};
	static const char *const fine[] = {
		"--subject-updates ab.b --subject-events a",
		"--state nats://h:4222 --journal /var/lib/x",
		"--state tls://h:4222 --journal j --http off",
		"--state tls://h:4222 --journal j --http 127.0.0.9:80",
		"--state tls://h:4222 --journal j --http [::1]:80",
		"--listen= --connect h:1",
		"--listen 127.0.0.1:0,127.0.0.1:0",
	};
	struct loaded l;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		load(&l, cases[i].args, no_env);
		expect_mistakes(&l, cases[i].want);
		unload(&l);
	}
	for (size_t i = 0; i < COUNT(fine); i++) {
		load(&l, fine[i], no_env);
		must(&l);
		unload(&l);
	}
}

static void test_subjects_are_measured_with_the_collector_s_name(void **state)
{
	char args[400];
	struct loaded l;

	(void)state;
	snprintf(args, sizeof(args),
		 "--collector-id %s --subject-updates {collector}.{collector}",
		 "a23456789012345678901234567890123456789012345678901234567890"
		 "123");
	load(&l, args, no_env);
	must(&l); /* 127 */
	unload(&l);
	args[strlen(args) + 1] = '\0';
	args[strlen(args)] = 'b';
	load(&l, args, no_env);
	expect_mistakes(&l, (const char *const[]){
				    "--subject-updates "
				    "'{collector}.{collector}b' is longer than "
				    "127 bytes with {collector} replaced",
				    NULL });
	unload(&l);
}

static void test_the_collector_s_name_is_put_in(void **state)
{
	struct loaded l;
	char *text;

	(void)state;
	load(&l, "--collector-id ams1", no_env);
	must(&l);
	text = config_expand(&l.config, "x.{collector}.{collector}{coll");
	assert_string_equal(text, "x.ams1.ams1{coll");
	free(text);
	unload(&l);
}

static void test_mistakes_in_the_file(void **state)
{
	static const struct {
		const char *ini;
		const char *want[4];
	} cases[] = {
		{ "[limits]\nmax-sessions = abc\n",
		  { "f:2: max-sessions = 'abc': allowed is a whole number from "
		    "1 to 1000000" } },
		{ "[limits]\n\n# x\nmax-sesions = 5",
		  { "f:4: [limits] has no key 'max-sesions'; did you mean "
		    "'max-sessions'?" } },
		{ "[log]\ncolour = blue",
		  { "f:2: [log] has no key 'colour'; see 'man 5 "
		    "arancini.conf'" } },
		/* The keys of an unknown section are not all said as well. */
		{ "[lmits]\nmax-sessions = 5\nfoo\n[log]\nlevel = x",
		  { "f:1: unknown section [lmits]; did you mean [limits]?",
		    "f:5: level = 'x': allowed is one of error, warning, info, "
		    "debug" } },
		{ "[nonsense]",
		  { "f:1: unknown section [nonsense]; 'arancini "
		    "run --help' lists them" } },
		{ "level = info", { "f:1: a key before the first [section]" } },
		{ "[log]\nfoo\nlevel = info\n",
		  { "f:2: neither 'key = value', nor a [section], nor a "
		    "comment" } },
		{ "[log]\nlevel = info\nfoo",
		  { "f:3: neither 'key = value', nor a [section], nor a "
		    "comment" } },
		{ "[log\nlevel = info",
		  { "f:1: a section that does not end "
		    "with ']'",
		    "f:2: a key before the first "
		    "[section]" } },
		{ "[log]\nlevel = info\n[limits]\n[log]\nlevel = debug",
		  { "f:5: level was given before, in line 2" } },
		{ "[log]\nlevel = info\n  debug",
		  { "f:3: level was given before, in line 2" } },
		{ "[access]\nallow = 10.0.0.0/8\n\t11.0.0.0/7\n",
		  { "f:3: allow = '11.0.0.0/7': allowed is a network as "
		    "192.0.2.0/24 or an address" } },
		{ "[log]\n= info",
		  { "f:2: [log] has no key ''; see 'man 5 "
		    "arancini.conf'" } },
		{ "[router 192.0.2.1]\nalais = x",
		  { "f:2: [router 192.0.2.1] has no key 'alais'; did you mean "
		    "'alias'?" } },
		{ "[router 192.0.2.1]\ncolour = x",
		  { "f:2: [router 192.0.2.1] has no key 'colour'; see 'man 5 "
		    "arancini.conf'" } },
		{ "[router 192.0.2.1]\n[router 192.0.2.1]\nalias = x",
		  { "f:2: [router 192.0.2.1] is the router of line 1" } },
		{ "[router 2001:db8::1]\n[router 2001:DB8::1]",
		  { "f:2: [router 2001:DB8::1] is the router of line 1" } },
		{ "[router 192.0.2.1:0]",
		  { "f:1: [router 192.0.2.1:0]: port 0 is nobody's" } },
		{ "[router ]",
		  { "f:1: [router ]: behind 'router' goes an address, "
		    "ADDRESS:PORT or a name" } },
		{ "[rooter 192.0.2.1]",
		  { "f:1: unknown section [rooter 192.0.2.1]; 'arancini run "
		    "--help' lists them" } },
		{ "[router core1]\nalias = x",
		  { "f:2: alias = 'x': only in a section by address or port; "
		    "this one is by name" } },
		{ "[router 192.0.2.1]\nnetworks = 192.0.2.0/24",
		  { "f:2: networks = '192.0.2.0/24': only in a section by "
		    "name; this one is by address" } },
		{ "[router 192.0.2.1:5]\nmd5-key-file = /x",
		  { "f:2: md5-key-file = '/x': only in a section by address: "
		    "the kernel checks signatures before it knows more" } },
		{ "[router 192.0.2.1]\nalias = a\nalias = b",
		  { "f:3: alias = 'b': was given before in this section" } },
		{ "[router 192.0.2.1]\nbmp-v4 = 4",
		  { "f:2: bmp-v4 = '4': allowed is one of off, tlv20, "
		    "legacy, tlv21" } },
		{ "[router 192.0.2.1]\nadd-path = ipv4-vpn, ipv4",
		  { "f:2: add-path = 'ipv4-vpn, ipv4': allowed is all, or "
		    "names as ipv4-unicast, in-post:ipv4-unicast" } },
		{ "[router 192.0.2.1]\nas-width = 3",
		  { "f:2: as-width = '3': allowed is one of 2, 4" } },
		{ "[router 192.0.2.1]\nadd-path = all\nno-add-path = ipv4-vpn\n"
		  "as-width = 2\nbmp-v4 = 4",
		  { "f:3: no-add-path = 'ipv4-vpn': a family is in add-path or "
		    "in no-add-path, not in both",
		    "f:5: bmp-v4 = '4': allowed is one of off, tlv20, "
		    "legacy, tlv21" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct loaded l;

		load_ini(&l, cases[i].ini);
		expect_mistakes(&l, cases[i].want);
		unload(&l);
	}
}

static void test_lines_that_cannot_be_read_are_said(void **state)
{
	char ini[400] = "[log]\nlevel = ";
	struct loaded l;
	size_t len = strlen(ini);

	(void)state;
	memset(ini + len, 'a', 250);
	load_ini(&l, ini);
	expect_mistakes(&l, (const char *const[]){
				    "f:2: longer than 198 bytes; a list can go "
				    "on in further lines that begin with a "
				    "blank",
				    NULL });
	unload(&l);
	l = (struct loaded){ .errors = CONFIG_ERRORS_INIT };
	l.err = config_load_bytes("f", "[log]\nle\0vel", 12, &l.errors,
				  &l.config);
	expect_mistakes(&l,
			(const char *const[]){ "f:2: has a NUL byte", NULL });
	unload(&l);
}

static void test_what_a_file_may_look_like(void **state)
{
	struct loaded l;

	(void)state;
	load_ini(&l, "\xef\xbb\xbf# byte order mark\r\n"
		     "  ; indented comment\r\n"
		     "[ log ] ; a remark\r\n"
		     "level=debug ; a remark\r\n"
		     "format : json\r\n"
		     "[access]\n"
		     "allow = 10.0.0.0/8, 192.0.2.0/24 ; two\n"
		     "\t# in between\n"
		     "\t2001:db8::/32 ; and one\n"
		     "\n"
		     "allow = 198.51.100.0/24\n"
		     "[limits]\n"
		     "  max-sessions = 7\n"
		     "[curation]\n"
		     "filter = drop view=post\n"
		     "    store as=64500\n");
	must(&l);
	assert_int_equal(l.config.log.level, LOG_LEVEL_DEBUG);
	assert_int_equal(l.config.log.format, LOG_FORMAT_JSON);
	assert_int_equal(l.config.access.allow.count, 4);
	assert_int_equal(l.config.limits.sessions, 7);
	assert_int_equal(l.config.curation.filter.count, 2);
	unload(&l);
}

/* Secrets */

static void test_a_secret_from_a_file_or_a_variable(void **state)
{
	char variable[160], args[300];
	char *direct[] = { "ARANCINI_NATS_PASSWORD=from env", NULL };
	char *named[] = { variable, NULL };
	char *both[] = { variable, direct[0], NULL };
	struct loaded l;

	(void)state;
	load(&l, "--nats-user u", direct);
	must(&l);
	assert_string_equal(l.config.nats.password.value, "from env");
	assert_null(l.config.nats.password.path);
	unload(&l);

	snprintf(variable, sizeof(variable), "ARANCINI_NATS_PASSWORD_FILE=%s",
		 file("password", "from file\n"));
	load(&l, "--nats-user u", named);
	must(&l);
	assert_string_equal(l.config.nats.password.value, "from file");
	unload(&l);

	load(&l, "--nats-user u", both);
	expect_mistakes(&l, (const char *const[]){
				    "ARANCINI_NATS_PASSWORD and "
				    "ARANCINI_NATS_PASSWORD_FILE are both set; "
				    "only one can be",
				    NULL });
	unload(&l);

	/* The flag wins over the variable. */
	snprintf(args, sizeof(args), "--nats-user u --nats-password-file %s",
		 file("password", "from flag\n"));
	load(&l, args, direct);
	must(&l);
	assert_string_equal(l.config.nats.password.value, "from flag");
	unload(&l);

	load(&l, "--http-token-file /no/such", no_env);
	expect_mistakes(&l, (const char *const[]){
				    "--http-token-file '/no/such': cannot be "
				    "read: No such file or directory",
				    NULL });
	unload(&l);
}

static void test_a_secret_that_others_can_read_is_noted(void **state)
{
	char args[200], want[300];
	struct loaded l;
	const char *path = file("token", "t\n");

	(void)state;
	assert_int_equal(chmod(path, 0644), 0);
	snprintf(args, sizeof(args), "--http-token-file %s", path);
	snprintf(want, sizeof(want),
		 "--http-token-file '%s': every user of this machine can read "
		 "it; chmod 600 would hide it",
		 path);
	load(&l, args, no_env);
	must(&l);
	assert_int_equal(l.errors.note_count, 1);
	assert_string_equal(l.errors.notes[0], want);
	unload(&l);
}

static void test_md5_keys_are_short_enough_for_the_kernel(void **state)
{
	char args[200], ini[200], key[100];
	struct loaded l;

	(void)state;
	memset(key, 'k', sizeof(key));
	key[81] = '\0';
	snprintf(ini, sizeof(ini),
		 "[router 192.0.2.1]\nmd5-key-file = %s/key\n", folder);
	file("key", key);
	snprintf(args, sizeof(args), "--config %s", file("md5", ini));
	load(&l, args, no_env);
	assert_int_equal(l.errors.count, 1);
	assert_non_null(
		strstr(l.errors.lines[0], "/key': a key has at most 80 bytes"));
	unload(&l);
	key[80] = '\0';
	file("key", key);
	load(&l, args, no_env);
	must(&l);
	assert_string_equal(l.config.routers[0].md5_key.value, key);
	unload(&l);
}

static void test_variables(void **state)
{
	char *env[] = { "PATH=/bin",
			"ARANCINI_WORKER=3",
			"ARANCINI_SERVICE_HOST=10.0.0.1",
			"ARANCINI_PORT=tcp://10.0.0.1:4000",
			"ARANCINI_BUILD=/x",
			"ARANCINI_BACKLOG=",
			"ARANCINI_NATS_TOKEN=t",
			NULL };
	char *bad[] = { "ARANCINI_WORKERS=many", NULL };
	struct loaded l;

	(void)state;
	load(&l, "", env);
	must(&l);
	assert_int_equal(l.errors.note_count, 1);
	assert_string_equal(l.errors.notes[0],
			    "ARANCINI_WORKER is set but is no option; did you "
			    "mean ARANCINI_WORKERS?");
	assert_int_equal(l.config.listen.backlog, 4096); /* empty: not set */
	unload(&l);
	load(&l, "", bad);
	expect_mistakes(&l, (const char *const[]){
				    "ARANCINI_WORKERS 'many': allowed is 0 or "
				    "a whole number from 1 to 1024",
				    NULL });
	unload(&l);
}

/* Routers */

static void address(const char *text, uint8_t out[16])
{
	memcpy(out, (const uint8_t[16]){ [10] = 0xff, [11] = 0xff }, 16);
	if (inet_pton(AF_INET, text, out + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, out), 1);
}

static void test_the_nearest_section_of_a_router_wins(void **state)
{
	struct config_router_settings s;
	struct loaded l;
	uint8_t a[16], other[16];

	(void)state;
	address("192.0.2.1", a);
	address("2001:db8::9", other);
	load_ini(&l, "[limits]\nmax-routes-per-peer = 1\nmax-routes = 9\n"
		     "max-output-rate = 64k\n"
		     "[curation]\nfilter = store\n"
		     "[router core1]\nmax-routes-per-peer = 2\n"
		     "max-routes-per-router = 20\nfilter = drop as=2\n"
		     "max-output-rate = 2M\n"
		     "[router 192.0.2.1]\nmax-routes-per-peer = 3\n"
		     "alias = core1\nfilter = drop as=3\n"
		     "[router 192.0.2.1:50001]\nbmp-v4 = legacy\n"
		     "alias = branch\nfilter = drop as=4\n"
		     "[router [2001:db8::9]:7]\nalias = six\n");
	must(&l);
	assert_string_equal(config_router_alias(&l.config, a, 1), "core1");
	assert_string_equal(config_router_alias(&l.config, a, 50001), "branch");
	assert_string_equal(config_router_alias(&l.config, other, 7), "six");
	assert_null(config_router_alias(&l.config, other, 8));

	config_router_settings(&l.config, a, 50001, "core1", &s);
	assert_int_equal(s.bmp_v4, BMP_V4_LEGACY);
	assert_int_equal(s.routes.per_peer, 3);
	assert_int_equal(s.routes.per_router, 20);
	assert_int_equal(s.routes.all, 9);
	assert_int_equal(s.output_rate, 2 << 20);
	assert_int_equal(s.filters.count, 4);
	assert_int_equal(s.filters.at[0]->rules[0].as_low, 4);
	assert_int_equal(s.filters.at[1]->rules[0].as_low, 3);
	assert_int_equal(s.filters.at[2]->rules[0].as_low, 2);
	assert_int_equal(s.filters.at[3]->rules[0].action, FILTER_STORE);

	config_router_settings(&l.config, other, 7, NULL, &s);
	assert_int_equal(s.bmp_v4, BMP_V4_OFF);
	assert_int_equal(s.routes.per_peer, 1);
	assert_int_equal(s.output_rate, 64 << 10);
	assert_int_equal(s.filters.count, 1);
	unload(&l);
}

#define IPV4	 bgp_family_bit(BGP_IPV4_UNICAST)
#define IPV6	 bgp_family_bit(BGP_IPV6_UNICAST)
#define IPV4_VPN bgp_family_bit(BGP_IPV4_VPN)

/* A view of a family is a thing of its own, too. */
static void test_sections_say_how_a_view_is_read(void **state)
{
	struct config_router_settings s;
	struct loaded l;
	uint8_t a[16];

	(void)state;
	load_ini(&l, "[router core1]\nadd-path = ipv4-unicast\n"
		     "[router 192.0.2.1]\nno-add-path = post:ipv4-unicast\n"
		     "add-path = in-pre:ipv6-unicast\n");
	must(&l);
	address("192.0.2.1", a);
	config_router_settings(&l.config, a, 1, "core1", &s);
	assert_true(s.overrides.add_path_on[BMP_VIEW_IN_PRE] == (IPV4 | IPV6));
	assert_true(s.overrides.add_path_off[BMP_VIEW_IN_PRE] == 0);
	assert_true(s.overrides.add_path_on[BMP_VIEW_IN_POST] == 0);
	assert_true(s.overrides.add_path_off[BMP_VIEW_IN_POST] == IPV4);
	assert_true(s.overrides.add_path_off[BMP_VIEW_OUT_POST] == IPV4);
	assert_true(s.overrides.add_path_on[BMP_VIEW_LOC_RIB] == IPV4);
	unload(&l);
}

static void test_the_nearest_section_says_how_a_router_is_read(void **state)
{
	const struct {
		const char *address, *name;
		uint16_t port;
		bgp_family_set on, off;
		uint8_t as_width;
	} cases[] = {
		{ "198.51.100.1", NULL, 50001, 0, 0, 0 },
		{ "198.51.100.1", "core1", 1, IPV4 | IPV6, IPV4_VPN, 2 },
		/* A family is a thing of its own. */
		{ "192.0.2.1", "core1", 1, IPV4 | IPV4_VPN, IPV6, 2 },
		{ "192.0.2.1", "core1", 50001, IPV4 | IPV4_VPN, IPV6, 4 },
		{ "192.0.2.1", NULL, 1, IPV4_VPN, IPV6, 0 },
	};
	struct loaded l;

	(void)state;
	load_ini(&l, "[router 192.0.2.1:50001]\nas-width = 4\n"
		     "[router 192.0.2.1]\nno-add-path = ipv6-unicast\n"
		     "add-path = ipv4-vpn\n"
		     "[router core1]\nadd-path = ipv4-unicast\n"
		     " ipv6-unicast\nno-add-path = ipv4-vpn\nas-width = 2\n");
	must(&l);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct config_router_settings s;
		uint8_t a[16];

		address(cases[i].address, a);
		config_router_settings(&l.config, a, cases[i].port,
				       cases[i].name, &s);
		for (int v = 0; v < BMP_VIEWS; v++)
			CHECK(s.overrides.add_path_on[v] == cases[i].on &&
				      s.overrides.add_path_off[v] ==
					      cases[i].off,
			      "case %zu, view %d", i, v);
		CHECK(s.overrides.as_width == cases[i].as_width, "case %zu", i);
		CHECK(bgp_overrides_any(&s.overrides) == (i > 0), "case %zu",
		      i);
	}
	unload(&l);
}

/* Showing */

static char *printed(const struct config *c)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	config_print(c, to);
	fclose(to);
	return text;
}

static void test_what_is_printed_can_be_read_back(void **state)
{
	struct loaded l, again;
	char *env[] = { "ARANCINI_NATS_TOKEN=top secret", NULL };
	char args[300];
	char *text;
	size_t restart;

	(void)state;
	snprintf(args, sizeof(args),
		 "--config %s --workers 3 --allow 10.0.0.0/8,192.0.2.0/24",
		 file("print", "[curation]\nfilter = drop view=post\n store\n"
			       "[router core1]\nfilter = drop\n publish\n"
			       "add-path = ipv6-unicast, ipv4-unicast\n"
			       "no-add-path = link-state\nas-width = 2\n"
			       "[router 192.0.2.1]\nalias = core1\n"));
	load(&l, args, env);
	must(&l);
	text = printed(&l.config);
	assert_non_null(strstr(text, "\nworkers = 3                            "
				     "  ; --workers\n"));
	assert_non_null(strstr(text, "\nallow = 10.0.0.0/8                     "
				     "  ; --allow\n\t192.0.2.0/24\ndeny ="));
	assert_non_null(strstr(text, "; ARANCINI_NATS_TOKEN, hidden\n"));
	assert_non_null(strstr(text, "/print:2\n\tstore\n"));
	assert_non_null(strstr(text, "\n[router 192.0.2.1]\nalias = core1\n"));
	assert_non_null(strstr(text, "\n[router core1]\n"
				     "add-path = ipv4-unicast\n"
				     "\tipv6-unicast\n"
				     "no-add-path = link-state\n"
				     "as-width = 2\nfilter = drop\n"));
	assert_null(strstr(text, "secret"));
	load_ini(&again, text);
	must(&again);
	/* All but the secret, which is hidden. */
	restart = config_compare(&l.config, &again.config, NULL, NULL);
	assert_int_equal(restart, 1);
	free(text);
	unload(&again);
	unload(&l);
}

static void test_every_option_is_in_the_help(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	char flag[80];
	int column = 0;

	(void)state;
	config_help(to);
	fclose(to);
	for (size_t i = 0; i < config_option_count; i++) {
		snprintf(flag, sizeof(flag), "\n  --%s%s",
			 config_options[i].flag,
			 *config_options[i].value != '\0' ? " " : "");
		CHECK(strstr(text, flag) != NULL, "%s", flag);
	}
	for (const char *s = text; *s != '\0'; s++) {
		column = *s == '\n' ? 0 : column + 1;
		CHECK(column < 80, "too wide: %.80s", s - column + 1);
	}
	free(text);
}

/* The table */

static void test_the_table_is_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];
		char env[CONFIG_ENV_MAX];

		CHECK(config_option_by_flag(o->flag, strlen(o->flag)) == o,
		      "--%s twice", o->flag);
		CHECK(config_option_by_key(o->section, o->key) == o,
		      "[%s] %s twice", o->section, o->key);
		CHECK(config_section_find(o->section) != NULL, "[%s]",
		      o->section);
		CHECK(o->help[strlen(o->help) - 1] != '.', "--%s", o->flag);
		CHECK((o->form.type == CONFIG_BOOL) == (*o->value == '\0'),
		      "--%s", o->flag);
		config_option_env(o, CONFIG_ENV_OPTION, env);
		CHECK(strlen(env) == strlen(o->flag) + 9, "%s", env);
		/* The file's lines have 198 bytes, a value up to 160. */
		CHECK(strlen(o->key) <= 35, "[%s] %s", o->section, o->key);
		if (o->form.type == CONFIG_SECRET)
			CHECK(strcmp(o->flag + strlen(o->flag) - 5, "-file") ==
				      0,
			      "--%s", o->flag);
	}
}

/* Reloading */

struct changes {
	char text[1000];
};

static void note(void *arg, const char *name, bool reload)
{
	struct changes *c = arg;

	size_t len = strlen(c->text);

	snprintf(c->text + len, sizeof(c->text) - len, "%s %s\n", name,
		 reload ? "reload" : "restart");
}

static void test_a_reload_says_what_it_can_change(void **state)
{
	struct changes changes = { "" };
	struct loaded a, b;

	(void)state;
	load_ini(&a, "[log]\nlevel = info\n[listen]\nworkers = 2\n"
		     "[router 192.0.2.1]\nalias = core1\n"
		     "max-routes-per-peer = 5\nadd-path = ipv4-vpn\n"
		     "[router 192.0.2.2]\nalias = gone\nfilter = drop\n"
		     "[router core9]\nfilter = drop\n");
	load_ini(&b, "[log]\nlevel = debug\n[listen]\nworkers = 3\n"
		     "[access]\ndeny = 10.0.0.0/8\n"
		     "[router 192.0.2.1]\nalias = core2\n"
		     "max-routes-per-peer = 6\nadd-path = all\n"
		     "as-width = 2\n"
		     "[router 192.0.2.3]\nalias = new\nfilter = store\n");
	must(&a);
	must(&b);
	assert_int_equal(config_compare(&a.config, &b.config, note, &changes),
			 4);
	assert_string_equal(changes.text,
			    "--workers restart\n"
			    "--deny reload\n"
			    "--log-level reload\n"
			    "[router 192.0.2.1] alias restart\n"
			    "[router 192.0.2.1] add-path reload\n"
			    "[router 192.0.2.1] as-width reload\n"
			    "[router 192.0.2.1] max-routes-per-peer reload\n"
			    "[router 192.0.2.3] alias restart\n"
			    "[router 192.0.2.3] filter reload\n"
			    "[router 192.0.2.2] alias restart\n"
			    "[router 192.0.2.2] filter reload\n"
			    "[router core9] filter reload\n");

	/* What is then in force differs by what a reload can change. */
	assert_int_equal(config_keep(&a.config, &b.config), 0);
	changes.text[0] = '\0';
	assert_int_equal(config_compare(&a.config, &b.config, note, &changes),
			 0);
	assert_string_equal(changes.text,
			    "--deny reload\n"
			    "--log-level reload\n"
			    "[router 192.0.2.1] add-path reload\n"
			    "[router 192.0.2.1] as-width reload\n"
			    "[router 192.0.2.1] max-routes-per-peer reload\n"
			    "[router 192.0.2.3] filter reload\n"
			    "[router 192.0.2.2] filter reload\n"
			    "[router core9] filter reload\n");
	assert_int_equal(b.config.listen.workers, 2);
	assert_int_equal(b.config.log.level, LOG_LEVEL_DEBUG);
	unload(&a);
	unload(&b);
}

static void test_the_same_configuration_has_no_changes(void **state)
{
	struct changes changes = { "" };
	struct loaded a, b;

	(void)state;
	load_ini(&a, "[router core1]\nfilter = drop\n"
		     "add-path = ipv4-unicast, ipv6-unicast\n");
	load_ini(&b, "[router core1]\nfilter = drop\n"
		     "add-path = ipv6-unicast\nadd-path = ipv4-unicast\n");
	assert_int_equal(config_compare(&a.config, &b.config, note, &changes),
			 0);
	assert_string_equal(changes.text, "");
	unload(&a);
	unload(&b);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "layers", "named", "password",
					     "token",  "key",	"md5",
					     "print" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

/* Many sections */

enum {
	MANY = 200000
};

/* Section @i: by address, by port and by name in turn. */
static void put_title(char out[64], size_t i)
{
	unsigned int a = (unsigned int)i >> 16 & 255, b = i >> 8 & 255,
		     c = i & 255;

	if (i % 3 == 0)
		snprintf(out, 64, "10.%u.%u.%u", a, b, c);
	else if (i % 3 == 1)
		snprintf(out, 64, "10.%u.%u.%u:50001", a, b, c);
	else
		snprintf(out, 64, "router%zu", i);
}

static void load_many(struct loaded *l, size_t first, size_t count)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (size_t i = first; i < first + count; i++) {
		char title[64];

		put_title(title, i);
		fprintf(to, "[router %s]\nmax-routes-per-peer = %zu\n", title,
			i + 1);
	}
	fclose(to);
	*l = (struct loaded){ .errors = CONFIG_ERRORS_INIT };
	l->err = config_load_bytes("many", text, len, &l->errors, &l->config);
	free(text);
}

static uint64_t routes_of(const struct config *config, size_t i)
{
	struct config_router_settings settings;
	uint8_t address[16] = { [10] = 255, 255, 10 };
	char title[64];

	address[13] = i >> 16 & 255;
	address[14] = i >> 8 & 255;
	address[15] = i & 255;
	put_title(title, i);
	config_router_settings(config, address, i % 3 == 1 ? 50001 : 50000,
			       i % 3 == 2 ? title : NULL, &settings);
	return settings.routes.per_peer;
}

static void count_change(void *arg, const char *name, bool reload)
{
	(void)name;
	(void)reload;
	++*(size_t *)arg;
}

/* With a walk over the sections for each of them it takes minutes of CPU. */
static void test_many_sections_are_loaded_quickly(void **state)
{
	struct loaded a, b;
	size_t changes = 0;
	clock_t began = clock();

	(void)state;
	load_many(&a, 0, MANY);
	load_many(&b, MANY / 2, MANY);
	must(&a);
	must(&b);
	assert_int_equal(a.config.router_count, MANY);
	config_compare(&a.config, &b.config, count_change, &changes);
	assert_int_equal(changes, MANY); /* half is new, half is gone */
	assert_int_equal(config_keep(&a.config, &b.config), 0);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(routes_of(&a.config, i), i + 1);
	for (size_t i = MANY / 2; i < MANY; i++)
		assert_int_equal(routes_of(&b.config, i), i + 1);
	assert_int_equal(routes_of(&b.config, 3), routes_of(&a.config, MANY));
	assert_true((clock() - began) / CLOCKS_PER_SEC < 50);
	unload(&a);
	unload(&b);
}

/* One that is there twice is found among many. */
static void test_a_section_that_is_there_twice_is_found(void **state)
{
	static const char *const titles[] = { "192.0.2.1", "192.0.2.1:50001",
					      "core1" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char text[1024], *to = text;
		struct loaded l;

		for (size_t k = 0; k < 20; k++)
			to += sprintf(to, "[router 10.0.0.%zu]\n", k);
		sprintf(to,
			"[router 192.0.2.1]\n[router 192.0.2.1:50001]\n"
			"[router 192.0.2.1:50002]\n[router core1]\n"
			"[router %s]\n",
			titles[i]);
		load_ini(&l, text);
		assert_int_equal(l.err, -EINVAL);
		assert_int_equal(l.errors.count, 1);
		unload(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_are_those_of_the_contract),
		cmocka_unit_test(
			test_flags_win_over_variables_and_those_over_the_file),
		cmocka_unit_test(test_the_file_can_be_named_by_a_variable),
		cmocka_unit_test(test_ways_to_write_flags),
		cmocka_unit_test(test_mistakes_in_flags),
		cmocka_unit_test(test_options_that_do_not_go_together),
		cmocka_unit_test(
			test_subjects_are_measured_with_the_collector_s_name),
		cmocka_unit_test(test_the_collector_s_name_is_put_in),
		cmocka_unit_test(test_mistakes_in_the_file),
		cmocka_unit_test(test_lines_that_cannot_be_read_are_said),
		cmocka_unit_test(test_what_a_file_may_look_like),
		cmocka_unit_test(test_a_secret_from_a_file_or_a_variable),
		cmocka_unit_test(test_a_secret_that_others_can_read_is_noted),
		cmocka_unit_test(test_md5_keys_are_short_enough_for_the_kernel),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_the_nearest_section_of_a_router_wins),
		cmocka_unit_test(test_sections_say_how_a_view_is_read),
		cmocka_unit_test(
			test_the_nearest_section_says_how_a_router_is_read),
		cmocka_unit_test(test_what_is_printed_can_be_read_back),
		cmocka_unit_test(test_every_option_is_in_the_help),
		cmocka_unit_test(test_the_table_is_in_order),
		cmocka_unit_test(test_a_reload_says_what_it_can_change),
		cmocka_unit_test(test_the_same_configuration_has_no_changes),
		cmocka_unit_test(test_many_sections_are_loaded_quickly),
		cmocka_unit_test(test_a_section_that_is_there_twice_is_found),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
