/*
 * Bytes of a configuration file. Whatever they are, there is a configuration
 * or there are mistakes, each one line; and a configuration that is printed
 * and read back is the same.
 */
#include "collector/config/config.h"
#include "collector/config/diff.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "collector/config/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check_mistakes(const struct config_errors *m)
{
	demand(m->count > 0 && m->kept > 0);
	for (size_t i = 0; i < m->kept; i++) {
		demand(strncmp(m->lines[i], "f:", 2) == 0 ||
		       strncmp(m->lines[i], "--", 2) == 0);
		for (const char *s = m->lines[i]; *s != '\0'; s++)
			demand((unsigned char)*s >= ' ');
	}
}

static void must_not_change(void *arg, const char *name, bool reload)
{
	(void)arg;
	(void)name;
	(void)reload;
	abort();
}

static void check_round_trip(const struct config *config)
{
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config again;
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	demand(to != NULL);
	config_print(config, to);
	fclose(to);
	demand(config_load_bytes("f", text, len, &errors, &again) == 0);
	config_compare(config, &again, must_not_change, NULL);
	demand(config_keep(config, &again) == 0);
	config_compare(config, &again, must_not_change, NULL);
	config_release(&again);
	config_errors_release(&errors);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config config;
	int err = config_load_bytes("f", (const char *)data, size, &errors,
				    &config);

	if (err == 0) {
		check_round_trip(&config);
		config_release(&config);
	} else {
		demand(err == -EINVAL);
		check_mistakes(&errors);
	}
	config_errors_release(&errors);
	return 0;
}
