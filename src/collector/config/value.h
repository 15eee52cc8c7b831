/*
 * collector/config/value.h - the types of option values
 *
 *	bool		true, false, yes, no, on, off, 1, 0
 *	number		a whole number in a range
 *	size		bytes; K, M, G, T behind it are powers of 1024
 *	time		ms, s, m, h, d behind a number; "never" and "off"
 *	choice		one of some words
 *	text, path	as it is
 *	address		192.0.2.1:4000, [2001:db8::1]:4000; "off" where allowed
 *	addresses, networks, texts	lists: elements separated by commas, or
 *			the option is given several times
 *	rules		of a filter: separated by ";", or given several times
 *	families	a set of families, separated by commas; "all"; a view
 *			and ":" before a family limits it to that view
 *	secret		the name of a file with the value; or the value itself
 *			in an environment variable
 *
 * Every value can be formatted as text that parses to the same value. Values
 * are in struct config at the offset of their option; value_types.h has the C
 * type of each.
 */
#ifndef COLLECTOR_CONFIG_VALUE_H
#define COLLECTOR_CONFIG_VALUE_H

#include "collector/config/value_list.h"
#include "collector/config/value_scalar.h"
#include "collector/config/value_types.h"

/*
 * Parse @text into *@value, or append it to a list. -EINVAL with the reason and
 * what is allowed in @why, or -ENOMEM; *@value is then unchanged.
 */
int config_value_parse(const struct config_form *form, const char *text,
		       void *value, char why[CONFIG_WHY_MAX]);

/*
 * Format element @i of a list, or with @i 0 a single value. False if there is
 * no such element. For a secret the text is its path, or "".
 */
bool config_value_format(const struct config_form *form, const void *value,
			 size_t i, char *out, size_t cap);

bool config_value_equal(const struct config_form *form, const void *a,
			const void *b);
/*
 * Copy the value to *@out, whose old value is released first. -ENOMEM; *@out is
 * then empty.
 */
int config_value_copy(const struct config_form *form, const void *value,
		      void *out);
/* Free the value and make it all-zero. */
void config_value_release(const struct config_form *form, void *value);

/*
 * Read the file of a secret: the text before the first newline. -EINVAL with
 * the reason in @why (not a regular file, empty, too long), -ENOMEM or an error
 * of open(2). *@readable is true if every user of the machine can read the
 * file.
 */
int config_secret_read(struct config_secret *secret, char why[CONFIG_WHY_MAX],
		       bool *readable);

#endif
