#include "cli/router_name.h"

#include "egress/subject.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

_Static_assert(ROUTER_NAME_MAX == SUBJECT_ROUTER_MAX, "room for any token");

#define TOKEN_LETTERS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

bool router_name_token(const char *text, char out[ROUTER_NAME_MAX])
{
	uint8_t address[16] = { [10] = 0xff, [11] = 0xff };
	size_t len = strlen(text);

	if (inet_pton(AF_INET, text, address + 12) == 1 ||
	    inet_pton(AF_INET6, text, address) == 1) {
		subject_router(address, out);
		return true;
	}
	if (len == 0 || len >= ROUTER_NAME_MAX ||
	    strspn(text, TOKEN_LETTERS) != len)
		return false;
	memcpy(out, text, len + 1);
	return true;
}
