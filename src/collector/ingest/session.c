#include "collector/ingest/session.h"

#include "bmp/tlv.h"
#include "collector/base/log.h"
#include "collector/ingest/connection.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"

#include <spargio/time.h>

#include <poll.h>
#include <string.h>

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
	struct pollfd p = { .fd = s->connection->fd, .events = POLLRDHUP };

	return s->close_reason != CLOSE_NONE ||
	       (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP)) != 0);
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

/* Log */

/*
 * A router that comes and goes must not fill the disk. What there is to spend
 * on lines outlives its sessions at its router; but a router is forgotten with one
 * who never said anything.
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
	log_address_port(line, "from", s->connection->address,
			 s->connection->port);
	if (rib_identity_named(&s->connection->identity))
		log_text(line, "router", s->connection->identity.name);
	return true;
}

void session_log_open(struct session *s)
{
	struct log_line line;

	if (!log_begins(s, "session_open", &line))
		return;
	log_text(&line, "sysname", s->facts.sys_name);
	log_u64(&line, "worker", s->worker->id);
	log_end(&line);
}

void session_log_close(struct session *s, enum close_reason why)
{
	struct log_line line;

	if (!log_begins(s, "session_close", &line))
		return;
	log_text(&line, "reason", close_reason_name(why));
	log_seconds(&line, "lasted", sp_now() - s->opened);
	log_u64(&line, "bytes", s->bytes);
	log_end(&line);
}
