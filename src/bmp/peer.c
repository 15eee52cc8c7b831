#include "bmp/peer.h"

/* Types 0 to 2, RFC 7854 4.2 and RFC 8671 5. */
#define FLAG_V 0x80
#define FLAG_L 0x40
#define FLAG_A 0x20
#define FLAG_O 0x10
/* Type 3, RFC 9069 4.2. */
#define FLAG_F 0x80

void bmp_peer_address(const uint8_t *wire, bool ipv6, uint8_t out[16])
{
	if (ipv6)
		memcpy(out, wire, 16);
	else
		wire_put_mapped(out, wire + 12);
}

static void read_flags(struct bmp_peer *p, const uint8_t *address)
{
	if (p->type == BMP_PEER_LOC_RIB) {
		p->view = BMP_VIEW_LOC_RIB;
		p->filtered = (p->flags & FLAG_F) != 0;
		p->ipv6 = false;
		p->two_byte_as = false;
		memset(p->address, 0, sizeof(p->address));
		return;
	}
	p->view = (p->flags & FLAG_O ? BMP_VIEW_OUT_PRE : BMP_VIEW_IN_PRE) +
		  (p->flags & FLAG_L ? 1 : 0);
	p->filtered = false;
	p->ipv6 = (p->flags & FLAG_V) != 0;
	p->two_byte_as = (p->flags & FLAG_A) != 0;
	bmp_peer_address(address, p->ipv6, p->address);
}

/* Hot: once per message. Cost: one bounds check, straight-line loads. */
bool bmp_peer_decode(struct wire_cursor *c, struct bmp_peer *out)
{
	struct wire_view v;
	uint64_t seconds, micros;

	if (!wire_take(c, BMP_PEER_HEADER_LEN, &v))
		return false;
	out->type = v.p[0];
	out->flags = v.p[1];
	out->distinguisher = wire_get_u64(v.p + 2);
	out->as = wire_get_u32(v.p + 26);
	out->bgp_id = wire_get_u32(v.p + 30);
	seconds = wire_get_u32(v.p + 34);
	micros = wire_get_u32(v.p + 38);
	out->time_ns = seconds * 1000000000 + micros * 1000;
	read_flags(out, v.p + 10);
	return true;
}
