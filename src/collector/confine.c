#include "collector/confine.h"

#include "collector/base/log.h"
#include "collector/config/config.h"
#include "collector/config/options.h"
#include "collector/ingest/port_owner.h"
#include "collector/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The state folder contains the token of the HTTP server and the journal, so it
 * is private; a journal elsewhere may be readable by other users.
 */
#define STATE_MODE   0700
#define JOURNAL_MODE 0755
#define PARENT_MODE  0755

/* Logging */

static int problem_log(struct log *log, const char *event, const char *at,
		       int err, const char *hint)
{
	struct log_line line;

	if (log_begin(log, LOG_LEVEL_ERROR, event, &line)) {
		if (at != NULL)
			log_text(&line, "at", at);
		log_error(&line, "error", err);
		if (hint != NULL)
			log_text(&line, "hint", hint);
		log_end(&line);
	}
	return err;
}

static bool sandbox_is_whole(const struct sandbox_state *s)
{
	return s->landlock_abi > 0 && s->no_new_privs && s->no_capabilities &&
	       s->no_core_dumps;
}

static void sandbox_log(struct log *log, const struct sandbox_state *s,
			enum log_level level, const char *event)
{
	struct log_line line;

	if (!log_begin(log, level, event, &line))
		return;
	log_text(&line, "mode", sandbox_mode_name(s->mode));
	log_u64(&line, "uid", s->uid);
	log_u64(&line, "landlock", (uint64_t)s->landlock_abi);
	log_bool(&line, "no_new_privs", s->no_new_privs);
	log_bool(&line, "no_capabilities", s->no_capabilities);
	log_bool(&line, "no_core_dumps", s->no_core_dumps);
	if (s->landlock_error < 0) {
		log_error(&line, "error", s->landlock_error);
		log_text(&line, "hint",
			 "the kernel needs CONFIG_SECURITY_LANDLOCK, and "
			 "landlock in lsm= at boot");
	}
	log_end(&line);
}

/* Folders */

/*
 * Create the folder @path for @user. Returns 0 also if it exists; its mode and
 * owner are then unchanged.
 */
static int folder_make_one(const char *path, mode_t mode,
			   const struct sandbox_user *user)
{
	if (mkdir(path, mode) < 0)
		return errno == EEXIST ? 0 : -errno;
	if (user->name != NULL && chown(path, user->uid, user->gid) < 0)
		return -errno;
	return 0;
}

/* Create @path for @user, and its missing parents. */
static int folder_make(const char *path, mode_t mode,
		       const struct sandbox_user *user)
{
	static const struct sandbox_user nobody;
	char *copy = strdup(path);
	int err = 0;

	if (copy == NULL)
		return -ENOMEM;
	for (char *p = copy + 1; err == 0 && *p != '\0'; p++) {
		if (*p != '/' || p[1] == '/' || p[1] == '\0')
			continue;
		*p = '\0';
		err = folder_make_one(copy, PARENT_MODE, &nobody);
		*p = '/';
	}
	if (err == 0)
		err = folder_make_one(copy, mode, user);
	free(copy);
	return err;
}

/*
 * Warn if other users have access to the existing state folder. Do not change
 * its mode, because it may be /tmp.
 */
static void state_mode_check(const char *path, struct log *log)
{
	struct log_line line;
	struct stat st;

	if (stat(path, &st) < 0 || (st.st_mode & 0007) == 0 ||
	    !log_begin(log, LOG_LEVEL_WARNING, "state_readable_by_all", &line))
		return;
	log_text(&line, "at", path);
	log_text(&line, "hint", "chmod 0700");
	log_end(&line);
}

/* Create @path and add a rule that allows writing below it. */
static int folder_allow(const char *path, mode_t mode,
			const struct sandbox_user *user, struct log *log,
			struct sandbox_rules *rules)
{
	int err = folder_make(path, mode, user);

	if (err < 0)
		return problem_log(log, "cannot_make_folder", path, err, NULL);
	return sandbox_rules_add(rules, path, SANDBOX_WRITE);
}

static int folders_allow(const struct config *c,
			 const struct sandbox_user *user, struct log *log,
			 struct sandbox_rules *rules)
{
	char *journal;
	int err = 0;

	if (!config_state_is_url(c)) {
		err = folder_allow(c->snapshot.state, STATE_MODE, user, log,
				   rules);
		if (err == 0)
			state_mode_check(c->snapshot.state, log);
	}
	if (err < 0 || c->egress.discard)
		return err;
	journal = output_journal(c);
	err = journal == NULL
		      ? -ENOMEM
		      : folder_allow(journal, JOURNAL_MODE, user, log, rules);
	free(journal);
	return err;
}

/*
 * Files that the process opens later: at a reload, or when libnats reconnects
 */

static int file_allow(const char *path, struct sandbox_rules *rules)
{
	return path == NULL || path[0] == '\0'
		       ? 0
		       : sandbox_rules_add_file(rules, path);
}

static int option_allow(const struct config *c, const struct config_option *o,
			struct sandbox_rules *rules)
{
	const struct config_secret *secret = config_at_const(c, o);
	const char *const *path = config_at_const(c, o);

	if (o->form.type == CONFIG_SECRET)
		return file_allow(secret->path, rules);
	if (o->form.type == CONFIG_PATH &&
	    /* the journal is a folder: folders_allow() handles it */
	    *path != c->journal.directory)
		return file_allow(*path, rules);
	return 0;
}

static int files_allow(const struct config *c, struct sandbox_rules *rules)
{
	int err = file_allow(c->file, rules);

	for (size_t i = 0; err == 0 && i < config_option_count; i++)
		err = option_allow(c, &config_options[i], rules);
	for (size_t i = 0; err == 0 && i < c->router_count; i++)
		err = file_allow(c->routers[i].md5_key.path, rules);
	return err == 0 ? sandbox_rules_add_system(rules) : err;
}

/* Ports */

/*
 * Check that the port is free. If another process listens there, log which one:
 * inside the sandbox it could not be found.
 */
static int port_check(const struct config_address *at, struct log *log)
{
	int err = early_socket_try(at->address, at->port);
	struct port_owner owner;
	struct log_line line;

	if (err == 0)
		return 0;
	port_owner_find(at->address, at->port, &owner);
	if (log_begin(log, LOG_LEVEL_ERROR, "cannot_listen", &line)) {
		log_address_port(&line, "at", at->address, at->port);
		log_error(&line, "error", err);
		port_owner_log(&owner, &line);
		log_text(&line, "hint", PORT_OWNER_HINT);
		log_end(&line);
	}
	return err;
}

static int ports_check(const struct config *c, struct log *log)
{
	const struct config_addresses *at = &c->listen.addresses;
	int err = 0;

	for (size_t i = 0; err == 0 && i < at->count; i++)
		err = port_check(&at->at[i], log);
	return err;
}

static int ports_bind(const struct config *c, struct early_sockets *sockets)
{
	const struct config_addresses *at = &c->listen.addresses;
	int err = 0;

	for (size_t i = 0; err == 0 && i < at->count; i++)
		err = early_socket_bind(sockets, at->at[i].address,
					at->at[i].port);
	if (err == 0 && c->http.listen.set)
		err = early_socket_bind(sockets, c->http.listen.address,
					c->http.listen.port);
	return err;
}

/* The steps of confine_process() */

static int user_find(const char *name, struct log *log,
		     struct sandbox_user *out)
{
	int err;

	if (name[0] == '\0')
		return 0;
	err = sandbox_user_find(name, out);
	return err == 0 ? 0
			: problem_log(log, "cannot_become_user", name, err,
				      err == -ENOENT ? "there is no such user"
						     : NULL);
}

static int user_become(const struct sandbox_user *user, enum sandbox_mode mode,
		       struct log *log)
{
	int err;

	if (mode != SANDBOX_OFF)
		sandbox_bounding_set_clear();
	err = user->name == NULL ? 0 : sandbox_user_become(user);
	return err == 0 ? 0
			: problem_log(log, "cannot_become_user", user->name,
				      err, "only root can: --user");
}

static int sandbox_start(const struct config *c, struct log *log,
			 const struct sandbox_rules *rules,
			 struct sandbox_state *out)
{
	int err = sandbox_enter((enum sandbox_mode)c->process.sandbox, rules,
				out);

	if (err < 0)
		sandbox_log(log, out, LOG_LEVEL_ERROR, "sandbox_unavailable");
	else if (out->mode != SANDBOX_OFF && !sandbox_is_whole(out))
		sandbox_log(log, out, LOG_LEVEL_WARNING, "sandbox_incomplete");
	else
		sandbox_log(log, out, LOG_LEVEL_INFO, "sandbox");
	return err;
}

int confine_process(const struct config *config, struct log *log,
		    struct confined_process *out)
{
	struct sandbox_rules rules = { 0 };
	struct sandbox_user user = { 0 };
	int err;

	*out = (struct confined_process){ 0 };
	err = user_find(config->process.user, log, &user);
	if (err == 0)
		err = ports_check(config, log);
	if (err == 0)
		err = folders_allow(config, &user, log, &rules);
	if (err == 0)
		err = files_allow(config, &rules);
	if (err == 0)
		err = ports_bind(config, &out->sockets);
	if (err == 0)
		err = user_become(&user,
				  (enum sandbox_mode)config->process.sandbox,
				  log);
	if (err == 0)
		err = sandbox_start(config, log, &rules, &out->sandbox);
	sandbox_user_fini(&user);
	sandbox_rules_fini(&rules);
	if (err < 0)
		confine_release(out);
	return err;
}

void confine_release(struct confined_process *process)
{
	early_sockets_fini(&process->sockets);
}
