#include "collector/ingest/session_rate.h"

#include "collector/base/log.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/session.h"
#include "collector/policy/output_rate.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/rib.h"

#include <spargio/rstream.h>
#include <spargio/time.h>

/*
 * A reload may change the rate while a session waits, so the session checks the
 * rate again after this time.
 */
#define RATE_RECHECK SP_S

static uint64_t rate_of(const struct session *s)
{
	return s->router->settings.output_rate;
}

void session_rate_begin(struct session *s)
{
	s->router->output_charged =
		rib_router_output_bytes(s->router->rib_router);
}

void session_rate_charge(struct session *s)
{
	struct router *router = s->router;
	uint64_t made = rib_router_output_bytes(router->rib_router);

	output_rate_add(&router->output_rate, rate_of(s),
			made - router->output_charged, sp_now());
	router->output_charged = made;
}

uint64_t session_rate_turn(const struct session *s, uint64_t most)
{
	return output_rate_turn(rate_of(s), most);
}

/* Log that the router is above its rate, once for a series of pauses. */
static void rate_log(struct session *s)
{
	struct log_line line;

	if (!log_begin_limited(s->worker->log, &s->router->lines, sp_now(),
			       LOG_LEVEL_WARNING, "output_rate_exceeded",
			       &line))
		return;
	connection_log_source(s->connection, &line);
	if (rib_identity_named(&s->connection->identity))
		log_text(&line, "router", s->connection->identity.name);
	log_u64(&line, "rate", rate_of(s));
	log_text(&line, "hint",
		 "the router is read more slowly than it sends: "
		 "--max-output-rate");
	log_end(&line);
}

/*
 * Wait until @until, but at most for RATE_RECHECK, and add the time to the
 * statistics.
 */
static int rate_pause(struct session *s, int64_t until)
{
	int64_t begin = sp_now(), recheck = begin + RATE_RECHECK;
	int err =
		sp_sleep_until(until < recheck ? until : recheck); /* yields */

	s->router->rate_paused_ns = sp_now();
	s->worker->counts.sessions.rate_paused_ns +=
		(uint64_t)(s->router->rate_paused_ns - begin);
	return err;
}

int session_rate_wait(struct session *s)
{
	struct output_rate *account = &s->router->output_rate;
	struct worker *w = s->worker;
	int64_t until;
	int err = 0;

	if (w->drain_until != 0 ||
	    !output_rate_exceeded(account, rate_of(s), sp_now()))
		return 0;
	if (!router_over_rate(s->router, sp_now()))
		rate_log(s);
	w->counts.sessions.rate_pauses++;
	(void)sp_rstream_pause(s->stream);
	/*
	 * A paused session does not count as one with input, because some work
	 * waits until no session has input.
	 */
	w->sessions_with_input--;
	while (err == 0 && w->drain_until == 0 &&
	       (until = output_rate_until(account, rate_of(s), sp_now())) >
		       sp_now())
		err = rate_pause(s, until); /* yields */
	w->sessions_with_input++;
	s->resumed_ns = sp_now();
	return err;
}
