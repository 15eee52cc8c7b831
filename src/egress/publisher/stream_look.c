/*
 * Read the state of the stream every look_ns, because publishing alone does not
 * show that somebody removed messages, deleted the stream or changed its
 * settings.
 */
#include "egress/publisher/publisher_internal.h"

#include "egress/nats/stream.h"

#include <spargio/time.h>

#include <errno.h>

/*
 * The bytes that a message takes on the server's disk in addition to its
 * payload: those that the server adds, and the headers.
 */
#define MESSAGE_OVERHEAD 4096u

uint64_t publisher_look_max_message(const struct publisher *p)
{
	return p->stats.max_payload + MESSAGE_OVERHEAD;
}

int publisher_look(const struct publisher *p, struct nats_conn *link,
		   struct nats_error *why, struct stream_look *out)
{
	int err;

	*out = (struct stream_look){
		.asked_ns = sp_now(),
		.began_ns = p->run.began_ns,
		.max_message = publisher_look_max_message(p),
	};
	err = nats_stream_look(link, &p->options.stream, why, &out->state);
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
	struct nats_error why;
	struct stream_look look;
};

static int run_look(void *arg)
{
	struct look_job *job = arg;

	return publisher_look(job->p, job->link, &job->why, &job->look);
}

/*
 * The reason why the stream must be established again; NULL if there is none.
 */
static const char *find_change(const struct publisher *p,
			       const struct look_job *job, int err)
{
	if (err == -ENOENT)
		return "the stream was deleted";
	if (err == -EINVAL)
		/* the next attempt is refused for the same reason */
		return job->why.text;
	if (err < 0)
		/* when sending, main notices a broken connection */
		return NULL;
	if (job->look.state.created_ns != p->chain.created_ns)
		return "the stream was deleted";
	if (job->look.state.max_msg_size != p->chain.tail.max_msg_size)
		return "the stream's max_msg_size was changed";
	return NULL;
}

static void look_at_stream(struct publisher *p)
{
	struct look_job job = { .p = p, .link = p->conn.link };
	int err = publisher_block(run_look, &job); /* yields */
	const char *change = find_change(p, &job, err);

	if (err == 0)
		publisher_look_judge(p, &job.look);
	if (change != NULL) {
		publisher_handle(p, PUBLISHER_EV_STREAM_FAILED, change);
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
