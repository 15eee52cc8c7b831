/*
 * collector/ingest/proxy_header.h - the header of the PROXY protocol, with
 * which a load balancer says whose connection it forwards
 *
 * Version 1 is a line of text, version 2 is binary. Both stand before the first
 * byte of the stream. Pure functions.
 */
#ifndef COLLECTOR_INGEST_PROXY_HEADER_H
#define COLLECTOR_INGEST_PROXY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maximum length of a header. Version 2 allows 64 KiB of extensions (TLVs),
 * which are skipped; balancers send some hundred bytes.
 */
#define PROXY_HEADER_MAX 4096

enum proxy_status {
	PROXY_PARTIAL, /* a header so far, but more bytes are needed */
	PROXY_WHOLE,
	PROXY_BAD, /* not a header, or longer than PROXY_HEADER_MAX */
};

struct proxy_header {
	size_t len; /* length of the header in bytes */
	/*
	 * False if the balancer opened the connection itself (LOCAL, UNKNOWN,
	 * or a family other than TCP): the members below are not set.
	 */
	bool has_source;
	uint8_t address[16]; /* IPv4-mapped */
	uint16_t port;
};

/*
 * Parse the header at the beginning of @bytes. @out is set for PROXY_WHOLE
 * only.
 */
enum proxy_status proxy_header_parse(const uint8_t *bytes, size_t len,
				     struct proxy_header *out);

#endif
