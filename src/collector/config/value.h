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
 *	families	a set of address families, as lists; "all"
 *	secret		the name of a file that holds it, or a variable
 *
 * Every value can be written as text that gives the same value again. Values
 * lie in struct config at the offset their option names; all-zero is a valid
 * value of each type.
 */
#ifndef COLLECTOR_CONFIG_VALUE_H
#define COLLECTOR_CONFIG_VALUE_H

#include "collector/policy/acl.h"
#include "collector/policy/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_type {
	CONFIG_BOOL,	  /* bool */
	CONFIG_NUMBER,	  /* uint64_t */
	CONFIG_SIZE,	  /* uint64_t */
	CONFIG_TIME,	  /* int64_t, ns */
	CONFIG_CHOICE,	  /* int */
	CONFIG_TEXT,	  /* char * */
	CONFIG_PATH,	  /* char * */
	CONFIG_ADDRESS,	  /* struct config_address */
	CONFIG_ADDRESSES, /* struct config_addresses */
	CONFIG_NETWORKS,  /* struct acl_list */
	CONFIG_TEXTS,	  /* struct config_texts */
	CONFIG_RULES,	  /* struct filter */
	CONFIG_FAMILIES,  /* bgp_family_set */
	CONFIG_SECRET,	  /* struct config_secret */
	CONFIG_TYPES
};

struct config_address {
	uint8_t address[16];
	uint16_t port;
	bool set; /* false: off */
};

struct config_addresses {
	struct config_address *at;
	size_t count;
};

struct config_texts {
	char **at;
	size_t count;
};

/* Not printed, ever. */
struct config_secret {
	char *path;  /* NULL: not from a file */
	char *value; /* NULL: there is none, or the file was not read yet */
};

/* What a type needs to know to judge a text. */
struct config_form {
	enum config_type type;
	uint8_t flags;
	uint64_t min; /* number, size; time in ns */
	uint64_t max;
	const char *const *words; /* choice; NULL at the end */
	/* More to ask of a text or of each of texts; NULL: nothing. */
	const char *(*check)(const char *text);
};

enum config_form_flags {
	CONFIG_NEVER = 1, /* time: "never" and "off" are allowed */
	CONFIG_ZERO = 2,  /* 0 is allowed though below min */
	CONFIG_OFF = 4,	  /* address: "off" is allowed */
	CONFIG_POWER = 8, /* number: a power of two */
	CONFIG_EMPTY = 16 /* text, path, lists: may be empty */
};

/* Longest text of one value, or of one element of a list. */
#define CONFIG_TEXT_MAX 160
#define CONFIG_WHY_MAX	256

bool config_value_is_list(enum config_type type);

/* Elements of a list; 1 for what is none. */
size_t config_value_count(const struct config_form *form, const void *value);

/* "192.0.2.1:4000", "[2001:db8::1]:4000", or -EINVAL. */
int config_address_parse(const char *s, struct config_address *out);

/*
 * Put what @text says into *@value; of lists, append it. -EINVAL with the
 * reason and what is allowed in @why, or -ENOMEM; then *@value is as it was.
 */
int config_value_parse(const struct config_form *form, const char *text,
		       void *value, char why[CONFIG_WHY_MAX]);

/* What is allowed, in words: "a whole number from 1 to 100". */
void config_value_allowed(const struct config_form *form, char *out,
			  size_t cap);

/* Say in @why what is allowed. Returns -EINVAL. */
int config_value_refuse(const struct config_form *form,
			char why[CONFIG_WHY_MAX]);

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
