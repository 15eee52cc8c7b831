/*
 * bmp/writer.h - write BMP messages, for load and for tests
 *
 *	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
 *
 *	bmp_write_initiation(&w, descr, name);
 *	bmp_write_peer_up(&w, &peer, &up);
 *	if (w.full)	the messages did not fit: they need w.len bytes
 *
 * The functions take the structs that the decoder makes, and decoding the
 * result gives equal structs (tests/unit/test_bmp_writer.c). Values are written
 * as they are, valid or not, so that tests can break rules; only lengths are
 * always correct.
 */
#ifndef BMP_WRITER_H
#define BMP_WRITER_H

#include "bmp/message.h"
#include "bmp/open.h"
#include "bmp/stats.h"

/* A buffer; bytes that do not fit are counted, but not stored. */
struct bmp_writer {
	uint8_t *p;
	size_t cap;
	size_t len;
	bool full;
};

static inline struct bmp_writer bmp_writer_on(uint8_t *buf, size_t cap)
{
	return (struct bmp_writer){ .p = buf, .cap = cap };
}

/* Bytes and numbers */

void bmp_put(struct bmp_writer *w, const void *p, size_t n);
void bmp_put_u8(struct bmp_writer *w, uint8_t v);
void bmp_put_u16(struct bmp_writer *w, uint16_t v);
void bmp_put_u32(struct bmp_writer *w, uint32_t v);
void bmp_put_u64(struct bmp_writer *w, uint64_t v);
/* Set a number that was put at @at before its value was known. */
void bmp_patch_u8(struct bmp_writer *w, size_t at, size_t v);
void bmp_patch_u16(struct bmp_writer *w, size_t at, size_t v);
void bmp_patch_u32(struct bmp_writer *w, size_t at, size_t v);

/* Write a message from parts: begin, the per-peer header, a body, end. */

size_t bmp_write_begin(struct bmp_writer *w, uint8_t version, uint8_t type);
void bmp_write_peer(struct bmp_writer *w, const struct bmp_peer *peer);
void bmp_write_tlv(struct bmp_writer *w, uint16_t type, const void *value,
		   size_t len);
void bmp_write_end(struct bmp_writer *w, size_t begin);

/*
 * Write whole messages of version 3. For a string that is NULL no TLV is
 * written.
 */

void bmp_write_initiation(struct bmp_writer *w, const char *sys_descr,
			  const char *sys_name);
void bmp_write_termination(struct bmp_writer *w, uint16_t reason);

/* OPENs are views of whole PDUs, as bgp_write_open() made them. */
struct bmp_peer_up_parts {
	uint8_t local_address[16];
	uint16_t local_port;
	uint16_t remote_port;
	struct wire_view sent_open;
	struct wire_view received_open;
	const char *table_name;
};

void bmp_write_peer_up(struct bmp_writer *w, const struct bmp_peer *peer,
		       const struct bmp_peer_up_parts *up);

/* @notification is a whole PDU for reasons 1 and 3, else empty. */
void bmp_write_peer_down(struct bmp_writer *w, const struct bmp_peer *peer,
			 uint8_t reason, uint16_t fsm_event,
			 struct wire_view notification);

/* @pdu is a whole UPDATE with its BGP header. */
void bmp_write_route_monitoring(struct bmp_writer *w,
				const struct bmp_peer *peer,
				struct wire_view pdu);
void bmp_write_statistics(struct bmp_writer *w, const struct bmp_peer *peer,
			  const struct bmp_stat *stats, size_t n);
void bmp_write_mirroring(struct bmp_writer *w, const struct bmp_peer *peer,
			 struct wire_view pdu);

#endif
