/*
 * Load the layers in order, then check the options that depend on each other.
 */
#include "collector/config/loader.h"

#include "collector/config/assign.h"
#include "collector/config/ini.h"
#include "collector/config/options.h"
#include "collector/config/validate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_MAX    (8 * 1024 * 1024)
#define FILE_WAIT_S 10

/* maximum length of a key for TCP_MD5SIG */
#define MD5_KEY_MAX 80

/* The layers */

/*
 * Set the defaults of all options. They are always valid:
 * tests/unit/test_collector_config.c loads them.
 */
static void set_defaults(struct config_loader *l)
{
	for (size_t i = 0; i < config_option_count; i++) {
		struct config_place place = { .name = config_options[i].flag };

		config_set(l, &config_options[i], &place,
			   config_options[i].preset);
	}
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/*
 * Read up to the end, at most @cap bytes. A pipe is allowed, for --config
 * <(...) and /dev/stdin, but it must end within FILE_WAIT_S, otherwise
 * -ETIMEDOUT. poll() also waits for the first writer of a FIFO, where read()
 * would return the end of the file.
 */
static ssize_t read_until_end(int fd, char *bytes, size_t cap)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int64_t until = clock_ms() + FILE_WAIT_S * 1000;
	size_t len = 0;

	while (len < cap) {
		int64_t left = until - clock_ms();
		int n = left > 0 ? poll(&ready, 1, (int)left) : 0;
		ssize_t got = n > 0 ? read(fd, bytes + len, cap - len) : n;

		if (n == 0)
			return -ETIMEDOUT;
		if (got == 0)
			break;
		if (got > 0)
			len += (size_t)got;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return (ssize_t)len;
}

/*
 * True if an empty pipe was read: the writer of --config <(...) has failed, or
 * the pipe was read at the start and this is a reload. It is not treated as an
 * empty file.
 */
static bool is_empty_pipe(int fd, ssize_t len)
{
	struct stat st;

	return len == 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void read_file(struct config_loader *l, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t len = fd < 0 ? -errno : 0;
	char *bytes = malloc(FILE_MAX + 1);

	if (bytes == NULL) {
		l->out_of_memory = true;
		goto out;
	}
	if (fd >= 0)
		len = read_until_end(fd, bytes, FILE_MAX + 1);
	if (len == -ETIMEDOUT)
		config_errors_add(l->errors,
				  "%s: is not a file, and did not end within "
				  "%d seconds",
				  name, FILE_WAIT_S);
	else if (len < 0)
		config_errors_add(l->errors, "%s: cannot be read: %s", name,
				  strerror((int)-len));
	else if (len > FILE_MAX)
		config_errors_add(l->errors, "%s: longer than 8 MiB", name);
	else if (is_empty_pipe(fd, len))
		config_errors_add(l->errors,
				  "%s: a pipe with nothing in it; a reload "
				  "needs a file",
				  name);
	else
		config_ini_read(l, name, bytes, (size_t)len);
out:
	free(bytes);
	if (fd >= 0)
		close(fd);
}

/*
 * If no collector id is configured, use the host's name; characters that are
 * not allowed in a subject become dashes.
 */
static void name_collector(struct config_loader *l)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	struct config *c = l->config;
	char name[64] = "";

	if (c->identity.collector == NULL || *c->identity.collector != '\0')
		return;
	if (gethostname(name, sizeof(name) - 1) < 0 || name[0] == '\0')
		strcpy(name, "arancini");
	for (char *s = name; *s != '\0'; s++)
		if (strchr(word, *s) == NULL)
			*s = '-';
	free(c->identity.collector);
	c->identity.collector = strdup(name);
	if (c->identity.collector == NULL)
		l->out_of_memory = true;
}

/* Secrets */

static void read_secret(struct config_loader *l, const char *name,
			struct config_secret *secret)
{
	char why[CONFIG_WHY_MAX];
	bool readable;
	int err;

	if (secret->path == NULL)
		return;
	err = config_secret_read(secret, why, &readable);
	if (err == -ENOMEM)
		l->out_of_memory = true;
	else if (err < 0)
		config_errors_add(l->errors, "%s '%s': %s", name, secret->path,
				  why);
	else if (readable)
		config_errors_note(
			l->errors,
			"%s '%s': every user of this machine can read "
			"it; chmod 600 would hide it",
			name, secret->path);
}

static void read_router_secrets(struct config_loader *l)
{
	for (size_t i = 0; i < l->config->router_count; i++) {
		struct config_router *r = &l->config->routers[i];
		char name[256];

		snprintf(name, sizeof(name), "[router %s] md5-key-file",
			 r->title);
		read_secret(l, name, &r->md5_key);
		if (r->md5_key.value != NULL &&
		    strlen(r->md5_key.value) > MD5_KEY_MAX)
			config_errors_add(l->errors,
					  "%s '%s': a key has at most %d bytes",
					  name, r->md5_key.path, MD5_KEY_MAX);
	}
}

static void read_secrets(struct config_loader *l)
{
	for (size_t i = 0; i < config_option_count; i++) {
		const struct config_option *o = &config_options[i];
		char name[80];

		if (o->form.type != CONFIG_SECRET)
			continue;
		snprintf(name, sizeof(name), "--%s", o->flag);
		read_secret(l, name, config_at(l->config, o));
	}
	read_router_secrets(l);
}

/* Loading */

static int loader_start(struct config_loader *l, struct config *c)
{
	*c = (struct config){ 0 };
	c->sources = calloc(config_option_count, sizeof(*c->sources));
	c->file = strdup("");
	if (c->sources == NULL || c->file == NULL) {
		config_release(c);
		return -ENOMEM;
	}
	l->config = c;
	set_defaults(l);
	return 0;
}

static int loader_finish(struct config_loader *l, struct config *c,
			 struct config *out)
{
	if (!l->out_of_memory)
		name_collector(l);
	/*
	 * Check dependencies only if there are no errors, because these would
	 * cause more errors.
	 */
	if (!l->out_of_memory && l->errors->count == 0)
		config_check(c, l->errors);
	if (l->out_of_memory || l->errors->out_of_memory ||
	    l->errors->count > 0) {
		bool memory = l->errors->count == 0;

		config_release(c);
		return memory ? -ENOMEM : -EINVAL;
	}
	*out = *c;
	return 0;
}

int config_load(int argc, char *const *argv, char *const *env,
		struct config_errors *errors, struct config_request *request,
		struct config *out)
{
	struct config_loader l = { .errors = errors };
	const char *file = config_args_file(argc, argv, env);
	struct config c;
	int err;

	config_args_request(argc, argv, request);
	err = loader_start(&l, &c);
	if (err < 0)
		return err;
	if (request->help)
		return loader_finish(&l, &c, out);
	if (file != NULL) {
		free(c.file);
		c.file = strdup(file);
		l.out_of_memory |= c.file == NULL;
		read_file(&l, file);
	}
	config_env_read(&l, env);
	config_args_read(&l, argc, argv);
	read_secrets(&l);
	return loader_finish(&l, &c, out);
}

int config_load_bytes(const char *name, const char *bytes, size_t len,
		      struct config_errors *errors, struct config *out)
{
	struct config_loader l = { .errors = errors };
	struct config c;
	int err = loader_start(&l, &c);

	if (err < 0)
		return err;
	config_ini_read(&l, name, bytes, len);
	return loader_finish(&l, &c, out);
}

void config_release(struct config *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < config_option_count; i++)
		config_value_release(&config_options[i].form,
				     config_at(c, &config_options[i]));
	for (size_t i = 0; i < c->router_count; i++)
		config_router_release(&c->routers[i]);
	free(c->routers);
	free(c->router_slots);
	free(c->sources);
	free(c->file);
	*c = (struct config){ 0 };
}
