#include "collector/config/config.h"

#include "collector/config/text_check.h"

#include <stdlib.h>
#include <string.h>

bool config_state_is_url(const struct config *config)
{
	return config_is_url(config->snapshot.state);
}

char *config_expand(const struct config *config, const char *text)
{
	static const char word[] = "{collector}";
	const char *id = config->identity.collector;
	size_t id_len = strlen(id), len = 0;
	/*
	 * Space for the longest result, if the text consists only of
	 * "{collector}".
	 */
	char *out = malloc(strlen(text) * (id_len + 1) + 1);

	if (out == NULL)
		return NULL;
	while (*text != '\0') {
		if (strncmp(text, word, sizeof(word) - 1) != 0) {
			out[len++] = *text++;
			continue;
		}
		memcpy(out + len, id, id_len);
		len += id_len;
		text += sizeof(word) - 1;
	}
	out[len] = '\0';
	return out;
}
