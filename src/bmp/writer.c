#include "bmp/writer.h"

#define FLAG_V 0x80
#define FLAG_L 0x40
#define FLAG_A 0x20
#define FLAG_O 0x10
#define FLAG_F 0x80

void bmp_put(struct bmp_writer *w, const void *p, size_t n)
{
	if (n > w->cap || w->len > w->cap - n)
		w->full = true;
	else if (n != 0)
		memcpy(w->p + w->len, p, n);
	w->len += n;
}

void bmp_put_u8(struct bmp_writer *w, uint8_t v)
{
	bmp_put(w, &v, 1);
}

void bmp_put_u16(struct bmp_writer *w, uint16_t v)
{
	uint8_t b[2];

	wire_put_u16(b, v);
	bmp_put(w, b, sizeof(b));
}

void bmp_put_u32(struct bmp_writer *w, uint32_t v)
{
	uint8_t b[4];

	wire_put_u32(b, v);
	bmp_put(w, b, sizeof(b));
}

void bmp_put_u64(struct bmp_writer *w, uint64_t v)
{
	uint8_t b[8];

	wire_put_u64(b, v);
	bmp_put(w, b, sizeof(b));
}

void bmp_patch_u8(struct bmp_writer *w, size_t at, size_t v)
{
	if (!w->full)
		w->p[at] = (uint8_t)v;
}

void bmp_patch_u16(struct bmp_writer *w, size_t at, size_t v)
{
	if (!w->full)
		wire_put_u16(w->p + at, (uint16_t)v);
}

void bmp_patch_u32(struct bmp_writer *w, size_t at, size_t v)
{
	if (!w->full)
		wire_put_u32(w->p + at, (uint32_t)v);
}

size_t bmp_write_begin(struct bmp_writer *w, uint8_t version, uint8_t type)
{
	size_t begin = w->len;

	bmp_put_u8(w, version);
	bmp_put_u32(w, 0);
	bmp_put_u8(w, type);
	return begin;
}

void bmp_write_end(struct bmp_writer *w, size_t begin)
{
	bmp_patch_u32(w, begin + 1, w->len - begin);
}

static uint8_t peer_flags(const struct bmp_peer *p)
{
	if (p->type == BMP_PEER_LOC_RIB)
		return p->filtered ? FLAG_F : 0;
	return (uint8_t)((p->ipv6 ? FLAG_V : 0) |
			 (p->two_byte_as ? FLAG_A : 0) |
			 (p->view == BMP_VIEW_IN_POST ||
					  p->view == BMP_VIEW_OUT_POST
				  ? FLAG_L
				  : 0) |
			 (p->view == BMP_VIEW_OUT_PRE ||
					  p->view == BMP_VIEW_OUT_POST
				  ? FLAG_O
				  : 0));
}

static void put_address(struct bmp_writer *w, const uint8_t address[16],
			bool ipv6)
{
	static const uint8_t zero[12];

	if (ipv6) {
		bmp_put(w, address, 16);
	} else {
		bmp_put(w, zero, 12);
		bmp_put(w, address + 12, 4);
	}
}

void bmp_write_peer(struct bmp_writer *w, const struct bmp_peer *peer)
{
	bmp_put_u8(w, peer->type);
	bmp_put_u8(w, peer_flags(peer));
	bmp_put_u64(w, peer->distinguisher);
	put_address(w, peer->address, peer->ipv6);
	bmp_put_u32(w, peer->as);
	bmp_put_u32(w, peer->bgp_id);
	bmp_put_u32(w, (uint32_t)(peer->time_ns / 1000000000));
	bmp_put_u32(w, (uint32_t)(peer->time_ns % 1000000000 / 1000));
}

void bmp_write_tlv(struct bmp_writer *w, uint16_t type, const void *value,
		   size_t len)
{
	bmp_put_u16(w, type);
	bmp_put_u16(w, (uint16_t)len);
	bmp_put(w, value, len);
}

static void put_string_tlv(struct bmp_writer *w, uint16_t type, const char *s)
{
	if (s != NULL)
		bmp_write_tlv(w, type, s, strlen(s));
}

void bmp_write_initiation(struct bmp_writer *w, const char *sys_descr,
			  const char *sys_name)
{
	size_t begin = bmp_write_begin(w, 3, BMP_INITIATION);

	put_string_tlv(w, BMP_INIT_SYS_DESCR, sys_descr);
	put_string_tlv(w, BMP_INIT_SYS_NAME, sys_name);
	bmp_write_end(w, begin);
}

void bmp_write_termination(struct bmp_writer *w, uint16_t reason)
{
	size_t begin = bmp_write_begin(w, 3, BMP_TERMINATION);
	uint8_t value[2];

	wire_put_u16(value, reason);
	bmp_write_tlv(w, BMP_TERM_REASON, value, sizeof(value));
	bmp_write_end(w, begin);
}

void bmp_write_peer_up(struct bmp_writer *w, const struct bmp_peer *peer,
		       const struct bmp_peer_up_parts *up)
{
	size_t begin = bmp_write_begin(w, 3, BMP_PEER_UP);

	bmp_write_peer(w, peer);
	put_address(w, up->local_address, peer->ipv6);
	bmp_put_u16(w, up->local_port);
	bmp_put_u16(w, up->remote_port);
	bmp_put(w, up->sent_open.p, up->sent_open.len);
	bmp_put(w, up->received_open.p, up->received_open.len);
	put_string_tlv(w, BMP_PEER_UP_TABLE_NAME, up->table_name);
	bmp_write_end(w, begin);
}

void bmp_write_peer_down(struct bmp_writer *w, const struct bmp_peer *peer,
			 uint8_t reason, uint16_t fsm_event,
			 struct wire_view notification)
{
	size_t begin = bmp_write_begin(w, 3, BMP_PEER_DOWN);

	bmp_write_peer(w, peer);
	bmp_put_u8(w, reason);
	if (reason == BMP_DOWN_LOCAL_FSM)
		bmp_put_u16(w, fsm_event);
	bmp_put(w, notification.p, notification.len);
	bmp_write_end(w, begin);
}

void bmp_write_route_monitoring(struct bmp_writer *w,
				const struct bmp_peer *peer,
				struct wire_view pdu)
{
	size_t begin = bmp_write_begin(w, 3, BMP_ROUTE_MONITORING);

	bmp_write_peer(w, peer);
	bmp_put(w, pdu.p, pdu.len);
	bmp_write_end(w, begin);
}

static void put_stat(struct bmp_writer *w, const struct bmp_stat *s)
{
	size_t at;

	bmp_put_u16(w, s->type);
	at = w->len;
	bmp_put_u16(w, 0);
	switch ((enum bmp_stat_kind)s->kind) {
	case BMP_STAT_COUNTER32:
		bmp_put_u32(w, (uint32_t)s->value);
		break;
	case BMP_STAT_FAMILY_GAUGE64:
		bmp_put_u16(w, s->afi);
		bmp_put_u8(w, s->safi);
		bmp_put_u64(w, s->value);
		break;
	case BMP_STAT_GAUGE64:
		bmp_put_u64(w, s->value);
		break;
	case BMP_STAT_RAW:
		bmp_put(w, s->raw.p, s->raw.len);
		break;
	}
	bmp_patch_u16(w, at, w->len - at - 2);
}

void bmp_write_statistics(struct bmp_writer *w, const struct bmp_peer *peer,
			  const struct bmp_stat *stats, size_t n)
{
	size_t begin = bmp_write_begin(w, 3, BMP_STATISTICS);

	bmp_write_peer(w, peer);
	bmp_put_u32(w, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_stat(w, &stats[i]);
	bmp_write_end(w, begin);
}

void bmp_write_mirroring(struct bmp_writer *w, const struct bmp_peer *peer,
			 struct wire_view pdu)
{
	size_t begin = bmp_write_begin(w, 3, BMP_ROUTE_MIRRORING);

	bmp_write_peer(w, peer);
	bmp_write_tlv(w, BMP_MIRROR_PDU, pdu.p, pdu.len);
	bmp_write_end(w, begin);
}
