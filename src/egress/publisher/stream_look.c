/*
 * Look at the stream every look_ns: publishing does not notice that somebody
 * removed messages or deleted the stream.
 */
#include "egress/publisher/publisher_internal.h"

#include "egress/nats/stream.h"

#include <spargio/time.h>

#include <errno.h>

/* What the server adds to a message on its disk, and our headers. */
#define MESSAGE_OVERHEAD 4096u

uint64_t publisher_look_max_message(const struct publisher *p)
{
	return p->stats.max_payload + MESSAGE_OVERHEAD;
}

int publisher_look(const struct publisher *p, struct nats_conn *link,
		   struct stream_look *out)
{
	struct nats_error why;
	int err;

	*out = (struct stream_look){
		.asked_ns = sp_now(),
		.began_ns = p->run.began_ns,
		.max_message = publisher_look_max_message(p),
	};
	err = nats_stream_look(link, &p->options.stream, &why, &out->state);
	out->answered_ns = sp_now();
	return err;
}

void publisher_look_judge(struct publisher *p, const struct stream_look *look)
{
	if (stream_watch_look(&p->chain.watch, look) != STREAM_WATCH_REMOVED)
		return;
	p->stats.purges++;
	publisher_tell(p, "somebody removed messages of the stream: "
			  "consumers get a resync");
}

struct look_job {
	const struct publisher *p;
	struct nats_conn *link;
	struct stream_look look;
};

static int run_look(void *arg)
{
	struct look_job *job = arg;

	return publisher_look(job->p, job->link, &job->look);
}

/* Ignore a look that fails: sending notices a broken connection. */
static void look_at_stream(struct publisher *p)
{
	struct look_job job = { .p = p, .link = p->conn.link };
	int err = publisher_block(run_look, &job); /* yields */

	if (err == 0)
		publisher_look_judge(p, &job.look);
	if (err == -ENOENT ||
	    (err == 0 && job.look.state.created_ns != p->chain.created_ns)) {
		publisher_handle(p, PUBLISHER_EV_STREAM_FAILED,
				 "the stream was deleted");
		publisher_wake(p);
	}
}

int publisher_look_watch(struct publisher *p)
{
	int err;

	while ((err = sp_sem_wait_until(&p->conn.wake,
					sp_in(p->options.look_ns))) ==
	       -ETIMEDOUT)
		look_at_stream(p); /* yields */
	return err;
}
