#include "cli/router_name.h"

#include "collector/base/ip.h"
#include "egress/subject.h"

#include <stdint.h>
#include <string.h>

_Static_assert(ROUTER_NAME_MAX == SUBJECT_ROUTER_MAX, "room for any token");

#define TOKEN_LETTERS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

bool router_name_token(const char *text, char out[ROUTER_NAME_MAX])
{
	uint8_t address[16];
	size_t len = strlen(text);

	if (ip_parse(text, address) >= 0) {
		subject_router(address, out);
		return true;
	}
	if (len == 0 || len >= ROUTER_NAME_MAX ||
	    strspn(text, TOKEN_LETTERS) != len)
		return false;
	memcpy(out, text, len + 1);
	return true;
}
