/*
 * Writes the member "tlvs" of a JSON line: the TLVs of a Route Monitoring
 * message of BMP version 4.
 */
#include "cli/decode_rm_tlv.h"

#include "bmp/names.h"
#include "bmp/rm_tlv.h"
#include "collector/base/json_bgp.h"
#include "collector/base/json_bgp_pdu.h"

static void put_index(struct json *j, uint16_t index)
{
	if (index & BMP_RM_INDEX_GROUP)
		json_uint_at(j, "group", index & ~BMP_RM_INDEX_GROUP);
	else if (index != 0)
		json_uint_at(j, "index", index);
}

static void put_hex(struct json *j, struct wire_view value)
{
	json_key(j, "value");
	json_hex(j, value);
}

static void put_sequence(struct json *j, struct wire_view value)
{
	if (value.len == 4)
		json_uint_at(j, "sequence", wire_get_u32(value.p));
	else
		put_hex(j, value);
}

static void put_timestamp(struct json *j, struct wire_view value)
{
	if (value.len == 8)
		json_uint_at(j, "timeNs",
			     wire_get_u32(value.p) * UINT64_C(1000000000) +
				     wire_get_u32(value.p + 4) *
					     UINT64_C(1000));
	else
		put_hex(j, value);
}

static void put_group(struct json *j, struct wire_view value)
{
	struct wire_cursor c = wire_start(value);
	uint16_t index;

	json_key(j, "indexes");
	json_array(j);
	while (wire_u16(&c, &index))
		json_uint(j, index);
	json_end_array(j);
}

static void put_table_name(struct json *j, struct wire_view value)
{
	json_key(j, "tableName");
	json_text(j, value);
}

static void put_capabilities(struct json *j, struct wire_view value)
{
	struct tlv_iter it = tlv_start(value, TLV_SHORT);
	struct tlv capability;

	json_key(j, "capabilities");
	json_array(j);
	while (tlv_next(&it, &capability))
		json_bgp_capability(j, &capability);
	json_end_array(j);
}

static void put_path_marking(struct json *j, struct wire_view value)
{
	struct bmp_path_marking marking;

	if (!bmp_path_marking_read(value, &marking)) {
		put_hex(j, value);
		return;
	}
	json_key(j, "status");
	json_array(j);
	for (unsigned bit = 0; bit < 32; bit++) {
		const char *name = bmp_path_status_name(bit);

		if (!(marking.status >> bit & 1))
			continue;
		if (strcmp(name, "unknown") == 0)
			json_uint(j, UINT32_C(1) << bit);
		else
			json_string(j, name);
	}
	json_end_array(j);
	if (marking.has_reason)
		json_bgp_code(j, "reason", bmp_path_reason_name,
			      marking.reason);
}

static const struct {
	const char *name;
	void (*put)(struct json *j, struct wire_view value);
} tlvs[BMP_RM_TLVS] = {
	[BMP_RM_UNKNOWN] = { "unknown", put_hex },
	[BMP_RM_SEQUENCE] = { "sequence", put_sequence },
	[BMP_RM_EXTENDED_FLAGS] = { "extended-flags", put_hex },
	[BMP_RM_TIMESTAMP] = { "timestamp", put_timestamp },
	[BMP_RM_GROUP] = { "group", put_group },
	[BMP_RM_TABLE_NAME] = { "table-name", put_table_name },
	[BMP_RM_STATELESS] = { "stateless-parsing", put_capabilities },
	[BMP_RM_PATH_MARKING] = { "path-marking", put_path_marking },
};

void decode_rm_tlvs(struct json *j, const struct bmp_message *message,
		    enum bmp_v4 v4)
{
	bool indexed = message->tlv_form == TLV_BMP_INDEXED;
	struct tlv_iter it = tlv_start(message->tlvs, message->tlv_form);
	struct tlv tlv;
	bool any = false;

	while (tlv_next(&it, &tlv)) {
		/* In other forms of TLV the numbers have other meanings. */
		enum bmp_rm_tlv kind = indexed ? bmp_rm_tlv_find(v4, tlv.type)
					       : BMP_RM_UNKNOWN;

		if (kind == BMP_RM_UPDATE)
			continue;
		if (!any) {
			json_key(j, "tlvs");
			json_array(j);
			any = true;
		}
		json_object(j);
		json_uint_at(j, "type", tlv.type);
		json_string_at(j, "name", tlvs[kind].name);
		put_index(j, tlv.index);
		tlvs[kind].put(j, tlv.value);
		json_end_object(j);
	}
	if (any)
		json_end_array(j);
}
