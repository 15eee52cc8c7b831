#include "collector/ingest/session.h"

#include "bmp/tlv.h"
#include "collector/base/log.h"
#include "collector/ingest/connection.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "rib/rib.h"

#include <spargio/select.h>
#include <spargio/time.h>

#include <assert.h>
#include <poll.h>
#include <string.h>

/* Log */

/*
 * Begin a log line about the session, if the rate limit allows it. A router
 * that often connects must not fill the disk. So the limit is kept with the
 * router, where it survives the sessions. If the router never had a session,
 * its object does not survive the session; then the limit of the worker for
 * refused connections is used.
 */
static bool log_begins(struct session *s, const char *event,
		       struct log_line *line)
{
	struct log_bucket *bucket = s->router->stats.opened_ns != 0
					    ? &s->router->lines
					    : &s->worker->refusals;

	if (!log_begin_limited(s->worker->log, bucket, sp_now(), LOG_LEVEL_INFO,
			       event, line))
		return false;
	connection_log_source(s->connection, line);
	if (rib_identity_named(&s->connection->identity))
		log_text(line, "router", s->connection->identity.name);
	return true;
}

static void session_log_open(struct session *s)
{
	struct log_line line;

	if (!log_begins(s, "session_open", &line))
		return;
	log_text(&line, "sysname", s->facts.sys_name);
	log_u64(&line, "worker", s->worker->id);
	log_end(&line);
}

static void session_log_close(struct session *s)
{
	struct log_line line;

	if (!log_begins(s, "session_close", &line))
		return;
	log_text(&line, "reason", close_reason_name(s->close_reason));
	log_seconds(&line, "lasted", sp_now() - s->opened);
	log_u64(&line, "bytes", s->bytes);
	log_end(&line);
}

void session_report_lost(struct session *s)
{
	struct log_line line;

	if (s->lost == 0 || !session_state_is_open(s->state))
		return;
	rib_session_messages_lost(s->router->rib_router, &s->when, s->lost);
	s->worker->counts.sessions.lost += s->lost;
	if (log_begins(s, "messages_lost", &line)) {
		log_u64(&line, "messages", s->lost);
		log_end(&line);
	}
	s->lost = 0;
}

/* States */

static void rib_open(struct session *s)
{
	struct router *router = s->router;

	rib_session_open(router->rib_router, &s->when, s->connection->address,
			 s->connection->port,
			 s->facts.sys_name[0] != '\0' ? s->facts.sys_name
						      : NULL);
	if (router->resync)
		rib_resync(router->rib_router, &s->when);
	router->resync = false;
}

static void rib_close(struct session *s)
{
	rib_session_close(s->router->rib_router, &s->when, s->close_reason,
			  close_reason_name(s->close_reason));
}

static void add_counts(struct session *s)
{
	struct router *router = s->router;

	router_stats_forget_reports(router->rib_router);
	router->stats.messages += s->messages;
	router->stats.bytes += s->bytes;
	router->stats.errors += s->errors;
}

void session_handle(struct session *s, enum session_event event)
{
	struct session_step step = session_step(s->state, event);

	assert(!(step.actions & SESSION_IMPOSSIBLE));
	s->state = step.next;
	if (step.actions & SESSION_COUNT_INPUT)
		s->worker->sessions_with_input++;
	if (step.actions & SESSION_RIB_OPEN)
		rib_open(s);
	if (step.actions & SESSION_RIB_PAUSE)
		rib_session_pause(s->router->rib_router, &s->when);
	if (step.actions & SESSION_LOG_OPEN)
		session_log_open(s);
	if (step.actions & SESSION_RIB_CLOSE)
		rib_close(s);
	if (step.actions & SESSION_ADD_COUNTS)
		add_counts(s);
	if (step.actions & SESSION_END_INPUT)
		worker_input_drained(s->worker);
	if (step.actions & SESSION_RIB_RESUME) {
		/*
		 * Take the time again, because the session may have waited for
		 * space in the bridge.
		 */
		s->when = worker_now();
		rib_session_resume(s->router->rib_router, &s->when);
	}
	if (step.actions & SESSION_LOG_CLOSE)
		session_log_close(s);
}

/* Stopping */

void session_stop(struct session *s, enum close_reason why)
{
	if (s->close_reason == CLOSE_NONE)
		s->close_reason = (uint8_t)why;
	sp_cancel(s->task);
}

void session_drain(struct session *s)
{
	sp_cancel(s->task);
}

bool session_is_ending(const struct session *s)
{
	struct sp_case gone = sp_case_fd(s->connection->fd, POLLRDHUP);

	return s->close_reason != CLOSE_NONE || sp_try_select(&gone, 1) == 0;
}

bool session_read_name(const struct bmp_message *msg,
		       char out[SESSION_NAME_MAX + 1])
{
	struct wire_view kept;
	struct tlv name;

	if (!tlv_find(msg->tlvs, (enum tlv_form)msg->tlv_form,
		      BMP_INIT_SYS_NAME, &name))
		return true;
	kept = text_cut(name.value, SESSION_NAME_MAX);
	memcpy(out, kept.p, kept.len);
	out[kept.len] = '\0';
	return kept.len == name.value.len;
}
