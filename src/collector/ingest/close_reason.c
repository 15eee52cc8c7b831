#include "collector/ingest/close_reason.h"

static const char *const names[ENDINGS] = {
	[ENDING_NONE] = "none",
	[ENDING_CLOSED] = "closed",
	[ENDING_CUT] = "cut",
	[ENDING_RESET] = "reset",
	[ENDING_TERMINATED] = "terminated",
	[ENDING_BAD_VERSION] = "bad_version",
	[ENDING_TOO_SHORT] = "too_short",
	[ENDING_TOO_LONG] = "too_long",
	[ENDING_HANDSHAKE] = "handshake_timeout",
	[ENDING_IDLE] = "idle_timeout",
	[ENDING_NAMELESS] = "nameless",
	[ENDING_REPLACED] = "replaced",
	[ENDING_TWIN] = "twin",
	[ENDING_DENIED] = "denied",
	[ENDING_FULL] = "full",
	[ENDING_FULL_ADDRESS] = "full_address",
	[ENDING_OVERLOAD] = "overload",
	[ENDING_ADMIN] = "admin",
	[ENDING_SHUTDOWN] = "shutdown",
};

const char *ending_name(enum ending e)
{
	return (unsigned)e < ENDINGS ? names[e] : "unknown";
}

enum ending ending_of_version(const struct bmp_frame *frame, enum bmp_v4 v4)
{
	return frame->version == 4 && v4 == BMP_V4_OFF ? ENDING_BAD_VERSION
						       : ENDING_NONE;
}

enum ending ending_of_frame(enum bmp_frame_status status)
{
	switch (status) {
	case BMP_FRAME_BAD_VERSION:
		return ENDING_BAD_VERSION;
	case BMP_FRAME_TOO_SHORT:
		return ENDING_TOO_SHORT;
	default:
		return ENDING_TOO_LONG;
	}
}
