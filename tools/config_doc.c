/*
 * Writes what can be known from the tables of options: the sample file, the
 * tables of docs/configuration.md, and the lists in the man pages.
 *
 *	config_doc conf|markdown|man-flags|man-file|man-routers|http
 *
 * "http" is a line for each route of the HTTP server: method, path, and the
 * names of its parameters, with "!" after one that is required.
 *
 * tools/config-docs.sh puts the results into the tree; tests compare.
 */
#include "collector/config/options.h"
#include "collector/config/router_section.h"
#include "collector/http/server_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 78

static const char *reload_words(bool reload)
{
	return reload ? "SIGHUP changes it" : "changing it needs a restart";
}

/* Of a text its shape says more than that it is one. */
static void put_allowed(const struct config_option *o, char out[CONFIG_WHY_MAX])
{
	switch (o->form.type) {
	case CONFIG_TEXT:
	case CONFIG_TEXTS:
	case CONFIG_PATH:
	case CONFIG_RULES:
	case CONFIG_SECRET:
		snprintf(out, CONFIG_WHY_MAX, "%s", o->value);
		break;
	default:
		config_value_allowed(&o->form, out, CONFIG_WHY_MAX);
	}
}

static bool in_section(size_t i, const struct config_section *s)
{
	return strcmp(config_options[i].section, s->name) == 0;
}

/* The sample file */

/* A comment in lines of at most WIDTH. */
static void put_comment(const char *text)
{
	size_t at = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (at == 0 || at + 1 + len > WIDTH) {
			fputs(at == 0 ? "#" : "\n#", stdout);
			at = 1;
		}
		printf(" %.*s", (int)len, text);
		at += 1 + len;
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void conf_option(const struct config_option *o)
{
	char allowed[CONFIG_WHY_MAX], env[CONFIG_ENV_MAX], text[600];

	put_allowed(o, allowed);
	config_option_env(o, CONFIG_ENV_OPTION, env);
	snprintf(text, sizeof(text), "%c%s.", toupper(o->help[0]), o->help + 1);
	putchar('\n');
	put_comment(text);
	snprintf(text, sizeof(text), "%c%s. --%s, %s; %s.", toupper(allowed[0]),
		 allowed + 1, o->flag, env, reload_words(o->reload));
	put_comment(text);
	printf("#%s =%s%s\n", o->key, *o->preset != '\0' ? " " : "", o->preset);
}

static void conf_routers(void)
{
	puts("\n# Routers that are different. A section is by address, by "
	     "ADDRESS:PORT (of the\n"
	     "# router), or by name (an alias, or what router-id = sysname or "
	     "bgp-id found);\n"
	     "# all that fit apply, the nearest first. Keys:\n"
	     "#");
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		const struct config_router_option *o = &config_router_keys[i];
		char text[400];

		snprintf(text, sizeof(text), "%s = %s: %s; %s.", o->key,
			 o->value, o->help, reload_words(o->reload));
		put_comment(text);
	}
	puts("#\n"
	     "#[router 192.0.2.1]\n"
	     "#alias = core1\n"
	     "#md5-key-file = /etc/arancini/core1.key\n"
	     "#\n"
	     "#[router core1]\n"
	     "#max-routes-per-peer = 2000000\n"
	     "#filter = drop view=post\n"
	     "#\tstore peer=198.51.100.0/24 family=ipv4-unicast");
}

static void conf(void)
{
	puts("# arancini.conf - the collector's options, each with its "
	     "default\n"
	     "#\n"
	     "# Remove the '#' in front of a line to change it. Flags win over "
	     "variables, and\n"
	     "# those over this file. A ';' behind a blank begins a remark. A "
	     "list can go on in\n"
	     "# lines that begin with a blank; no line is longer than 198 "
	     "bytes.\n"
	     "# 'arancini run --check-config --config FILE' says what is "
	     "wrong with a file.\n"
	     "#\n"
	     "# Made by tools/config-docs.sh from the table in "
	     "src/collector/config/options.c.");
	for (size_t i = 0; i < config_section_count; i++) {
		printf("\n[%s]\n", config_sections[i].name);
		put_comment(config_sections[i].help);
		for (size_t k = 0; k < config_option_count; k++)
			if (in_section(k, &config_sections[i]))
				conf_option(&config_options[k]);
	}
	conf_routers();
}

/* Tables in Markdown */

/* A "|" would end the cell. */
static void put_cell(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void markdown_option(const struct config_option *o)
{
	char allowed[CONFIG_WHY_MAX];

	put_allowed(o, allowed);
	printf("| `--%s` | `%s` | %s%s%s | ", o->flag, o->key,
	       *o->preset != '\0' ? "`" : "", o->preset,
	       *o->preset != '\0' ? "`" : "");
	put_cell(allowed);
	printf(" | %s | ", o->reload ? "yes" : "no");
	put_cell(o->help);
	puts(" |");
}

static void markdown(void)
{
	for (size_t i = 0; i < config_section_count; i++) {
		printf("\n### %s: `[%s]`\n\n%s\n\n", config_sections[i].title,
		       config_sections[i].name, config_sections[i].help);
		puts("| flag | key | default | allowed | SIGHUP | what |\n"
		     "|---|---|---|---|---|---|");
		for (size_t k = 0; k < config_option_count; k++)
			if (in_section(k, &config_sections[i]))
				markdown_option(&config_options[k]);
	}
	puts("\n### Single routers: `[router …]`\n\n"
	     "| key | value | SIGHUP | what |\n"
	     "|---|---|---|---|");
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		const struct config_router_option *o = &config_router_keys[i];

		printf("| `%s` | ", o->key);
		put_cell(o->value);
		printf(" | %s | ", o->reload ? "yes" : "no");
		put_cell(o->help);
		puts(" |");
	}
}

/* Lists for mdoc(7) */

/* mdoc wants short lines, and each sentence to begin one. */
static void man_text(const char *text)
{
	bool first = true;
	size_t at = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (at + 1 + len > WIDTH - 4 ||
		    (at > 0 && text[-2] == '.' && isupper(*text))) {
			putchar('\n');
			at = 0;
		} else if (at > 0) {
			putchar(' ');
		}
		putchar(first ? toupper(*text) : *text);
		printf("%.*s", (int)len - 1, text + 1);
		at += 1 + len;
		text += len + (text[len] == ' ');
		first = false;
	}
	puts(text[-1] == '.' ? "" : ".");
}

static void man_option(const struct config_option *o)
{
	char allowed[CONFIG_WHY_MAX];

	put_allowed(o, allowed);
	man_text(o->help);
	/* The shape of a text stands above already. */
	if (strcmp(allowed, o->value) != 0)
		printf("Allowed is %s.\n", allowed);
	if (*o->preset != '\0')
		printf("The default is\n.Ql %s .\n", o->preset);
	if (o->reload)
		puts("Can be changed by\n.Dv SIGHUP .");
}

static void man_flags(void)
{
	for (size_t i = 0; i < config_section_count; i++) {
		printf(".Ss %s\n", config_sections[i].title);
		man_text(config_sections[i].help);
		puts(".Bl -tag -width Ds");
		for (size_t k = 0; k < config_option_count; k++) {
			const struct config_option *o = &config_options[k];

			if (!in_section(k, &config_sections[i]))
				continue;
			printf(".It Fl Fl %s%s%s\n", o->flag,
			       *o->value != '\0' ? " Ar " : "", o->value);
			man_option(o);
		}
		puts(".El");
	}
}

static void man_file(void)
{
	for (size_t i = 0; i < config_section_count; i++) {
		printf(".Ss Section %s\n", config_sections[i].name);
		man_text(config_sections[i].help);
		puts(".Bl -tag -width Ds");
		for (size_t k = 0; k < config_option_count; k++) {
			const struct config_option *o = &config_options[k];

			if (!in_section(k, &config_sections[i]))
				continue;
			printf(".It Ic %s Li = Ar %s\n", o->key,
			       *o->value != '\0' ? o->value : "true|false");
			man_option(o);
		}
		puts(".El");
	}
}

static void man_routers(void)
{
	puts(".Bl -tag -width Ds");
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		const struct config_router_option *o = &config_router_keys[i];

		printf(".It Ic %s Li = Ar %s\n", o->key, o->value);
		man_text(o->help);
		if (o->reload)
			puts("Can be changed by\n.Dv SIGHUP .");
	}
	puts(".El");
}

static void http_routes(void)
{
	const struct http_route *route;

	for (size_t i = 0; (route = http_route_at(i)) != NULL; i++) {
		printf("%s %s", route->flags & HTTP_POST ? "POST" : "GET",
		       route->path);
		for (const struct query_param *p = route->params;
		     p != NULL && p->name != NULL; p++)
			printf(" %s%s", p->name, p->required ? "!" : "");
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} kinds[] = {
		{ "conf", conf },
		{ "markdown", markdown },
		{ "man-flags", man_flags },
		{ "man-file", man_file },
		{ "man-routers", man_routers },
		{ "http", http_routes },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].write();
			return 0;
		}
	fputs("usage: config_doc conf|markdown|man-flags|man-file|"
	      "man-routers|http\n",
	      stderr);
	return 2;
}
