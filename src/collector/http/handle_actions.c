#include "collector/http/server_internal.h"

#include "collector/base/log.h"
#include "collector/base/router_identity.h"
#include "collector/checkpoint/checkpoint.h"
#include "collector/query/admin_command.h"

#include <errno.h>
#include <string.h>

/* Log the action and the client that requested it. */
static void log_action(struct http_request *r, const char *action)
{
	const union MHD_ConnectionInfo *from =
		MHD_get_connection_info(r->connection,
					MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct log_line line;

	if (!log_begin(r->http->log, LOG_LEVEL_INFO, "http_action", &line))
		return;
	log_text(&line, "action", action);
	for (size_t i = 0; i < HTTP_ARGS_MAX; i++)
		if (r->args[i] != NULL)
			log_text(&line, i == 0 ? "router" : "peer", r->args[i]);
	if (from != NULL)
		http_log_client(&line, from->client_addr);
	log_end(&line);
}

static void reply_accepted(struct http_request *r)
{
	r->status = MHD_HTTP_ACCEPTED;
	json_object(&r->out);
	json_bool_at(&r->out, "accepted", true);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

static bool outcome_check(struct http_request *r,
			  enum admin_command_outcome outcome)
{
	switch (outcome) {
	case ADMIN_COMMAND_DONE:
		return true;
	case ADMIN_COMMAND_NO_ROUTER:
		http_no_router(r, r->args[0]);
		break;
	case ADMIN_COMMAND_NO_PEER:
		http_no_peer(r, r->args[1]);
		break;
	case ADMIN_COMMAND_NO_SESSION:
		http_error_of(r, MHD_HTTP_CONFLICT, "the router has no session",
			      r->args[0], NULL);
		break;
	}
	return false;
}

/*
 * Run the command on @worker. False if it failed; the reply is then an error.
 * Yields.
 */
static bool command_run(struct http_request *r,
			const struct admin_command *wanted, uint32_t worker,
			uint32_t *routers)
{
	struct admin_command *command = admin_command_new(wanted->kind);
	struct worker_query *q = &command->head;
	enum admin_command_outcome outcome;

	if (command == NULL) {
		http_ask_failed(r, -ENOMEM);
		return false;
	}
	command->router = wanted->router;
	command->peer = wanted->peer;
	if (!http_ask(r, worker, &q))
		return false;
	outcome = command->outcome;
	*routers += command->routers;
	admin_command_free(command);
	return outcome_check(r, outcome);
}

/* Run a command for the router in the path. */
static void router_command_run(struct http_request *r,
			       enum admin_command_kind kind, const char *name)
{
	struct admin_command wanted = { .kind = kind };
	uint32_t worker, routers = 0;

	if (!http_take_router(r, r->args[0], &wanted.router, &worker) ||
	    (kind == ADMIN_COMMAND_PURGE &&
	     !http_take_peer(r, r->args[1], &wanted.peer)) ||
	    !command_run(r, &wanted, worker, &routers))
		return;
	log_action(r, name);
	reply_accepted(r);
}

void http_post_disconnect(struct http_request *r)
{
	router_command_run(r, ADMIN_COMMAND_DISCONNECT, "disconnect");
}

void http_post_purge(struct http_request *r)
{
	router_command_run(r, ADMIN_COMMAND_PURGE, "purge");
}

void http_post_resync(struct http_request *r)
{
	struct admin_command wanted = { .kind = ADMIN_COMMAND_RESYNC };
	uint32_t first = 0, end = r->http->env->worker_count;
	uint32_t routers = 0;

	if (!http_params_read(r, &wanted))
		return;
	r->args[0] = http_target_param(&r->target, "router");
	if (wanted.router.given) {
		first = identity_shard(&wanted.router.identity, end);
		end = first + 1;
	}
	for (uint32_t i = first; i < end; i++)
		if (!command_run(r, &wanted, i, &routers))
			return;
	log_action(r, "resync");
	r->status = MHD_HTTP_ACCEPTED;
	json_object(&r->out);
	json_uint_at(&r->out, "routers", routers);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_post_snapshot(struct http_request *r)
{
	struct checkpoint *checkpoint = r->http->env->checkpoint;
	int err = checkpoint == NULL ? -ENOENT
				     : checkpoint_now(checkpoint); /* yields */

	if (err == -ENOENT) {
		http_error(r, MHD_HTTP_CONFLICT, "nothing is kept",
			   "--curation off stores no routes");
		return;
	}
	if (err < 0) {
		http_ask_failed(r, err);
		return;
	}
	log_action(r, "snapshot");
	reply_accepted(r);
}

struct log_level_request {
	enum log_level level;
};

static const char *parse_level(const char *text, void *field)
{
	for (int i = 0; i < LOG_LEVELS; i++) {
		if (strcmp(log_level_name((enum log_level)i), text) != 0)
			continue;
		*(enum log_level *)field = (enum log_level)i;
		return NULL;
	}
	return "not a level";
}

const struct query_param http_log_level_params[] = {
	{ "level", offsetof(struct log_level_request, level), parse_level,
	  .hint = "error, warning, info or debug", .required = true },
	QUERY_PARAMS_END,
};

void http_post_log_level(struct http_request *r)
{
	struct log_level_request wanted;

	if (!http_params_read(r, &wanted))
		return;
	log_action(r, "log_level");
	log_set_level(r->http->log, wanted.level);
	json_object(&r->out);
	json_string_at(&r->out, "level", log_level_name(wanted.level));
	json_end_object(&r->out);
	json_end_line(&r->out);
}
