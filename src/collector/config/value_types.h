/*
 * collector/config/value_types.h - descriptions and C types of option values
 *
 * All-zero is a valid value of each type.
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
	bool set; /* false = off */
};

struct config_addresses {
	struct config_address *at;
	size_t count;
};

struct config_texts {
	char **at;
	size_t count;
};

/* One set of families for each view. */
struct config_families {
	bgp_family_set of_view[BMP_VIEWS];
};

/* Never printed. */
struct config_secret {
	char *path;  /* NULL if not from a file */
	char *value; /* NULL if not set, or the file was not read yet */
};

/* The limits of a type. */
struct config_form {
	enum config_type type;
	uint8_t flags;
	uint64_t min; /* for number and size; for time in ns */
	uint64_t max;
	const char *const *words; /* for choice; NULL-terminated */
	/*
	 * An additional check for text and for each element of texts; NULL =
	 * none.
	 */
	const char *(*check)(const char *text);
};

enum config_form_flags {
	CONFIG_NEVER = 1, /* time: "never" and "off" are allowed */
	CONFIG_ZERO = 2,  /* 0 is allowed although below min */
	CONFIG_OFF = 4,	  /* address: "off" is allowed */
	CONFIG_POWER = 8, /* number: a power of two */
	CONFIG_EMPTY = 16 /* text, path, lists: may be empty */
};

/* Longest text of one value, or of one element of a list. */
#define CONFIG_TEXT_MAX 160
#define CONFIG_WHY_MAX	256

#endif
