/*
 * The fibers that sync the journal and remove its old segments. Both operations
 * take tens of milliseconds on a busy disk; main appends meanwhile.
 */
#include "egress/publisher/publisher_internal.h"

#include "egress/journal/journal.h"

#include <spargio/time.h>

void publisher_sync_failed(struct publisher *p, int err)
{
	p->spool.sync = SYNC_FAILED;
	p->spool.sync_error = err;
}

int publisher_sync_main(void *arg)
{
	struct publisher *p = arg;

	while (sp_sem_wait(&p->spool.sync_wake) == 0) {
		int err = journal_sync(p->spool.journal);

		p->spool.sync = SYNC_IDLE;
		if (err < 0)
			publisher_sync_failed(p, err);
		publisher_wake(p);
	}
	return 0;
}

int publisher_retain_main(void *arg)
{
	struct publisher *p = arg;

	while (sp_sem_wait(&p->spool.retain_wake) == 0) {
		/* After an error the removal is tried again a second later. */
		(void)journal_retain(p->spool.journal, publisher_wall_ns());
		p->spool.retain = RETAIN_IDLE;
	}
	return 0;
}

void publisher_retain_begin(struct publisher *p)
{
	p->spool.last_retain = sp_now();
	if (p->spool.retain == RETAIN_BUSY)
		return;
	p->spool.retain = RETAIN_BUSY;
	sp_sem_post(&p->spool.retain_wake);
}
