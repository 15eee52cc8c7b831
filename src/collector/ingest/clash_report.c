#include "collector/ingest/clash_report.h"

#include "bmp/text.h"
#include "collector/base/log.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/session.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/rib.h"

#include <spargio/time.h>

#include <stdio.h>

/*
 * Minimum time between two log lines, and between two events, about one router.
 */
#define TELL_EVERY (60 * SP_S)

static const char *clash_words(enum identity_fact which, enum close_reason why)
{
	static const char *const words[IDENTITY_FACTS + 1] = {
		[IDENTITY_FACT_ADDRESS] = "it has another address",
		[IDENTITY_FACT_SYSNAME] = "it has another sysName",
		[IDENTITY_FACT_BGP_ID] = "it has another BGP identifier",
		[IDENTITY_FACT_PEER] = "both are alive",
		[IDENTITY_FACTS] = "it named no peer of this router",
	};

	return why == CLOSE_WRONG_NETWORK
		       ? "its address is in none of the networks of this name"
		       : words[which];
}

static void clash_log(struct session *s, const char *words,
		      enum close_reason why)
{
	const struct router *router = s->router;
	struct log_line line;

	if (!log_begin_limited(s->worker->log, &s->worker->clashes, sp_now(),
			       LOG_LEVEL_WARNING, "router_clash", &line))
		return;
	connection_log_source(s->connection, &line);
	if (rib_identity_named(&s->connection->identity))
		log_text(&line, "router", s->connection->identity.name);
	if (router->session != NULL)
		log_address_port(&line, "owner", router->address, router->port);
	log_text(&line, "reason", close_reason_name(why));
	log_text(&line, "why", words);
	if (router->clashes_untold > 0)
		log_u64(&line, "repeated", router->clashes_untold);
	log_text(&line, "hint",
		 why == CLOSE_WRONG_NETWORK
			 ? "networks in its section"
			 : "two routers share this identity: give them names "
			   "with --router-id sysname or an alias in the "
			   "configuration");
	log_end(&line);
}

static void clash_publish(struct session *s, const char *words,
			  enum close_reason why)
{
	struct rib_time when = worker_now();
	char from[64], said[160];
	struct text t = text_start(from, sizeof(from));

	text_ip_port(&t, s->connection->address, s->connection->port);
	text_end(&t);
	snprintf(said, sizeof(said), "%s is refused: %s", from, words);
	rib_session_clash(s->router->rib_router, &when, (uint16_t)why, said);
}

void clash_report(struct session *s, enum identity_fact which,
		  enum close_reason why)
{
	/*
	 * A clash is possible although a fact agrees: an older session that
	 * itself took over from another one is not replaced.
	 */
	bool alike = which < IDENTITY_FACTS && s->router->session != NULL &&
		     s->router->session->contested;
	const char *words =
		clash_words(alike ? IDENTITY_FACT_PEER : which, why);
	struct router *router = s->router;
	int64_t now = sp_now();

	s->worker->counts.clashes++;
	router->clash_ns = now;
	if (router->clash_told_ns != 0 &&
	    now - router->clash_told_ns < TELL_EVERY) {
		router->clashes_untold++;
		return;
	}
	clash_log(s, words, why);
	clash_publish(s, words, why);
	router->clash_told_ns = now;
	router->clashes_untold = 0;
}
