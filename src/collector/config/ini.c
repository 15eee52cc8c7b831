/*
 * Read a configuration file. inih splits lines into keys and values, but
 * reports no line numbers and ignores many errors. So next_line(), which passes
 * the lines to inih, counts them and checks each first:
 *
 *	- Only a line with a key should reach the handler. If inih does not call
 *	  the handler for such a line, the line is an error.
 *	- Sections are parsed here: inih truncates long names, and does not
 *	  report that a section begins.
 *	- A line that is longer than inih's buffer is an error: inih would
 *	  split it.
 *
 * A line that begins with a blank continues a list.
 */
#include "collector/config/ini.h"

#include "collector/config/assign.h"
#include "collector/config/errors.h"
#include "collector/config/options.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_MAX 160

struct reader {
	struct config_loader *loader;
	const char *name; /* name of the file */
	const char *bytes;
	size_t left;
	unsigned int line;
	bool pending; /* the handler has not seen this line yet */
	/* the next line continues a key if it begins with a blank */
	bool has_key;
	bool skipping; /* ignore the keys of an invalid section */
	char section[SECTION_MAX];
	/* NULL if the section is not of a router */
	struct config_router *router;
};

static struct config_place place_of(const struct reader *r, const char *key)
{
	return (struct config_place){
		.origin = CONFIG_FROM_FILE,
		.file = r->name,
		.line = r->line,
		.section = r->section,
		.name = key,
	};
}

static void line_complain(struct reader *r, const char *what)
{
	config_errors_add(r->loader->errors, "%s:%u: %s", r->name, r->line,
			  what);
}

/* Sections */

static const char *nearest_section(const char *name)
{
	const char **names = calloc(config_section_count + 2, sizeof(*names));
	const char *found;
	size_t n = 0;

	if (names == NULL)
		return NULL;
	for (; n < config_section_count; n++)
		names[n] = config_sections[n].name;
	names[n] = "router";
	found = config_errors_nearest(name, names);
	free(names);
	return found;
}

static void complain_section(struct reader *r)
{
	const char *nearest = nearest_section(r->section);

	if (nearest != NULL)
		config_errors_add(
			r->loader->errors,
			"%s:%u: unknown section [%s]; did you mean [%s]?",
			r->name, r->line, r->section, nearest);
	else
		config_errors_add(r->loader->errors,
				  "%s:%u: unknown section [%s]; 'arancini run "
				  "--help' lists them",
				  r->name, r->line, r->section);
}

static void begin_section(struct reader *r, const char *name, size_t len)
{
	struct config_place place = place_of(r, NULL);

	r->has_key = false;
	r->router = NULL;
	r->skipping = true;
	while (len > 0 && (*name == ' ' || *name == '\t'))
		name++, len--;
	while (len > 0 && (name[len - 1] == ' ' || name[len - 1] == '\t'))
		len--;
	if (len >= sizeof(r->section)) {
		line_complain(r, "the name of this section is too long");
		return;
	}
	memcpy(r->section, name, len);
	r->section[len] = '\0';
	if (strncmp(r->section, "router", 6) == 0 &&
	    strchr(" \t", r->section[6]) != NULL) {
		const char *title = r->section + 6;

		title += strspn(title, " \t");
		r->router = config_router_begin(r->loader, &place, title);
		r->skipping = r->router == NULL;
	} else if (config_section_find(r->section) != NULL) {
		r->skipping = false;
	} else {
		complain_section(r);
	}
}

/* Keys */

static void complain_key(struct reader *r, const char *key)
{
	const char **names = calloc(config_option_count + 1, sizeof(*names));
	const char *nearest;
	size_t n = 0;

	if (names == NULL)
		return;
	for (size_t i = 0; i < config_option_count; i++)
		if (strcmp(config_options[i].section, r->section) == 0)
			names[n++] = config_options[i].key;
	nearest = config_errors_nearest(key, names);
	if (nearest != NULL)
		config_errors_add(
			r->loader->errors,
			"%s:%u: [%s] has no key '%s'; did you mean '%s'?",
			r->name, r->line, r->section, key, nearest);
	else
		config_errors_add(r->loader->errors,
				  "%s:%u: [%s] has no key '%s'; see 'man 5 "
				  "arancini.conf'",
				  r->name, r->line, r->section, key);
	free(names);
}

static int key_handle(void *arg, const char *section, const char *key,
		      const char *value)
{
	struct reader *r = arg;
	struct config_place place = place_of(r, key);
	const struct config_option *option;

	(void)section; /* not inih's section name, which may be truncated */
	r->pending = false;
	r->has_key = *key != '\0';
	if (r->section[0] == '\0' && !r->skipping) {
		line_complain(r, "a key before the first [section]");
		return 1;
	}
	if (r->skipping)
		return 1;
	if (r->router != NULL) {
		config_router_set(r->loader, r->router, &place, value);
		return 1;
	}
	option = config_option_by_key(r->section, key);
	if (option == NULL)
		complain_key(r, key);
	else
		config_set(r->loader, option, &place, value);
	return 1;
}

/* Lines */

/* Take the next line; false at the end. */
static bool cut_line(struct reader *r, const char **line, size_t *len)
{
	const char *end;

	if (r->left == 0)
		return false;
	r->line++;
	*line = r->bytes;
	end = memchr(r->bytes, '\n', r->left);
	*len = end != NULL ? (size_t)(end - r->bytes) : r->left;
	r->left -= *len + (end != NULL ? 1 : 0);
	r->bytes += *len + (end != NULL ? 1 : 0);
	if (*len > 0 && (*line)[*len - 1] == '\r')
		--*len;
	/* Skip a byte order mark. */
	if (r->line == 1 && *len >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0)
		*line += 3, *len -= 3;
	return true;
}

/*
 * The length of @line without a comment at its end. inih removes comments after
 * values, but not in continuation lines.
 */
static size_t without_comment(const char *line, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (line[i] == ';' &&
		    (line[i - 1] == ' ' || line[i - 1] == '\t'))
			return i;
	return len;
}

/*
 * Check @line, which has *@len bytes, and return the text to pass to inih
 * instead: the line, an empty line if there is nothing to parse or an error was
 * reported, or a short heading for a new section. Sets *@len to its length.
 */
static const char *look_at(struct reader *r, const char *line, size_t *len,
			   size_t max)
{
	size_t blanks = 0;
	const char *bracket;

	while (blanks < *len && (line[blanks] == ' ' || line[blanks] == '\t'))
		blanks++;
	if (blanks == *len || line[blanks] == '#' || line[blanks] == ';')
		goto out;
	if (*len > max) {
		config_errors_add(
			r->loader->errors,
			"%s:%u: longer than %zu bytes; a list can go on "
			"in further lines that begin with a blank",
			r->name, r->line, max);
		goto out;
	}
	if (memchr(line, '\0', *len) != NULL) {
		line_complain(r, "has a NUL byte");
		goto out;
	}
	if (line[blanks] == '[' && !(blanks > 0 && r->has_key)) {
		/*
		 * Use the last bracket: an IPv6 address may be in brackets,
		 * too.
		 */
		bracket = memrchr(line, ']', without_comment(line, *len));
		if (bracket == NULL) {
			line_complain(r,
				      "a section that does not end with ']'");
			goto out;
		}
		begin_section(r, line + blanks + 1,
			      (size_t)(bracket - line) - blanks - 1);
		*len = 3;
		return "[s]";
	}
	r->pending = true;
	if (blanks > 0 && r->has_key)
		*len = without_comment(line, *len);
	return line;
out:
	*len = 0;
	return "";
}

static void finish_line(struct reader *r)
{
	if (r->pending && !r->skipping)
		line_complain(r,
			      "neither 'key = value', nor a [section], nor a "
			      "comment");
	r->pending = false;
}

static char *next_line(char *out, int cap, void *arg)
{
	struct reader *r = arg;
	const char *line;
	size_t len;

	finish_line(r);
	if (!cut_line(r, &line, &len))
		return NULL;
	/* Reserve space for the newline and the terminator. */
	line = look_at(r, line, &len, (size_t)cap - 2);
	memcpy(out, line, len);
	out[len] = '\n';
	out[len + 1] = '\0';
	return out;
}

void config_ini_read(struct config_loader *loader, const char *name,
		     const char *bytes, size_t len)
{
	struct reader r = {
		.loader = loader,
		.name = name,
		.bytes = bytes,
		.left = len,
	};

	/* Errors were already reported for each line. */
	(void)ini_parse_stream(next_line, &r, key_handle, &r);
	finish_line(&r);
}
