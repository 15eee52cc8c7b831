/*
 * collector/config/value_types.h - descriptions of option values, and their C
 * types
 *
 * If all bytes are zero, the value is valid for each type.
 */
#ifndef COLLECTOR_CONFIG_VALUE_TYPES_H
#define COLLECTOR_CONFIG_VALUE_TYPES_H

#include "bmp/family.h"
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
	CONFIG_FAMILIES,  /* struct config_families */
	CONFIG_SECRET,	  /* struct config_secret */
	CONFIG_TYPES
};

struct config_address {
	uint8_t address[16];
	uint16_t port;
	bool set; /* false = the value is "off" */
};

struct config_addresses {
	struct config_address *at;
	size_t count;
};

struct config_texts {
	char **at;
	size_t count;
};

/* A set of families for each view. */
struct config_families {
	bgp_family_set of_view[BMP_VIEWS];
};

/* A secret; its value is never printed. */
struct config_secret {
	char *path; /* file name; NULL if the secret is not from a file */
	/* NULL if the secret is not set, or its file was not read yet */
	char *value;
};

/* The type of an option and the limits of its values. */
struct config_form {
	enum config_type type;
	uint8_t flags;
	/* limits of a number, of a size, or of a time in nanoseconds */
	uint64_t min;
	uint64_t max;
	const char *const *words; /* choice: the words, NULL-terminated */
	/*
	 * An additional check of a text, or of each element of texts; NULL =
	 * none.
	 */
	const char *(*check)(const char *text);
};

enum config_form_flags {
	CONFIG_NEVER = 1, /* time: "never" and "off" are allowed */
	CONFIG_ZERO = 2,  /* 0 is allowed, although it is below min */
	CONFIG_OFF = 4,	  /* address: "off" is allowed */
	CONFIG_POWER = 8, /* number: must be a power of two */
	CONFIG_EMPTY = 16 /* text, path, list: may be empty */
};

/* Maximum bytes of the text of a value, or of an element of a list. */
#define CONFIG_TEXT_MAX 160
#define CONFIG_WHY_MAX	256

#endif
