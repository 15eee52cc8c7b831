/*
 * collector/config/value.h - the types an option can have
 *
 *	bool		true, false, yes, no, on, off, 1, 0
 *	number		a whole number in a range
 *	size		bytes; K, M, G, T behind it are powers of 1024
 *	time		ms, s, m, h, d behind a number; "never" and "off"
 *	choice		one of some words
 *	text, path	as it is
 *	address		192.0.2.1:4000, [2001:db8::1]:4000; "off" where allowed
 *	addresses, networks, texts	lists, by commas or given again
 *	rules		of a filter, by ";" or given again
 *	families	a set of address families, as lists; "all"; with a view
 *			and ":" before one, of that view only
 *	secret		the name of a file that holds it, or a variable
 *
 * Every value can be written as text that gives the same value again. Values
 * lie in struct config at the offset their option names; value_types.h has the
 * C type of each.
 */
#ifndef COLLECTOR_CONFIG_VALUE_H
#define COLLECTOR_CONFIG_VALUE_H

#include "collector/config/value_list.h"
#include "collector/config/value_scalar.h"
#include "collector/config/value_types.h"

/*
 * Put what @text says into *@value; of lists, append it. -EINVAL with the
 * reason and what is allowed in @why, or -ENOMEM; then *@value is as it was.
 */
int config_value_parse(const struct config_form *form, const char *text,
		       void *value, char why[CONFIG_WHY_MAX]);

/*
 * Element @i of a list, or with i == 0 the value. False if there is no such
 * element. A secret gives its path, or "" if it has none.
 */
bool config_value_format(const struct config_form *form, const void *value,
			 size_t i, char *out, size_t cap);

bool config_value_equal(const struct config_form *form, const void *a,
			const void *b);
/* Over *@out, which is released first. -ENOMEM; then *@out is empty. */
int config_value_copy(const struct config_form *form, const void *value,
		      void *out);
/* Makes it all-zero. */
void config_value_release(const struct config_form *form, void *value);

/*
 * Read the file of a secret: what stands before the first newline. -EINVAL
 * with the reason in @why (not a file, empty, too long), -ENOMEM or what
 * opening it said. @readable: whether every user of the machine can read it.
 */
int config_secret_read(struct config_secret *secret, char why[CONFIG_WHY_MAX],
		       bool *readable);

#endif
