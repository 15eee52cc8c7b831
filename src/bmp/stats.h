/*
 * bmp/stats.h - the counters in a Statistics Report
 *
 *	struct bmp_stat_iter it = bmp_stat_start(&msg);
 *	while (bmp_stat_next(&it, &stat))
 *		...
 *
 * RFC 7854 4.8, RFC 8671 6.2, RFC 9972. The length of a TLV decides how it is
 * read: 4 bytes are a counter, 8 a gauge, 11 a gauge for one AFI/SAFI.
 * Unregistered types and other lengths can be read as raw bytes.
 */
#ifndef BMP_STATS_H
#define BMP_STATS_H

#include "bmp/message.h"

#define BMP_STAT_TYPES 44 /* all registered types are below */

enum bmp_stat_kind {
	BMP_STAT_RAW,
	BMP_STAT_COUNTER32,
	BMP_STAT_GAUGE64,
	BMP_STAT_FAMILY_GAUGE64,
};

struct bmp_stat {
	uint16_t type;
	uint8_t kind;	 /* enum bmp_stat_kind, from the length */
	bool registered; /* the type is registered */
	bool unexpected; /* the registry says another length for the type */
	uint8_t safi;	 /* BMP_STAT_FAMILY_GAUGE64 */
	uint16_t afi;
	uint64_t value; /* not set for BMP_STAT_RAW */
	struct wire_view raw;
};

struct bmp_stat_iter {
	struct tlv_iter tlvs;
};

struct bmp_stat_iter bmp_stat_start(const struct bmp_message *msg);
bool bmp_stat_next(struct bmp_stat_iter *it, struct bmp_stat *out);

/*
 * The kind of a type in the registry; BMP_STAT_RAW if the type is not
 * registered.
 */
enum bmp_stat_kind bmp_stat_kind(uint16_t type);

#endif
