#include "arancini/dial.h"

#include "arancini/door.h"
#include "arancini/worker.h"

#include <spargio/net.h>
#include <spargio/time.h>

#include <errno.h>

#define FIRST_WAIT   SP_S
#define LONGEST_WAIT (60 * SP_S)
#define ATTEMPT	     (10 * SP_S)

/* A session that held so long was a good one: start anew with short waits. */
#define GOOD (60 * SP_S)

void dial_ended(struct dial *dial)
{
	sp_sem_post(&dial->ended);
}

static void log_failure(struct dial *d, int err, int64_t wait)
{
	struct log_line line;

	if (!log_begin(d->worker->log, LOG_LEVEL_WARNING, "connect_failed",
		       &line))
		return;
	log_text(&line, "to", d->target);
	log_error(&line, "error", err);
	log_seconds(&line, "again_in", wait);
	log_end(&line);
}

/* One call, from dialling to hanging up. */
static int call(struct dial *d)
{
	int64_t deadline = sp_in(ATTEMPT);
	struct sp_conn conn;
	struct sp_addr to;
	int err = sp_addr_parse(d->target, 0, &to);

	if (err == 0)
		err = sp_connect_until(&to, SP_HOME_HERE, deadline, &conn);
	if (err == 0)
		err = door_admit(d->worker, conn.fd, d);
	return err == 0 ? sp_sem_wait(&d->ended) : err;
}

int dial_main(void *arg)
{
	struct dial *d = arg;
	int64_t wait = FIRST_WAIT;

	for (;;) {
		int64_t began = sp_now();
		int err = call(d);

		if (err == -ECANCELED)
			return 0;
		if (sp_now() - began >= GOOD)
			wait = FIRST_WAIT;
		if (err < 0)
			log_failure(d, err, wait);
		if (sp_sleep(wait) == -ECANCELED)
			return 0;
		wait = 2 * wait < LONGEST_WAIT ? 2 * wait : LONGEST_WAIT;
	}
}
