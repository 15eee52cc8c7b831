/* Prints --help, made from the table of options. */
#include "collector/config/help.h"

#include "collector/config/options.h"

#include <string.h>

#define COLUMN 26
#define WIDTH  79

/*
 * Write words from column COLUMN on, in lines of at most WIDTH; @at is the
 * current column.
 */
static void put_wrapped(FILE *to, const char *text, size_t at)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (at > COLUMN && at + 1 + len > WIDTH) {
			fputc('\n', to);
			at = 0;
		}
		if (at < COLUMN)
			fprintf(to, "%*s", (int)(COLUMN - at), "");
		else
			fputc(' ', to);
		at = (at < COLUMN ? COLUMN : at + 1) + len;
		fwrite(text, 1, len, to);
		text += len + (text[len] == ' ');
	}
	fputc('\n', to);
}

static void put_option(FILE *to, const struct config_option *o)
{
	char text[512];
	size_t len = (size_t)snprintf(text, sizeof(text), "  --%s%s%s", o->flag,
				      *o->value != '\0' ? " " : "", o->value);

	fputs(text, to);
	if (len >= COLUMN - 1) {
		fputc('\n', to);
		len = 0;
	}
	if (*o->preset != '\0' && o->form.type != CONFIG_BOOL)
		snprintf(text, sizeof(text), "%s (%s)", o->help, o->preset);
	else
		snprintf(text, sizeof(text), "%s", o->help);
	put_wrapped(to, text, len);
}

void config_help(FILE *to)
{
	fputs("Usage: arancini run [OPTION]...\n"
	      "Runs the collector.\n\n"
	      "  --config FILE           read this file first (or "
	      "ARANCINI_CONFIG)\n"
	      "  --check-config          print the values in effect and where "
	      "each is from;\n"
	      "                          exit with 0 if all is well, with 2 "
	      "if not\n"
	      "  --help                  this text\n",
	      to);
	for (size_t i = 0; i < config_section_count; i++) {
		fprintf(to, "\n%s, [%s] in the file:\n",
			config_sections[i].title, config_sections[i].name);
		for (size_t k = 0; k < config_option_count; k++)
			if (strcmp(config_options[k].section,
				   config_sections[i].name) == 0)
				put_option(to, &config_options[k]);
	}
	fputs("\nDefaults are in parentheses. Each option can be set by a "
	      "variable as well:\n"
	      "--nats-stream is ARANCINI_NATS_STREAM. Flags win over "
	      "variables, and those over\n"
	      "the file. A secret is read from a file, or is the variable "
	      "without _FILE:\n"
	      "ARANCINI_NATS_PASSWORD. TIME is a number and ms, s, m or h; "
	      "SIZE a number and\n"
	      "K, M, G or T. 'man 5 arancini.conf' has the file, routers in "
	      "it, and filters.\n",
	      to);
}
