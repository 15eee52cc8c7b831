/*
 * Prints the effective values as a file that can be read again:
 *
 *	[limits]
 *	max-sessions = 20000                     ; default
 *	allow = 192.0.2.0/24                     ; arancini.conf:7
 *		2001:db8::/32
 *
 * If a line would be too long to be read again, its comment is on the line
 * above.
 */
#include "collector/config/print.h"

#include "collector/config/options.h"

#include <string.h>

/* Maximum line length of inih, without newline and terminator. */
#define LINE_MAX_READ 198
#define REMARK_COLUMN 40

#define VALUE_MAX 256

static void put_remark(char *out, size_t cap, const struct config *c,
		       const struct config_option *o)
{
	const struct config_source *s = &c->sources[config_option_index(o)];
	const struct config_secret *secret = config_at_const(c, o);
	char name[CONFIG_ENV_MAX];

	switch ((enum config_origin)s->origin) {
	case CONFIG_FROM_FILE:
		snprintf(out, cap, "%s:%u", c->file, s->line);
		break;
	case CONFIG_FROM_ENVIRONMENT:
		config_option_env(o,
				  o->form.type == CONFIG_SECRET &&
						  secret->path == NULL
					  ? CONFIG_ENV_DIRECT
					  : CONFIG_ENV_OPTION,
				  name);
		snprintf(out, cap, "%s%s", name,
			 strstr(name, "_FILE") == NULL &&
					 o->form.type == CONFIG_SECRET
				 ? ", hidden"
				 : "");
		break;
	case CONFIG_FROM_FLAG:
		snprintf(out, cap, "--%s", o->flag);
		break;
	default:
		snprintf(out, cap, "default");
	}
}

static void print_value(FILE *to, const char *key,
			const struct config_form *form, const void *value,
			const char *remark)
{
	char text[VALUE_MAX] = "";
	char line[VALUE_MAX * 2];
	int len;

	config_value_format(form, value, 0, text, sizeof(text));
	len = snprintf(line, sizeof(line), "%s =%s%s", key,
		       *text != '\0' ? " " : "", text);
	if (remark == NULL)
		fprintf(to, "%s\n", line);
	else if (len + strlen(remark) + 3 > LINE_MAX_READ ||
		 strpbrk(remark, "\r\n") != NULL)
		fprintf(to, "# %.150s\n%s\n", remark, line);
	else
		fprintf(to, "%-*s ; %s\n", REMARK_COLUMN, line, remark);
	for (size_t i = 1;
	     config_value_format(form, value, i, text, sizeof(text)); i++)
		fprintf(to, "\t%s\n", text);
}

static void print_section(FILE *to, const struct config *c,
			  const struct config_section *s)
{
	char remark[VALUE_MAX * 2];

	fprintf(to, "[%s]\n", s->name);
	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];

		if (strcmp(o->section, s->name) != 0)
			continue;
		put_remark(remark, sizeof(remark), c, o);
		print_value(to, o->key, &o->form, config_at_const(c, o),
			    remark);
	}
}

static void print_router(FILE *to, const struct config_router *r)
{
	fprintf(to, "\n[router %s]\n", r->title);
	for (size_t i = 0; i < CONFIG_ROUTER_KEYS; i++) {
		const struct config_router_option *o = &config_router_keys[i];

		if (r->given & 1u << i)
			print_value(to, o->key, &o->form,
				    config_router_at_const(r, i), NULL);
	}
}

void config_print(const struct config *c, FILE *to)
{
	for (size_t i = 0; i < config_section_count; i++) {
		if (i > 0)
			fputc('\n', to);
		print_section(to, c, &config_sections[i]);
	}
	for (size_t i = 0; i < c->router_count; i++)
		print_router(to, &c->routers[i]);
}
