#include "collector/config/value.h"

#include <stdlib.h>

/*
 * Parse the file name of a secret. config_secret_read() reads the file later.
 */
static int parse_secret(const struct config_form *form, const char *s,
			struct config_secret *out, char why[CONFIG_WHY_MAX])
{
	struct config_form path_form = *form;
	char *path = NULL;
	int err;

	path_form.type = CONFIG_PATH;
	err = config_scalar_parse(&path_form, s, &path, why);
	if (err < 0)
		return err;
	config_value_release(form, out);
	if (*path == '\0')
		free(path);
	else
		out->path = path;
	return 0;
}

int config_value_parse(const struct config_form *form, const char *text,
		       void *value, char why[CONFIG_WHY_MAX])
{
	if (config_value_is_list(form->type))
		return config_value_list_parse(form, text, value, why);
	if (form->type == CONFIG_SECRET)
		return parse_secret(form, text, value, why);
	return config_scalar_parse(form, text, value, why);
}

bool config_value_format(const struct config_form *form, const void *value,
			 size_t i, char *out, size_t cap)
{
	if (i >= config_value_count(form, value))
		return false;
	if (config_value_is_list(form->type))
		config_value_list_format(form, value, i, out, cap);
	else
		config_scalar_format(form, value, out, cap);
	return true;
}
