/*
 * Reads and writes the socket of the connection: the reader fiber waits until
 * the socket can be read, the writer fiber until it can be written. Both fibers
 * exist as long as the connection.
 *
 * So one thread sends messages, receives acknowledgements and runs the turns of
 * main. Main writes at the end of its turn; the writer writes the bytes that
 * the socket did not take then, and bytes that threads of libnats have put into
 * the buffer.
 *
 * Main sends nothing while the socket is SOCKET_BLOCKED, so the buffer of
 * libnats does not grow. With TLS the state is never SOCKET_BLOCKED: a write in
 * libnats blocks until the socket takes the bytes, up to the write deadline,
 * and this thread blocks in it.
 */
#include "egress/publisher/publisher_internal.h"

#include <spargio/sync.h>

void publisher_socket_io_wake(void *arg)
{
	struct publisher *p = arg;

	(void)sp_sem_post(&p->conn.write_wake);
}

static int read_main(void *arg)
{
	struct publisher *p = arg;

	while (!nats_conn_lost(p->conn.link) &&
	       nats_conn_wait_readable(p->conn.link) == 0) /* yields */
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
			    nats_conn_wait_writable(p->conn.link) < 0)
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
	int err = sp_go_on(p->rt, p->shard, read_main, p, &p->conn.reader);

	p->conn.socket = SOCKET_WRITABLE;
	if (err == 0)
		err = sp_go_on(p->rt, p->shard, write_main, p, &p->conn.writer);
	return err;
}

void publisher_task_end(struct sp_task *task)
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
	publisher_task_end(&p->conn.reader);
	publisher_task_end(&p->conn.writer);
	sp_shield_end();
}
