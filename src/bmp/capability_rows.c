#include "bmp/capability.h"

#include "bmp/open.h"

static void write_name(struct field_writer *w, const char *field,
		       const char *const *names, size_t count, unsigned number)
{
	if (number < count && names[number] != NULL)
		w->ops->string(w->arg, field, names[number]);
	else
		w->ops->number(w->arg, field, number);
}

#define WRITE_NAME(w, field, names, number) \
	write_name(w, field, names, sizeof(names) / sizeof((names)[0]), number)

static const char *const directions[] = {
	[1] = "receive", [2] = "send", [3] = "both"
};

static bool write_direction(struct field_writer *w, struct wire_view v)
{
	if (v.len != 1)
		return false;
	if (w != NULL)
		WRITE_NAME(w, "direction", directions, v.p[0]);
	return true;
}

/* RFC 9234 4.1 */
static bool write_role(struct field_writer *w, struct wire_view v)
{
	static const char *const roles[] = { "provider", "route-server",
					     "route-server-client", "customer",
					     "peer" };

	if (v.len != 1)
		return false;
	if (w != NULL)
		WRITE_NAME(w, "role", roles, v.p[0]);
	return true;
}

/*
 * RFC 5291 4: families, each with filter types and the directions of each type
 */
static bool take_filters(struct wire_cursor *c, struct field_writer *w)
{
	struct wire_view family, filters;
	uint8_t count;

	if (!(wire_take(c, 4, &family) && wire_u8(c, &count) &&
	      wire_take(c, 2 * (size_t)count, &filters)))
		return false;
	for (size_t i = 0; w != NULL && i < count; i++) {
		w->ops->begin_object(w->arg, NULL);
		w->ops->number(w->arg, "afi", wire_get_u16(family.p));
		w->ops->number(w->arg, "safi", family.p[3]);
		w->ops->number(w->arg, "orfType", filters.p[2 * i]);
		WRITE_NAME(w, "direction", directions, filters.p[2 * i + 1]);
		w->ops->end_object(w->arg);
	}
	return true;
}

static bool write_filtering(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);

	if (w != NULL)
		w->ops->begin_list(w->arg, "filters");
	while (c.left != 0)
		if (!take_filters(&c, w))
			return false;
	if (w != NULL)
		w->ops->end_list(w->arg);
	return true;
}

/* RFC 8205 2.1: four bits of version, one of direction */
static bool write_bgpsec(struct field_writer *w, struct wire_view v)
{
	if (v.len != 3)
		return false;
	if (w != NULL) {
		w->ops->number(w->arg, "version", v.p[0] >> 4);
		w->ops->string(w->arg, "direction",
			       v.p[0] & 0x08 ? "send" : "receive");
		w->ops->number(w->arg, "afi", wire_get_u16(v.p + 1));
	}
	return true;
}

/* RFC 4724 3, RFC 8538 2: four bits of flags, twelve of time */
static bool write_restart(struct field_writer *w, struct wire_view v)
{
	uint16_t both;

	if (v.len != 2)
		return false;
	both = wire_get_u16(v.p);
	if (w != NULL) {
		w->ops->bytes(w->arg, "flags",
			      (struct wire_view){
				      (uint8_t[]){ (uint8_t)(both >> 12) },
				      1 });
		w->ops->number(w->arg, "restartTime", both & 0x0fff);
	}
	return true;
}

/* Take a length of one byte and a text of that length. */
static bool take_text(struct wire_cursor *c, struct wire_view *out)
{
	uint8_t len;

	return wire_u8(c, &len) && wire_take(c, len, out);
}

/* draft-walton-bgp-hostname-capability */
static bool write_fqdn(struct field_writer *w, struct wire_view v)
{
	struct wire_view host, domain = { 0 };
	struct wire_cursor c = wire_start(v);

	/* Some routers omit an empty domain. */
	if (!take_text(&c, &host) || (c.left != 0 && !take_text(&c, &domain)) ||
	    c.left != 0)
		return false;
	if (w != NULL) {
		w->ops->text(w->arg, "hostname", host);
		w->ops->text(w->arg, "domain", domain);
	}
	return true;
}

/* draft-abraitis-bgp-version-capability */
static bool write_version(struct field_writer *w, struct wire_view v)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view version;

	if (!take_text(&c, &version) || c.left != 0)
		return false;
	if (w != NULL)
		w->ops->text(w->arg, "softwareVersion", version);
	return true;
}

/*
 * If a function writes the value, the name of the field is used only in the
 * documentation.
 */
/* clang-format off */
#define LAYOUT(...) (const struct value_field[]){ __VA_ARGS__, { 0 } }
#define AFI_SAFI VALUE("afi", NUMBER, .len = 2), VALUE("safi", NUMBER, .len = 1)
#define FAMILIES(bytes, ...) \
	VALUE("families", RECORDS, .len = (bytes), .record = LAYOUT(__VA_ARGS__))
#define SESSIONS LAYOUT(VALUE("flags", HEX, .len = 1), VALUE("sessionIds", NUMBERS, .len = 1))

static const struct bgp_capability_row rows[] = {
	[1] = { "multiprotocol", "RFC 4760 8",
		LAYOUT(VALUE("afi", NUMBER, .len = 2), VALUE_RESERVED(1), VALUE("safi", NUMBER, .len = 1)) },
	[2] = { "route-refresh", "RFC 2918 2", NULL },
	[3] = { "outbound-route-filtering", "RFC 5291 4",
		LAYOUT(VALUE("filters", CUSTOM, .custom = write_filtering)) },
	[4] = { "multiple-routes-to-a-destination", "RFC 3107, deprecated", NULL },
	[5] = { "extended-next-hop", "RFC 8950 4",
		LAYOUT(FAMILIES(6, VALUE("afi", NUMBER, .len = 2), VALUE("safi", NUMBER, .len = 2), VALUE("nextHopAfi", NUMBER, .len = 2))) },
	[6] = { "extended-message", "RFC 8654 2", NULL },
	[7] = { "bgpsec", "RFC 8205 2.1",
		LAYOUT(VALUE("version, direction, afi", CUSTOM, .custom = write_bgpsec)) },
	[8] = { "multiple-labels", "RFC 8277 2.1",
		LAYOUT(FAMILIES(4, AFI_SAFI, VALUE("count", NUMBER, .len = 1))) },
	[9] = { "role", "RFC 9234 4.1",
		LAYOUT(VALUE("role", CUSTOM, .custom = write_role)) },
	[64] = { "graceful-restart", "RFC 4724 3, RFC 8538 2",
		LAYOUT(VALUE("flags, restartTime", CUSTOM_PART, .len = 2, .custom = write_restart), FAMILIES(4, AFI_SAFI, VALUE("flags", HEX, .len = 1))) },
	[65] = { "four-byte-as", "RFC 6793 3",
		LAYOUT(VALUE("asn", NUMBER, .len = 4)) },
	[66] = { "dynamic-capability-prestandard", "deprecated", NULL },
	[67] = { "dynamic-capability", "draft-ietf-idr-dynamic-cap",
		LAYOUT(VALUE("codes", NUMBERS, .len = 1)) },
	[68] = { "multisession", "draft-ietf-idr-bgp-multisession", SESSIONS },
	[69] = { "add-path", "RFC 7911 4",
		LAYOUT(FAMILIES(4, AFI_SAFI, VALUE("direction", CUSTOM, .custom = write_direction))) },
	[70] = { "enhanced-route-refresh", "RFC 7313 3.1", NULL },
	[71] = { "long-lived-graceful-restart", "RFC 9494 3.1",
		LAYOUT(FAMILIES(7, AFI_SAFI, VALUE("flags", HEX, .len = 1), VALUE("staleTime", NUMBER, .len = 3))) },
	[72] = { "routing-policy-distribution", "draft-ietf-idr-rpd",
		LAYOUT(FAMILIES(4, AFI_SAFI, VALUE("direction", CUSTOM, .custom = write_direction))) },
	[73] = { "fqdn", "draft-walton-bgp-hostname-capability",
		LAYOUT(VALUE("hostname, domain", CUSTOM, .custom = write_fqdn)) },
	[74] = { "bfd-strict-mode", "draft-ietf-idr-bgp-bfd-strict-mode", NULL },
	[75] = { "software-version", "draft-abraitis-bgp-version-capability",
		LAYOUT(VALUE("softwareVersion", CUSTOM, .custom = write_version)) },
	[76] = { "paths-limit", "draft-abraitis-idr-addpath-paths-limit",
		LAYOUT(FAMILIES(5, AFI_SAFI, VALUE("limit", NUMBER, .len = 2))) },
	[77] = { "link-local-next-hop", "draft-ietf-idr-linklocal-capability", NULL },
	[128] = { "route-refresh-prestandard", "RFC 8810", NULL },
	[129] = { "routing-policy-distribution-prestandard", "RFC 8810", NULL },
	[130] = { "outbound-route-filtering-prestandard", "RFC 8810",
		LAYOUT(VALUE("filters", CUSTOM, .custom = write_filtering)) },
	[131] = { "multisession-prestandard", "RFC 8810", SESSIONS },
};
/* clang-format on */

const struct bgp_capability_row *bgp_capability_row(unsigned code)
{
	return code < sizeof(rows) / sizeof(rows[0]) && rows[code].name != NULL
		       ? &rows[code]
		       : NULL;
}

void bgp_capability_write(const struct tlv *capability, struct field_writer *w)
{
	const struct bgp_capability_row *row =
		bgp_capability_row(capability->type);

	w->ops->number(w->arg, "code", capability->type);
	w->ops->string(w->arg, "name", row != NULL ? row->name : "unknown");
	w->ops->bytes(w->arg, "value", capability->value);
	if (row == NULL || row->layout == NULL ||
	    !value_fits(row->layout, capability->value))
		return;
	w->ops->begin_object(w->arg, "fields");
	(void)value_describe(row->layout, capability->value, w);
	w->ops->end_object(w->arg);
}
