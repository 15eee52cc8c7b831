#include "spargio/sim/file.h"
#include "spargio/io/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Descriptors */

static int grow_fds(struct sp_sim_host *host)
{
	uint32_t n = host->nfds == 0 ? 16 : 2 * host->nfds;
	struct sp__sim_file **grown;

	if (n > host->sim->opts.fds_max)
		n = host->sim->opts.fds_max;
	if (n <= host->nfds)
		return -EMFILE;
	grown = sp__sim_realloc(host->fds, n * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	memset(grown + host->nfds, 0, (n - host->nfds) * sizeof(*grown));
	host->fds = grown;
	host->nfds = n;
	return 0;
}

int sp__sim_fd_new(struct sp_sim_host *host, struct sp__sim_file *file)
{
	uint32_t i = 0;

	if (sp__sim_strikes(host->sim, SP__SIM_NETWORK, SP_SIM_NO_FDS)) {
		sp__sim_note(host->sim, host, "no descriptor", 0, 0);
		return -EMFILE;
	}
	while (i < host->nfds && host->fds[i] != NULL)
		i++;
	if (i == host->nfds) {
		int err = grow_fds(host);

		if (err < 0)
			return err;
	}
	host->fds[i] = file;
	return SP__SIM_FD_BASE + (int)i;
}

struct sp__sim_file *sp__sim_fd_get(const struct sp_sim_host *host, int fd)
{
	if (fd < SP__SIM_FD_BASE ||
	    (uint32_t)(fd - SP__SIM_FD_BASE) >= host->nfds)
		return NULL;
	return host->fds[fd - SP__SIM_FD_BASE];
}

int sp__sim_fd_close(struct sp_sim_host *host, int fd)
{
	struct sp__sim_file *file = sp__sim_fd_get(host, fd);

	if (file == NULL)
		return -EBADF;
	host->fds[fd - SP__SIM_FD_BASE] = NULL;
	sp__sim_file_cancel(file, NULL);
	file->kind->close(file, false);
	return 0;
}

void sp__sim_fds_drop(struct sp_sim_host *host, bool abrupt)
{
	for (uint32_t i = 0; i < host->nfds; i++) {
		struct sp__sim_file *file = host->fds[i];

		if (file == NULL)
			continue;
		host->fds[i] = NULL;
		/* The fibers that waited were freed with their operations. */
		file->waiting = NULL;
		file->kind->close(file, abrupt);
	}
	free(host->fds);
	host->fds = NULL;
	host->nfds = 0;
}

/* Operations */

static void wait_for_change(struct sp__sim_file *file, struct sp__op *op)
{
	struct sp__op **last = &file->waiting;

	while (*last != NULL)
		last = &(*last)->next;
	op->next = NULL;
	op->link = last;
	*last = op;
}

static int attempt_op(struct sp__sim_file *file, const struct io_uring_sqe *sqe)
{
	uint32_t events;

	if (sqe->opcode != IORING_OP_POLL_ADD)
		return file->kind->attempt(file, sqe);
	events = file->kind->events(file) &
		 (sqe->poll32_events | POLLERR | POLLHUP);
	return events == 0 ? -EAGAIN : (int)events;
}

void sp__sim_file_try(struct sp__sim_file *file, struct sp__op *op)
{
	int res = attempt_op(file, &op->sqe);

	if (res == -EAGAIN)
		wait_for_change(file, op);
	else
		sp__sim_complete(op, res);
}

void sp__sim_file_changed(struct sp__sim_file *file)
{
	struct sp__op *op = file->waiting;

	file->waiting = NULL;
	while (op != NULL) {
		struct sp__op *next = op->next;

		sp__sim_file_try(file, op);
		op = next;
	}
}

void sp__sim_file_cancel(struct sp__sim_file *file,
			 const struct sp_shard *shard)
{
	struct sp__op *op = file->waiting;

	while (op != NULL) {
		struct sp__op *next = op->next;

		if (shard == NULL || op->shard == shard) {
			sp__op_detach(op);
			sp__sim_complete(op, -ECANCELED);
		}
		op = next;
	}
}
