#include "collector/config/value_scalar.h"

#include "collector/base/ip.h"

#include "bmp/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS INT64_C(1000000)

static const struct unit {
	const char *name;
	uint64_t times;
} size_units[] = {
	{ "T", UINT64_C(1) << 40 },
	{ "G", UINT64_C(1) << 30 },
	{ "M", UINT64_C(1) << 20 },
	{ "K", UINT64_C(1) << 10 },
	{ "", 1 },
	{ NULL, 0 },
};

/* A number without a unit is in seconds, but is printed with a unit. */
static const struct unit time_units[] = {
	{ "h", UINT64_C(3600000) * NS_PER_MS },
	{ "m", UINT64_C(60000) * NS_PER_MS },
	{ "s", UINT64_C(1000) * NS_PER_MS },
	{ "ms", NS_PER_MS },
	{ "", UINT64_C(1000) * NS_PER_MS },
	{ NULL, 0 },
};

/* What is allowed, in words */

static void put_with_unit(struct text *t, uint64_t v, const struct unit *units)
{
	while (v % units->times != 0)
		units++;
	/* Print 0 in the base unit. */
	text_u64(t, v / units->times);
	if (v != 0)
		text_str(t, units->name);
}

static void put_range(struct text *t, const struct config_form *form,
		      const char *what, const struct unit *units)
{
	if (form->flags & CONFIG_ZERO)
		text_str(t, "0 or ");
	text_str(t, what);
	text_str(t, " from ");
	put_with_unit(t, form->min, units);
	text_str(t, " to ");
	put_with_unit(t, form->max, units);
}

static void put_words(struct text *t, const char *const *words)
{
	text_str(t, "one of ");
	for (size_t i = 0; words[i] != NULL; i++) {
		if (i > 0)
			text_str(t, ", ");
		text_str(t, words[i]);
	}
}

void config_value_allowed(const struct config_form *form, char *out, size_t cap)
{
	static const struct unit none[] = { { "", 1 }, { NULL, 0 } };
	static const char *const words[CONFIG_TYPES] = {
		[CONFIG_BOOL] = "true or false",
		[CONFIG_TEXT] = "text",
		[CONFIG_PATH] = "a path",
		[CONFIG_ADDRESS] = "ADDRESS:PORT as 127.0.0.1:80 or [::1]:80",
		[CONFIG_ADDRESSES] = "ADDRESS:PORT as 127.0.0.1:80 or [::1]:80",
		[CONFIG_NETWORKS] = "a network as 192.0.2.0/24 or an address",
		[CONFIG_TEXTS] = "text",
		[CONFIG_RULES] = "a rule",
		[CONFIG_FAMILIES] =
			"all, or names as ipv4-unicast, in-post:ipv4-unicast",
		[CONFIG_SECRET] = "the path of a file",
	};
	struct text t = text_start(out, cap);

	switch (form->type) {
	case CONFIG_NUMBER:
		put_range(&t, form,
			  form->flags & CONFIG_POWER ? "a power of two"
						     : "a whole number",
			  none);
		break;
	case CONFIG_SIZE:
		put_range(&t, form, "a size", size_units);
		break;
	case CONFIG_TIME:
		put_range(&t, form, "a time", time_units);
		break;
	case CONFIG_CHOICE:
		put_words(&t, form->words);
		break;
	default:
		text_str(&t, words[form->type]);
	}
	if (form->flags & CONFIG_NEVER)
		text_str(&t, ", or never");
	if (form->flags & CONFIG_OFF)
		text_str(&t, ", or off");
	text_end(&t);
}

int config_value_refuse(const struct config_form *form,
			char why[CONFIG_WHY_MAX])
{
	static const char before[] = "allowed is ";

	memcpy(why, before, sizeof(before));
	config_value_allowed(form, why + sizeof(before) - 1,
			     CONFIG_WHY_MAX - sizeof(before) + 1);
	return -EINVAL;
}

/* Numbers */

static int parse_digits(const char *s, const char **end, uint64_t *out)
{
	char *after;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	*out = strtoull(s, &after, 10);
	*end = after;
	return errno != 0 ? -EINVAL : 0;
}

static int parse_with_unit(const char *s, const struct unit *units,
			   uint64_t *out)
{
	const char *end;
	uint64_t v;

	if (parse_digits(s, &end, &v) < 0)
		return -EINVAL;
	for (; units->name != NULL; units++)
		if (strcasecmp(end, units->name) == 0)
			return __builtin_mul_overflow(v, units->times, out)
				       ? -EINVAL
				       : 0;
	return -EINVAL;
}

static bool in_range(const struct config_form *form, uint64_t v)
{
	if (v == 0 && form->flags & CONFIG_ZERO)
		return true;
	if (form->flags & CONFIG_POWER && (v & (v - 1)) != 0)
		return false;
	return v >= form->min && v <= form->max;
}

static int parse_number(const struct config_form *form, const char *s,
			uint64_t *out)
{
	const char *end;
	uint64_t v;

	if (form->type == CONFIG_SIZE) {
		if (parse_with_unit(s, size_units, &v) < 0)
			return -EINVAL;
	} else if (parse_digits(s, &end, &v) < 0 || *end != '\0') {
		return -EINVAL;
	}
	if (!in_range(form, v))
		return -EINVAL;
	*out = v;
	return 0;
}

static int parse_time(const struct config_form *form, const char *s,
		      int64_t *out)
{
	uint64_t v;

	if (form->flags & CONFIG_NEVER &&
	    (strcasecmp(s, "never") == 0 || strcasecmp(s, "off") == 0)) {
		*out = INT64_MAX; /* the value for "never" and "off" */
		return 0;
	}
	if (parse_with_unit(s, time_units, &v) < 0 || !in_range(form, v))
		return -EINVAL;
	*out = (int64_t)v;
	return 0;
}

static int parse_bool(const char *s, bool *out)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off",   "on",   "0",  "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(s, words[i]) == 0) {
			*out = i % 2 == 1;
			return 0;
		}
	return -EINVAL;
}

static int parse_choice(const struct config_form *form, const char *s, int *out)
{
	for (int i = 0; form->words[i] != NULL; i++)
		if (strcmp(s, form->words[i]) == 0) {
			*out = i;
			return 0;
		}
	return -EINVAL;
}

/* Addresses */

static int parse_port(const char *s, uint16_t *out)
{
	const char *end;
	uint64_t v;

	if (parse_digits(s, &end, &v) < 0 || *end != '\0' || v > UINT16_MAX)
		return -EINVAL;
	*out = (uint16_t)v;
	return 0;
}

int config_address_parse(const char *s, struct config_address *out)
{
	struct config_address a = { .set = true };
	const char *colon = strrchr(s, ':');
	bool brackets = s[0] == '[';
	char text[INET6_ADDRSTRLEN];
	size_t len;

	if (colon == NULL || parse_port(colon + 1, &a.port) < 0)
		return -EINVAL;
	len = (size_t)(colon - s);
	if (brackets) {
		if (len < 2 || colon[-1] != ']')
			return -EINVAL;
		s++;
		len -= 2;
	}
	if (len >= sizeof(text))
		return -EINVAL;
	memcpy(text, s, len);
	text[len] = '\0';
	if (ip_parse(text, a.address) != (brackets ? AF_INET6 : AF_INET))
		return -EINVAL;
	*out = a;
	return 0;
}

bool config_address_is_loopback(const struct config_address *at)
{
	static const uint8_t v6[16] = { [15] = 1 };

	if (wire_is_mapped(at->address))
		return at->address[12] == 127;
	return memcmp(at->address, v6, sizeof(v6)) == 0;
}

static int parse_address(const struct config_form *form, const char *s,
			 struct config_address *out)
{
	if (form->flags & CONFIG_OFF && strcasecmp(s, "off") == 0) {
		*out = (struct config_address){ 0 };
		return 0;
	}
	return config_address_parse(s, out);
}

/* Text */

/*
 * Refuse text that could not be written to a file and read again, or that would
 * be misleading in a log. In the file " ;" begins a comment.
 */
static const char *text_fault(const char *s)
{
	struct wire_view v = { (const uint8_t *)s, strlen(s) };
	char before = ' ';

	if (v.len > CONFIG_TEXT_MAX)
		return "longer than 160 bytes";
	if (v.len > 0 && (v.p[0] == ' ' || v.p[v.len - 1] == ' '))
		return "begins or ends with a blank";
	while (v.len > 0) {
		size_t n = text_utf8_len(v);

		if (n == 0)
			return "not UTF-8";
		if (v.p[0] < ' ' || v.p[0] == 0x7f)
			return "has a control character";
		if (v.p[0] == ';' && before == ' ')
			return "has a ';' behind a blank or in front";
		before = (char)v.p[0];
		v.p += n;
		v.len -= n;
	}
	return NULL;
}

static int check_text(const struct config_form *form, const char *s,
		      char why[CONFIG_WHY_MAX])
{
	const char *fault = text_fault(s);

	if (fault == NULL && *s == '\0' && !(form->flags & CONFIG_EMPTY))
		fault = "must not be empty";
	if (fault == NULL && *s != '\0' && form->check != NULL)
		fault = form->check(s);
	if (fault == NULL)
		return 0;
	snprintf(why, CONFIG_WHY_MAX, "%s", fault);
	return -EINVAL;
}

static int parse_text(const struct config_form *form, const char *s, char **out,
		      char why[CONFIG_WHY_MAX])
{
	int err = check_text(form, s, why);
	char *copy;

	if (err < 0)
		return err;
	copy = strdup(s);
	if (copy == NULL)
		return -ENOMEM;
	free(*out);
	*out = copy;
	return 0;
}

int config_scalar_parse(const struct config_form *form, const char *text,
			void *value, char why[CONFIG_WHY_MAX])
{
	int err;

	switch (form->type) {
	case CONFIG_TEXT:
	case CONFIG_PATH:
		return parse_text(form, text, value, why);
	case CONFIG_BOOL:
		err = parse_bool(text, value);
		break;
	case CONFIG_NUMBER:
	case CONFIG_SIZE:
		err = parse_number(form, text, value);
		break;
	case CONFIG_TIME:
		err = parse_time(form, text, value);
		break;
	case CONFIG_CHOICE:
		err = parse_choice(form, text, value);
		break;
	default:
		err = parse_address(form, text, value);
	}
	return err < 0 ? config_value_refuse(form, why) : 0;
}

/* Writing */

static void put_scalar(struct text *t, const struct config_form *form,
		       const void *value)
{
	const struct config_address *a = value;
	const struct config_secret *secret = value;

	switch (form->type) {
	case CONFIG_BOOL:
		text_str(t, *(const bool *)value ? "true" : "false");
		break;
	case CONFIG_NUMBER:
		text_u64(t, *(const uint64_t *)value);
		break;
	case CONFIG_SIZE:
		put_with_unit(t, *(const uint64_t *)value, size_units);
		break;
	case CONFIG_TIME:
		if (*(const int64_t *)value == INT64_MAX)
			text_str(t, "never");
		else
			put_with_unit(t, *(const uint64_t *)value, time_units);
		break;
	case CONFIG_CHOICE:
		text_str(t, form->words[*(const int *)value]);
		break;
	case CONFIG_ADDRESS:
		if (a->set)
			text_ip_port(t, a->address, a->port);
		else
			text_str(t, "off");
		break;
	case CONFIG_SECRET:
		text_str(t, secret->path != NULL ? secret->path : "");
		break;
	default:
		text_str(t, *(char *const *)value);
	}
}

void config_scalar_format(const struct config_form *form, const void *value,
			  char *out, size_t cap)
{
	struct text t = text_start(out, cap);

	put_scalar(&t, form, value);
	text_end(&t);
}
