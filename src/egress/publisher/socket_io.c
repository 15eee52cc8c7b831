/*
 * The bytes of the link: one fiber waits until its socket can be read, one
 * until it can be written. They live as long as the link.
 *
 * So messages, acknowledgements and the turns of main are all of one thread,
 * and nothing is handed over on the way. Main writes by itself at the end of
 * its turn; the writer is for what the socket did not take, and for what
 * libnats has to say on other threads.
 *
 * While something is left over nothing more is sent, so libnats' buffer keeps
 * its size. Under TLS nothing is ever left over: there libnats itself waits
 * for the socket, up to the write deadline, and this thread with it.
 */
#include "egress/publisher/publisher_internal.h"

#include <spargio/op.h>

#include <poll.h>

void publisher_socket_io_wake(void *arg)
{
	struct publisher *p = arg;

	(void)sp_sem_post(&p->conn.write_wake);
}

static int read_main(void *arg)
{
	struct publisher *p = arg;

	while (!nats_conn_lost(p->conn.link) &&
	       sp_wait_fd(nats_conn_fd(p->conn.link), POLLIN) >= 0)
		nats_conn_read(p->conn.link);
	return 0;
}

static int write_main(void *arg)
{
	struct publisher *p = arg;

	while (sp_sem_wait(&p->conn.write_wake) == 0) {
		while (!nats_conn_write(p->conn.link)) {
			p->conn.socket = SOCKET_BLOCKED;
			if (nats_conn_lost(p->conn.link) ||
			    sp_wait_fd(nats_conn_fd(p->conn.link), POLLOUT) < 0)
				return 0;
		}
		if (p->conn.socket == SOCKET_BLOCKED)
			publisher_wake(p);
		p->conn.socket = SOCKET_WRITABLE;
	}
	return 0;
}

int publisher_socket_io_start(struct publisher *p)
{
	int err = sp_go_on(p->rt, 0, read_main, p, &p->conn.reader);

	p->conn.socket = SOCKET_WRITABLE;
	if (err == 0)
		err = sp_go_on(p->rt, 0, write_main, p, &p->conn.writer);
	return err;
}

static void task_end(struct sp_task *task)
{
	if (task->fiber != NULL) {
		sp_cancel(*task);
		sp_join(*task, NULL);
	}
	*task = (struct sp_task){ 0 };
}

void publisher_socket_io_stop(struct publisher *p)
{
	sp_shield_begin();
	task_end(&p->conn.reader);
	task_end(&p->conn.writer);
	sp_shield_end();
}
