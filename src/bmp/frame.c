#include "bmp/frame.h"

static bool version_known(uint8_t version)
{
	return version == 3 || version == 4;
}

/*
 * Hot: once per message. Cost: one load each of version, length and type;
 * the body is not touched. bench/bmp_decode.c measures it with the decoder.
 */
enum bmp_frame_status bmp_frame_next(struct wire_view in, uint32_t max_frame,
				     struct bmp_frame *out, size_t *need)
{
	struct wire_cursor c = wire_start(in);
	uint32_t length;
	uint8_t version;
	uint8_t type;

	/*
	 * The first byte is enough to refuse a wrong version: do not wait for
	 * the rest of the header.
	 */
	if (wire_u8(&c, &version) && !version_known(version))
		return BMP_FRAME_BAD_VERSION;
	if (in.len < BMP_HEADER_LEN) {
		*need = BMP_HEADER_LEN;
		return BMP_FRAME_PARTIAL;
	}
	if (!(wire_u32(&c, &length) && wire_u8(&c, &type)) ||
	    length < BMP_HEADER_LEN)
		return BMP_FRAME_TOO_SHORT;
	if (length > max_frame)
		return BMP_FRAME_TOO_LONG;
	if (in.len < length) {
		*need = length;
		return BMP_FRAME_PARTIAL;
	}

	*out = (struct bmp_frame){
		.version = version,
		.type = type,
		.whole = { .p = in.p, .len = length },
	};
	wire_take(&c, length - BMP_HEADER_LEN, &out->body);
	return BMP_FRAME_WHOLE;
}
