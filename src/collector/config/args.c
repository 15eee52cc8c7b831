/* Reads the command line and the environment. */
#include "collector/config/args.h"

#include "collector/config/assign.h"
#include "collector/config/errors.h"
#include "collector/config/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_MAX 64

/*
 * One parsed argument. Flags without an option (--config, --check-config,
 * --help) have option NULL and known true.
 */
struct arg {
	char name[FLAG_MAX]; /* name without the dashes */
	const struct config_option *option;
	bool known;
	bool is_flag;
	bool wants_value;
	const char *value; /* NULL if no value was given */
};

static const char *const own_flags[] = { "config", "check-config", "help",
					 NULL };

static bool is_own(const char *name)
{
	for (size_t i = 0; own_flags[i] != NULL; i++)
		if (strcmp(own_flags[i], name) == 0)
			return true;
	return false;
}

/*
 * Parse one argument, and the next one if that is its value. Returns how many
 * arguments were used.
 */
static int arg_parse(int argc, char *const *argv, struct arg *out)
{
	const char *s = argv[0];
	size_t len = strcspn(s, "=");

	*out = (struct arg){ 0 };
	if (strcmp(s, "-h") == 0)
		s = "--help", len = 6;
	if (strncmp(s, "--", 2) != 0 || len < 3 || len - 2 >= FLAG_MAX)
		return 1;
	out->is_flag = true;
	memcpy(out->name, s + 2, len - 2);
	out->option = config_option_by_flag(out->name, len - 2);
	out->known = out->option != NULL || is_own(out->name);
	out->wants_value = out->option != NULL
				   ? out->option->form.type != CONFIG_BOOL
				   : strcmp(out->name, "config") == 0;
	if (s[len] == '=') {
		out->value = s + len + 1;
		return 1;
	}
	/* An unknown flag is assumed to have a value if one follows. */
	if (!out->wants_value && out->known)
		return 1;
	/* Text that looks like a flag is not taken as a value. */
	if (argc < 2 || strncmp(argv[1], "--", out->wants_value ? 2 : 1) == 0)
		return 1;
	out->value = argv[1];
	return 2;
}

const char *config_args_file(int argc, char *const *argv, char *const *env)
{
	static const char variable[] = "ARANCINI_CONFIG=";
	const char *file = NULL;
	struct arg arg;

	for (; *env != NULL; env++)
		if (strncmp(*env, variable, sizeof(variable) - 1) == 0)
			file = *env + sizeof(variable) - 1;
	for (int i = 0; i < argc;) {
		i += arg_parse(argc - i, argv + i, &arg);
		if (strcmp(arg.name, "config") == 0 && arg.value != NULL)
			file = arg.value;
	}
	return file != NULL && *file != '\0' ? file : NULL;
}

void config_args_request(int argc, char *const *argv,
			 struct config_request *out)
{
	struct arg arg;

	*out = (struct config_request){ 0 };
	for (int i = 0; i < argc;) {
		i += arg_parse(argc - i, argv + i, &arg);
		out->help |= strcmp(arg.name, "help") == 0;
		out->check |= strcmp(arg.name, "check-config") == 0;
	}
}

static const char *nearest_flag(const char *name)
{
	const char **names = calloc(config_option_count + 4, sizeof(*names));
	const char *found = NULL;
	size_t n = 0;

	if (names == NULL)
		return NULL;
	for (; n < config_option_count; n++)
		names[n] = config_options[n].flag;
	for (size_t i = 0; own_flags[i] != NULL; i++)
		names[n++] = own_flags[i];
	found = config_errors_nearest(name, names);
	free(names);
	return found;
}

/* True if the name of a secret was used as an option: --nats-password. */
static bool is_secret_itself(const char *name)
{
	char with_file[FLAG_MAX + 8];
	int len = snprintf(with_file, sizeof(with_file), "%s-file", name);
	const struct config_option *o =
		config_option_by_flag(with_file, (size_t)len);

	return o != NULL && o->form.type == CONFIG_SECRET;
}

static void complain_unknown(struct config_loader *l, const struct arg *arg,
			     const char *text)
{
	const char *nearest;

	if (!arg->is_flag) {
		config_errors_add(
			l->errors,
			"unknown argument '%s'; see 'arancini run --help'",
			text);
		return;
	}
	if (is_secret_itself(arg->name)) {
		config_errors_add(
			l->errors,
			"--%s: every user could see it in the list of "
			"processes; use --%s-file FILE",
			arg->name, arg->name);
		return;
	}
	nearest = nearest_flag(arg->name);
	if (nearest != NULL)
		config_errors_add(l->errors,
				  "unknown option '--%s'; did you mean '--%s'?",
				  arg->name, nearest);
	else
		config_errors_add(
			l->errors,
			"unknown option '--%s'; see 'arancini run --help'",
			arg->name);
}

static void arg_apply(struct config_loader *l, const struct arg *arg)
{
	char flag[FLAG_MAX + 2], allowed[CONFIG_WHY_MAX];
	struct config_place place = { .origin = CONFIG_FROM_FLAG,
				      .name = flag };

	snprintf(flag, sizeof(flag), "--%s", arg->name);
	if (arg->value == NULL && arg->wants_value) {
		if (arg->option != NULL)
			config_value_allowed(&arg->option->form, allowed,
					     sizeof(allowed));
		else
			snprintf(allowed, sizeof(allowed),
				 "the path of a file");
		config_errors_add(l->errors, "%s needs a value: %s", flag,
				  allowed);
	} else if (arg->option != NULL) {
		config_set(l, arg->option, &place,
			   arg->value != NULL ? arg->value : "true");
	} else if (!arg->wants_value && arg->value != NULL) {
		config_errors_add(l->errors, "%s takes no value", flag);
	}
}

void config_args_read(struct config_loader *l, int argc, char *const *argv)
{
	struct arg arg;

	for (int i = 0; i < argc;) {
		const char *text = argv[i];

		i += arg_parse(argc - i, argv + i, &arg);
		if (arg.known)
			arg_apply(l, &arg);
		else
			complain_unknown(l, &arg, text);
	}
}

/* Environment */

static const char *variable_find(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; *env != NULL; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

/* The value of the variable @name; NULL if it is not set or empty. */
static const char *set_variable(char *const *env, const char *name)
{
	const char *value = variable_find(env, name);

	return value != NULL && *value != '\0' ? value : NULL;
}

static void read_secret(struct config_loader *l, const struct config_option *o,
			char *const *env, const char *file_name,
			const char *file)
{
	char name[CONFIG_ENV_MAX];
	struct config_place place = { .origin = CONFIG_FROM_ENVIRONMENT,
				      .name = name };
	const char *value;

	config_option_env(o, CONFIG_ENV_DIRECT, name);
	value = set_variable(env, name);
	if (value == NULL)
		return;
	if (file != NULL)
		config_errors_add(l->errors,
				  "%s and %s are both set; only one can be",
				  name, file_name);
	else
		config_set_secret(l, o, &place, value);
}

/*
 * Add a note about variables that look like a misspelt option. Such variables
 * are not errors: another program may have set them, like Kubernetes does for a
 * service with the name of the collector.
 */
static void note_misspelt(struct config_loader *l, const char *entry)
{
	static const char before[] = "ARANCINI_";
	char flag[FLAG_MAX];
	char name[CONFIG_ENV_MAX];
	size_t len = strcspn(entry, "=");
	const char *nearest;
	size_t n = 0;

	if (strncmp(entry, before, sizeof(before) - 1) != 0 ||
	    len >= CONFIG_ENV_MAX)
		return;
	for (size_t i = sizeof(before) - 1; i < len; i++) {
		flag[n] = (char)tolower((unsigned char)entry[i]);
		if (flag[n] == '_')
			flag[n] = '-';
		n++;
	}
	flag[n] = '\0';
	if (config_option_by_flag(flag, n) != NULL || is_own(flag) ||
	    is_secret_itself(flag))
		return;
	nearest = nearest_flag(flag);
	if (nearest == NULL || is_own(nearest))
		return;
	config_option_env(config_option_by_flag(nearest, strlen(nearest)),
			  CONFIG_ENV_OPTION, name);
	config_errors_note(l->errors,
			   "%.*s is set but is no option; did you mean %s?",
			   (int)len, entry, name);
}

void config_env_read(struct config_loader *l, char *const *env)
{
	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];
		char name[CONFIG_ENV_MAX];
		struct config_place place = { .origin = CONFIG_FROM_ENVIRONMENT,
					      .name = name };
		const char *value;

		config_option_env(o, CONFIG_ENV_OPTION, name);
		value = set_variable(env, name);
		if (value != NULL)
			config_set(l, o, &place, value);
		if (o->form.type == CONFIG_SECRET)
			read_secret(l, o, env, name, value);
	}
	for (; *env != NULL; env++)
		note_misspelt(l, *env);
}
