#include "collector/base/close_reason.h"

static const char *const names[CLOSE_REASONS] = {
	[CLOSE_NONE] = "none",
	[CLOSE_CLOSED] = "closed",
	[CLOSE_TRUNCATED] = "truncated",
	[CLOSE_RESET] = "reset",
	[CLOSE_TERMINATED] = "terminated",
	[CLOSE_BAD_VERSION] = "bad_version",
	[CLOSE_TOO_SHORT] = "too_short",
	[CLOSE_TOO_LONG] = "too_long",
	[CLOSE_HANDSHAKE] = "handshake_timeout",
	[CLOSE_IDLE] = "idle_timeout",
	[CLOSE_NO_IDENTITY] = "no_identity",
	[CLOSE_REPLACED] = "replaced",
	[CLOSE_DUPLICATE_ROUTER] = "duplicate_router",
	[CLOSE_DENIED] = "denied",
	[CLOSE_MAX_SESSIONS] = "max_sessions",
	[CLOSE_MAX_SESSIONS_PER_IP] = "max_sessions_per_ip",
	[CLOSE_NO_RESOURCES] = "no_resources",
	[CLOSE_OPERATOR] = "operator",
	[CLOSE_SHUTDOWN] = "shutdown",
	[CLOSE_FRAME_TIMEOUT] = "frame_timeout",
	[CLOSE_MADE_ROOM] = "made_room",
	[CLOSE_WRONG_NETWORK] = "wrong_network",
	[CLOSE_MAX_ROUTERS] = "max_routers",
	[CLOSE_BAD_PROXY_HEADER] = "bad_proxy_header",
};

const char *close_reason_name(enum close_reason e)
{
	return (unsigned)e < CLOSE_REASONS ? names[e] : "unknown";
}

enum close_reason close_reason_of_version(const struct bmp_frame *frame,
					  enum bmp_v4 v4)
{
	return frame->version == 4 && v4 == BMP_V4_OFF ? CLOSE_BAD_VERSION
						       : CLOSE_NONE;
}

enum close_reason close_reason_of_frame(enum bmp_frame_status status)
{
	switch (status) {
	case BMP_FRAME_BAD_VERSION:
		return CLOSE_BAD_VERSION;
	case BMP_FRAME_TOO_SHORT:
		return CLOSE_TOO_SHORT;
	default:
		return CLOSE_TOO_LONG;
	}
}
