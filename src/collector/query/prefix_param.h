/*
 * collector/query/prefix_param.h - parse a prefix or an address
 */
#ifndef COLLECTOR_QUERY_PREFIX_PARAM_H
#define COLLECTOR_QUERY_PREFIX_PARAM_H

#include <stdbool.h>
#include <stdint.h>

struct query_prefix {
	bool ipv6;
	bool is_address; /* the text had no length */
	uint8_t len;
	uint8_t address[16]; /* IPv4-mapped */
};

/* Parse @text. Returns NULL, or the error; *@out is then unchanged. */
const char *query_prefix_parse(const char *text, struct query_prefix *out);

#endif
