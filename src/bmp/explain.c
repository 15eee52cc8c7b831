#include "bmp/explain.h"

#include "bmp/names.h"
#include "bmp/rm_tlv.h"
#include "bmp/text.h"

#include <string.h>

/* Fields */

void explain_begin(struct explain *e, struct wire_view whole)
{
	e->start = whole.p;
	e->at = whole.p;
	e->depth = 0;
}

static void say_field(struct explain *e, const char *name,
		      struct wire_view bytes, bool is_group, const char *value)
{
	struct explain_field f = {
		.at = (size_t)(e->at - e->start),
		.bytes = bytes,
		.depth = e->depth,
		.is_group = is_group,
		.name = name,
		.value = value,
	};

	e->field(e->arg, &f);
}

void explain_end(struct explain *e, const uint8_t *end)
{
	size_t left = end > e->at ? (size_t)(end - e->at) : 0;

	if (left == 0)
		return;
	say_field(e, "unread", (struct wire_view){ e->at, left }, false, "");
	e->at = end;
}

void explain_enter(struct explain *e, const char *name)
{
	say_field(e, name != NULL ? name : "unknown",
		  (struct wire_view){ e->at, 0 }, true, "");
	e->depth++;
}

void explain_leave(struct explain *e)
{
	e->depth--;
}

void explain_bytes(struct explain *e, const char *name, struct wire_view bytes,
		   const char *value)
{
	if (bytes.len == 0 || bytes.p < e->at)
		return;
	explain_end(e, bytes.p);
	say_field(e, name, bytes, false, value);
	e->at = bytes.p + bytes.len;
}

void explain_number(struct explain *e, const char *name, struct wire_view bytes)
{
	explain_code(e, name, bytes, "unknown");
}

void explain_code(struct explain *e, const char *name, struct wire_view bytes,
		  const char *word)
{
	char buf[EXPLAIN_VALUE_MAX];
	struct text t = text_start(buf, sizeof(buf));

	text_u64(&t, (uint64_t)wire_get_number(bytes.p, bytes.len));
	if (strcmp(word, "unknown") != 0) {
		text_char(&t, ' ');
		text_str(&t, word);
	}
	text_end(&t);
	explain_bytes(e, name, bytes, buf);
}

/* Values of layouts: the output of a field as one line */

struct line {
	struct text text;
	const char *name; /* name of the field, which was written before */
};

static void put_name(struct line *l, const char *name)
{
	if (l->text.len != 0)
		text_char(&l->text, ' ');
	if (name == NULL || strcmp(name, l->name) == 0)
		return;
	text_str(&l->text, name);
	text_char(&l->text, ' ');
}

static void put_nesting(void *arg, const char *name)
{
	put_name(arg, name);
}

static void put_nothing(void *arg)
{
	(void)arg;
}

static void put_number(void *arg, const char *name, uint64_t value)
{
	struct line *l = arg;

	put_name(l, name);
	text_u64(&l->text, value);
}

static void put_string(void *arg, const char *name, const char *value)
{
	struct line *l = arg;

	put_name(l, name);
	text_str(&l->text, value);
}

/*
 * Write text from a router. The code that shows the line must escape what a
 * terminal would interpret.
 */
static void put_text(void *arg, const char *name, struct wire_view value)
{
	struct line *l = arg;

	put_name(l, name);
	for (size_t i = 0; i < value.len; i++)
		text_char(&l->text, (char)(value.p[i] != 0 ? value.p[i] : '?'));
}

static void put_hex(void *arg, const char *name, struct wire_view value)
{
	struct line *l = arg;

	/*
	 * A value that is only bytes needs no text: the bytes are shown anyway.
	 */
	if (name != NULL && strcmp(name, l->name) == 0)
		return;
	put_name(l, name);
	text_hex(&l->text, value.p, value.len, 0);
}

static void take_field(void *arg, const struct value_field *f,
		       struct wire_view bytes)
{
	static const struct field_writer_ops ops = {
		.begin_object = put_nesting,
		.end_object = put_nothing,
		.begin_list = put_nesting,
		.end_list = put_nothing,
		.number = put_number,
		.string = put_string,
		.text = put_text,
		.bytes = put_hex,
	};
	char buf[EXPLAIN_VALUE_MAX];
	struct line l = { .text = text_start(buf, sizeof(buf)) };
	struct field_writer w = { &ops, &l };
	struct value_field whole = *f;

	l.name = f->name != NULL ? f->name : "reserved";
	/*
	 * The layout gives no length for types and lengths: use that of the
	 * bytes.
	 */
	if (whole.form == VALUE_NUMBER)
		whole.len = (uint8_t)bytes.len;
	value_write_field(&whole, bytes, &w);
	text_end(&l.text);
	explain_bytes(arg, l.name, bytes, buf);
}

static void enter_tlv(void *arg, const char *name)
{
	explain_enter(arg, name);
}

static void leave_tlv(void *arg)
{
	explain_leave(arg);
}

bool explain_layout(struct explain *e, const struct value_field *layout,
		    struct wire_view v)
{
	struct value_visitor visitor = {
		.enter = enter_tlv,
		.leave = leave_tlv,
		.field = take_field,
		.arg = e,
	};

	return value_visit(layout, v, &visitor);
}

/* BMP */

/* clang-format off */
static const struct value_field common_header[] = {
	VALUE("version", NUMBER, .len = 1), VALUE("length", NUMBER, .len = 4), { 0 },
};
static const struct value_field peer_header[] = {
	VALUE("peerAs", NUMBER, .len = 4), VALUE("peerBgpId", IPV4),
	VALUE("seconds", NUMBER, .len = 4), VALUE("microseconds", NUMBER, .len = 4), { 0 },
};
static const struct value_field ports[] = {
	VALUE("localPort", NUMBER, .len = 2), VALUE("remotePort", NUMBER, .len = 2), { 0 },
};
/* clang-format on */

/* The next @len bytes before @end; fewer if there are no more. */
static struct wire_view next_bytes(const struct explain *e, const uint8_t *end,
				   size_t len)
{
	size_t left = (size_t)(end - e->at);

	return (struct wire_view){ e->at, left < len ? left : len };
}

/*
 * Describe an address of 16 bytes. If the first 12 bytes are zero, it is an
 * IPv4 address.
 */
static void say_address(struct explain *e, const char *name,
			struct wire_view bytes)
{
	static const uint8_t zeros[12];
	char buf[EXPLAIN_VALUE_MAX];
	struct text t = text_start(buf, sizeof(buf));

	if (bytes.len == 16 && memcmp(bytes.p, zeros, 12) == 0)
		text_ipv4(&t, bytes.p + 12);
	else if (bytes.len == 16)
		text_ipv6(&t, bytes.p);
	text_end(&t);
	explain_bytes(e, name, bytes, buf);
}

static void say_peer(struct explain *e, const uint8_t *end)
{
	struct wire_view part = next_bytes(e, end, 42);
	char buf[EXPLAIN_VALUE_MAX];
	struct text t = text_start(buf, sizeof(buf));

	if (part.len < 42)
		return;
	explain_enter(e, "peerHeader");
	explain_code(e, "peerType", (struct wire_view){ part.p, 1 },
		     bmp_peer_type_name(part.p[0]));
	explain_bytes(e, "flags", (struct wire_view){ part.p + 1, 1 }, "");
	text_rd(&t, wire_get_u64(part.p + 2));
	text_end(&t);
	explain_bytes(e, "peerDistinguisher",
		      (struct wire_view){ part.p + 2, 8 }, buf);
	say_address(e, "peerAddr", (struct wire_view){ part.p + 10, 16 });
	(void)explain_layout(e, peer_header,
			     (struct wire_view){ part.p + 26, 16 });
	explain_leave(e);
}

/* TLVs */

static const char *tlv_name(const struct bmp_message *m, uint16_t type,
			    enum bmp_v4 v4)
{
	static const char *const information[] = { "string", "sysDescr",
						   "sysName", "tableName",
						   "adminLabel" };

	if (m->type == BMP_STATISTICS)
		return bmp_stat_name(type);
	if (m->type == BMP_ROUTE_MIRRORING)
		return type == BMP_MIRROR_PDU ? "bgpMessage" : "information";
	if (m->type == BMP_ROUTE_MONITORING)
		return bmp_rm_tlv_find(v4, type) == BMP_RM_UPDATE ? "bgpMessage"
								  : "tlv";
	if (m->type == BMP_TERMINATION && type == BMP_TERM_REASON)
		return "reason";
	return type < sizeof(information) / sizeof(information[0])
		       ? information[type]
		       : "tlv";
}

static void say_tlv_value(struct explain *e, const struct bmp_message *m,
			  const struct tlv *tlv, const char *name,
			  const struct bgp_decode_opts *opts)
{
	static const struct value_field text[] = { VALUE("text", TEXT), { 0 } };

	if (strcmp(name, "bgpMessage") == 0)
		explain_pdu_inside(e, tlv->value, opts);
	else if (m->type == BMP_STATISTICS && tlv->value.len == 11) {
		explain_number(e, "afi", (struct wire_view){ tlv->value.p, 2 });
		explain_number(e, "safi",
			       (struct wire_view){ tlv->value.p + 2, 1 });
		explain_number(e, "count",
			       (struct wire_view){ tlv->value.p + 3, 8 });
	} else if (m->type == BMP_STATISTICS && tlv->value.len <= 8) {
		explain_number(e, "count", tlv->value);
	} else if ((m->type == BMP_INITIATION || m->type == BMP_PEER_UP ||
		    m->type == BMP_TERMINATION) &&
		   tlv->value.len != 2) {
		(void)explain_layout(e, text, tlv->value);
	} else {
		explain_bytes(e, "value", tlv->value, "");
	}
}

static void say_tlvs(struct explain *e, const struct bmp_message *m,
		     enum bmp_v4 v4, const struct bgp_decode_opts *opts)
{
	struct tlv_iter it = tlv_start(m->tlvs, (enum tlv_form)m->tlv_form);
	struct tlv tlv;

	while (tlv_next(&it, &tlv)) {
		const uint8_t *head = e->at;
		const char *name = tlv_name(m, tlv.type, v4);

		explain_enter(e, name);
		explain_number(e, "type", (struct wire_view){ head, 2 });
		explain_number(e, "length", (struct wire_view){ head + 2, 2 });
		if (m->tlv_form == TLV_BMP_INDEXED)
			explain_number(e, "index",
				       (struct wire_view){ head + 4, 2 });
		say_tlv_value(e, m, &tlv, name, opts);
		explain_end(e, tlv.value.p + tlv.value.len);
		explain_leave(e);
	}
}

/* Messages */

static void say_peer_up(struct explain *e, const struct bmp_message *m,
			const struct bgp_decode_opts *opts, const uint8_t *end)
{
	struct wire_view head = next_bytes(e, end, 20);

	if (head.len < 20)
		return;
	say_address(e, "localAddr", (struct wire_view){ head.p, 16 });
	(void)explain_layout(e, ports, (struct wire_view){ head.p + 16, 4 });
	explain_pdu_inside(e, m->up.sent_open.whole, opts);
	explain_pdu_inside(e, m->up.received_open.whole, opts);
}

static void say_peer_down(struct explain *e, const struct bmp_message *m,
			  const struct bgp_decode_opts *opts,
			  const uint8_t *end)
{
	explain_code(e, "reason", next_bytes(e, end, 1),
		     bmp_down_reason_name(m->down.reason));
	if (m->down.reason == BMP_DOWN_LOCAL_FSM)
		explain_code(e, "fsmEvent", next_bytes(e, end, 2),
			     bgp_fsm_event_name(m->down.fsm_event));
	explain_pdu_inside(e, m->down.notification.whole, opts);
}

void explain_message(struct explain *e, const struct bmp_frame *frame,
		     const struct bmp_message *m, bool usable, enum bmp_v4 v4,
		     const struct bgp_decode_opts *opts)
{
	const uint8_t *end = frame->whole.p + frame->whole.len;
	const uint8_t *p = frame->whole.p;

	explain_begin(e, frame->whole);
	explain_enter(e, "header");
	(void)explain_layout(e, common_header, (struct wire_view){ p, 5 });
	explain_code(e, "type", (struct wire_view){ p + 5, 1 },
		     bmp_type_name(frame->type));
	explain_leave(e);
	if (m->has_peer)
		say_peer(e, end);
	if (!usable)
		explain_end(e, end);
	else if (m->type == BMP_PEER_UP)
		say_peer_up(e, m, opts, end);
	else if (m->type == BMP_PEER_DOWN)
		say_peer_down(e, m, opts, end);
	else if (m->type == BMP_STATISTICS)
		explain_number(e, "statsCount", next_bytes(e, end, 4));
	/* If TLVs precede the BGP message, it is inside one of them. */
	else if (m->type == BMP_ROUTE_MONITORING && m->update.whole.p == e->at)
		explain_pdu_inside(e, m->update.whole, opts);
	/*
	 * After damaged bytes the TLVs may be missing, or may not begin here.
	 */
	if (m->tlvs.len != 0 && m->tlvs.p == e->at)
		say_tlvs(e, m, v4, opts);
	explain_end(e, end);
}
