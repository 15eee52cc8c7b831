/*
 * The simulated back end.
 *
 * An operation on a socket is tried immediately. If the socket is not ready,
 * the operation waits for a change of the socket, as in the epoll back end. An
 * operation on a file, directory or path happens at a later virtual time. In
 * both cases the fiber gets the result in a later turn of its shard.
 */
#include "spargio/sim/backend.h"
#include "spargio/io/sys.h"
#include "spargio/sim/disk.h"
#include "spargio/sim/file.h"
#include "spargio/sim/world.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static struct sp__sim_shard *io_of(struct sp_shard *shard)
{
	return shard->io;
}

static int sim_open(struct sp_shard *shard)
{
	(void)shard; /* shard->io is set by runtime/sim_host.c */
	return 0;
}

static void sim_leave(struct sp_shard *shard)
{
	(void)shard;
}

static void sim_close(struct sp_shard *shard)
{
	shard->io = NULL;
}

static void refuse_op(struct sp__op *op)
{
	char what[32];

	snprintf(what, sizeof(what), "operation %u", op->sqe.opcode);
	sp__sim_complete(op, sp__sim_refuse(what));
}

/* Start an operation whose execution depends on the type of its descriptor. */
static void start_on_file(struct sp_sim_host *host, struct sp__op *op)
{
	struct sp__sim_file *file = sp__sim_fd_get(host, op->sqe.fd);

	if (file == NULL && op->sqe.fd >= 0 && op->sqe.fd < SP__SIM_FD_BASE)
		sp__sim_complete(op,
				 sp__sim_refuse("descriptor of the kernel"));
	else if (file == NULL)
		sp__sim_complete(op, -EBADF);
	else if (S_ISSOCK(file->kind->mode) ||
		 op->sqe.opcode == IORING_OP_POLL_ADD)
		sp__sim_file_try(file, op);
	else
		sp__sim_disk_start(host, op);
}

/*
 * Operations whose descriptor is looked up first: a socket executes them
 * (attempt_socket()), any other file by the table of disk.c.
 */
static const bool on_descriptor[256] = {
	[IORING_OP_POLL_ADD] = true, [IORING_OP_READ] = true,
	[IORING_OP_READV] = true,    [IORING_OP_WRITE] = true,
	[IORING_OP_WRITEV] = true,   [IORING_OP_RECV] = true,
	[IORING_OP_RECVMSG] = true,  [IORING_OP_SEND] = true,
	[IORING_OP_SENDMSG] = true,  [IORING_OP_ACCEPT] = true,
	[IORING_OP_CONNECT] = true,
};

bool sp__sim_knows(uint8_t opcode)
{
	return opcode == IORING_OP_NOP || opcode == IORING_OP_CLOSE ||
	       on_descriptor[opcode] || sp__sim_disk_knows(opcode);
}

static void sim_start(struct sp_shard *shard, struct sp__op *op)
{
	struct sp_sim_host *host = io_of(shard)->host;
	uint8_t opcode = op->sqe.opcode;

	op->link = NULL;
	sp__sim_note(host->sim, host, "starts", opcode, (uint64_t)op->sqe.fd);
	if (!sp__sim_knows(opcode))
		refuse_op(op);
	else if (opcode == IORING_OP_NOP)
		sp__sim_complete(op, 0);
	else if (opcode == IORING_OP_CLOSE)
		sp__sim_complete(op, sp__sim_fd_close(host, op->sqe.fd));
	else if (on_descriptor[opcode])
		start_on_file(host, op);
	else
		sp__sim_disk_start(host, op);
}

/*
 * Cancel an operation that waits in a list. An operation on the disk is in no
 * list; it completes soon anyway.
 */
static void sim_cancel(struct sp_shard *shard, struct sp__op *op)
{
	(void)shard;
	if (op->link == NULL || op->done)
		return;
	sp__op_detach(op);
	sp__sim_complete(op, -ECANCELED);
}

static void sim_cancel_all(struct sp_shard *shard)
{
	struct sp_sim_host *host = io_of(shard)->host;

	for (uint32_t i = 0; i < host->nfds; i++)
		if (host->fds[i] != NULL)
			sp__sim_file_cancel(host->fds[i], shard);
}

static void complete_done_ops(struct sp_shard *shard)
{
	struct sp__sim_shard *io = io_of(shard);
	struct sp__op *op = io->done;

	io->done = NULL;
	io->done_tail = &io->done;
	while (op != NULL) {
		struct sp__op *next = op->next;

		sp__op_complete(shard, op, op->res, 0);
		op = next;
	}
}

static void sim_poll(struct sp_shard *shard)
{
	struct sp__sim_shard *io = io_of(shard);

	io->ready = true;
	sp__sim_leave(io);
	complete_done_ops(shard);
}

static bool sim_ready(struct sp_shard *shard)
{
	return io_of(shard)->done != NULL;
}

static void sim_wait(struct sp_shard *shard, int64_t deadline)
{
	struct sp__sim_shard *io = io_of(shard);

	io->ready = io->done != NULL;
	io->deadline = sp__sim_when(io->host, deadline);
	sp__sim_leave(io);
	io->deadline = SP_NEVER;
	complete_done_ops(shard);
}

static void sim_wakeup(struct sp_shard *from, struct sp_shard *target)
{
	struct sp__sim_shard *io = io_of(target);

	(void)from;
	io->ready = true;
	sp__sim_note(io->host->sim, io->host, "is woken", target->index, 0);
}

const struct sp__backend sp__backend_sim = {
	.name = "sim",
	.open = sim_open,
	.leave = sim_leave,
	.close = sim_close,
	.start = sim_start,
	.cancel = sim_cancel,
	.cancel_all = sim_cancel_all,
	.poll = sim_poll,
	.ready = sim_ready,
	.wait = sim_wait,
	.wakeup = sim_wakeup,
};
