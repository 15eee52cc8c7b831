/*
 * rib/checksum.h - CRC-32C, the checksum of snapshots
 *
 * RFC 3720's polynomial. It detects every burst of up to 32 damaged bits; it
 * does not protect against deliberate changes.
 */
#ifndef RIB_CHECKSUM_H
#define RIB_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Add @len more bytes to the checksum @sum, which is 0 at first. */
uint32_t rib_checksum(uint32_t sum, const void *bytes, size_t len);

#endif
