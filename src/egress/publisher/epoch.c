/*
 * Every run of a collector that writes to the log has an epoch, a number that
 * is higher than those of all runs before.
 *
 * The number is the time of the start in milliseconds, so that it also grows
 * when a collector moves to another machine. The last number used is kept
 * beside the spool, so that a clock that was set back does no harm. If the
 * stream has the same or a higher epoch, the run uses the number after it
 * (connect.c).
 *
 * The second line of the file is the last epoch that was opened in a stream: if
 * a stream has a later epoch, a process with another folder has written to it.
 * Older versions neither write nor read that line.
 */
#include "egress/publisher/publisher_internal.h"

#include "egress/encode/encode_update.h"
#include "egress/journal/file_ops.h"

#include <spargio/file.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "epoch"
#define LINE_LEN  21 /* 20 digits and a newline */

static int make_path(const char *dir, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s/" FILE_NAME, dir) >= PATH_MAX
		       ? -ENAMETOOLONG
		       : 0;
}

/* The epoch file. -ENXIO if it is not a regular file. */
static int open_file(const char *dir, int flags)
{
	char path[PATH_MAX];
	int fd = make_path(dir, path);

	if (fd == 0)
		fd = sp_open_regular(AT_FDCWD, path, flags | O_CLOEXEC, 0640);
	return fd == -EISDIR ? -ENXIO : fd;
}

void publisher_epoch_explain(const char *dir, int err, struct nats_error *why)
{
	snprintf(why->text, sizeof(why->text), "%s/" FILE_NAME ": %s", dir,
		 err == -ENXIO	  ? "not a regular file"
		 : err == -ERANGE ? "an epoch beyond 48 bits, which is ignored"
				  : strerror(-err));
}

/*
 * Load the epochs; 0 if there is no file or no number in the line. -ERANGE if
 * the epoch after them would be above EPOCH_MAX; they are then 0.
 */
int publisher_epoch_load(const char *dir, struct publisher_epochs *out)
{
	int fd = open_file(dir, O_RDONLY);
	char text[2 * LINE_LEN + 1] = "";
	ssize_t n;

	*out = (struct publisher_epochs){ .used = 0 };
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	n = sp_pread_full(fd, text, 2 * LINE_LEN, 0);
	sp_close(fd);
	if (n < 0)
		return (int)n;
	if (n >= LINE_LEN)
		out->used = strtoull(text, NULL, 10);
	/*
	 * A file of an older version has only one number, of an epoch that the
	 * run used and opened.
	 */
	out->opened = n == 2 * LINE_LEN ? strtoull(text + LINE_LEN, NULL, 10)
					: out->used;
	if (out->used < EPOCH_MAX && out->opened < EPOCH_MAX)
		return 0;
	*out = (struct publisher_epochs){ .used = 0 };
	return -ERANGE;
}

/* Make the name of a file that was created safe. */
static int sync_folder(const char *dir)
{
	int fd =
		sp_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return fd;
	err = sp_fsync(fd);
	sp_close(fd);
	return err;
}

/*
 * Save the epochs by one small write in place: after a crash the file has the
 * old numbers or the new ones.
 */
int publisher_epoch_save(const char *dir, const struct publisher_epochs *epochs)
{
	char text[2 * LINE_LEN + 1];
	int err;
	int fd;

	err = file_make_dir(dir, 0750);
	if (err < 0)
		return err;
	fd = open_file(dir, O_WRONLY | O_CREAT);
	if (fd < 0)
		return fd;
	snprintf(text, sizeof(text), "%020" PRIu64 "\n%020" PRIu64 "\n",
		 epochs->used, epochs->opened);
	err = sp_pwrite_all(fd, text, 2 * LINE_LEN, 0);
	if (err == 0)
		err = sp_fdatasync(fd);
	sp_close(fd);
	return err < 0 ? err : sync_folder(dir);
}

void publisher_epoch_choose(struct publisher *p)
{
	uint64_t least = p->run.known_epoch + EPOCH_STEP;

	p->run.epoch = publisher_wall_ns() / 1000000;
	if (p->run.known_epoch != 0 && p->run.epoch < least)
		p->run.epoch =
			least < EPOCH_MAX ? least : p->run.known_epoch + 1;
	p->run.first_epoch = p->run.epoch;
}

size_t publisher_epoch_event(const struct publisher *p, uint64_t epoch,
			     uint8_t *out, size_t cap)
{
	static const struct rib_router_info nobody;
	struct rib_event event = {
		.kind = RIB_EVENT_EPOCH,
		.received_ns = publisher_wall_ns(),
		.router = &nobody,
	};
	struct egress_origin number = { p->options.collector, epoch };

	return egress_encode_event(&event, &number, out, cap);
}
