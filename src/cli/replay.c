/*
 * arancini replay - send captured BMP sessions to a collector
 *
 * Files are read into memory first, so that many routers can replay the same
 * session at once without waiting for a disk.
 */
#include "capture/recording.h"
#include "cli/command.h"
#include "cli/xalloc.h"
#include "cli/number.h"
#include "cli/options.h"
#include "cli/bmp_senders.h"
#include "cli/bmp_target.h"
#include "load/random.h"

#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PIECE	     (256u * 1024)
#define CHUNK_RANDOM SIZE_MAX
#define CHUNK_POWERS 15 /* random sizes are up to 16 KiB, most are small */
#define MILLION	     1000000u

struct replay {
	struct target target;
	const char *target_name;
	bool raw;
	bool spread;
	/* speed in millionths of the recorded speed; 0 = maximum */
	uint64_t speed;
	uint64_t max_pause_ns; /* limit for pauses, in recorded time */
	size_t chunk;	       /* bytes per write; 0 = up to PIECE */
	uint64_t seed;
	uint32_t copies;
	uint32_t loops; /* 0 = without end */

	struct capture_recording *recordings;
	size_t recording_count;
	const struct capture_track **tracks;
	size_t track_count;

	struct sessions sessions;
	uint64_t sent;
	uint64_t total; /* bytes of all sessions in one loop */
	int64_t began;
};

/* State of one session. */
struct player {
	struct replay *replay;
	const struct capture_track *track;
	int fd;
	size_t at;
	size_t mark; /* index of the next mark */
	/* recorded time of the last mark reached, with limited pauses */
	uint64_t due_ns;
	int64_t began;
	struct load_random random;
};

/* Playing */

/*
 * The recorded time between @mark and the one before it, at most max_pause_ns.
 */
static uint64_t pause_before(const struct player *p, size_t mark)
{
	const struct capture_mark *marks = p->track->marks;
	uint64_t ns = marks[mark].ns - (mark > 0 ? marks[mark - 1].ns : 0);

	return ns < p->replay->max_pause_ns ? ns : p->replay->max_pause_ns;
}

static int64_t scaled_ns(const struct player *p, uint64_t real_ns)
{
	return (int64_t)((unsigned __int128)real_ns * MILLION /
			 p->replay->speed);
}

/*
 * Wait until the next mark is due; *@end is the position up to which the track
 * may then be sent. Yields.
 */
static int wait_due(struct player *p, size_t *end)
{
	const struct capture_track *track = p->track;
	int64_t now;
	int err = 0;

	p->due_ns += pause_before(p, p->mark);
	now = sp_now();
	if (p->began + scaled_ns(p, p->due_ns) > now)
		err = sp_sleep_until(p->began + scaled_ns(p, p->due_ns));
	if (err < 0)
		return err;
	p->mark++;
	/* Other marks may have become due meanwhile. */
	now = sp_now();
	while (p->mark < track->mark_count &&
	       p->began + scaled_ns(p, p->due_ns + pause_before(p, p->mark)) <=
		       now)
		p->due_ns += pause_before(p, p->mark++);
	*end = p->mark < track->mark_count ? track->marks[p->mark].at
					   : track->len;
	return 0;
}

static size_t next_chunk(struct player *p)
{
	size_t chunk = p->replay->chunk;

	if (chunk == 0)
		return PIECE;
	if (chunk != CHUNK_RANDOM)
		return chunk;
	return 1 + load_random_below(&p->random,
				     1u << load_random_below(&p->random,
							     CHUNK_POWERS));
}

/* Send the whole track; -EINTR if a signal came. Yields. */
static int play_track(struct player *p)
{
	struct replay *r = p->replay;
	size_t end = p->track->len;
	int err = 0;

	while (p->at < p->track->len && err == 0) {
		if (r->speed != 0)
			err = wait_due(p, &end);
		while (p->at < end && err == 0) {
			size_t n = next_chunk(p);

			if (n > end - p->at)
				n = end - p->at;
			if (r->sessions.stop)
				return -EINTR;
			err = sp_send_all(p->fd, p->track->bytes + p->at, n);
			if (err < 0)
				break;
			p->at += n;
			r->sent += n;
		}
	}
	return err;
}

/* Connect, replay, close. Returns whether to continue. Yields. */
static bool play_once(struct player *p, uint32_t index)
{
	struct replay *r = p->replay;
	int err = target_dial(&r->target, index, &p->fd);

	if (err < 0) {
		sessions_complain(&r->sessions, index,
				  "cannot connect to %s: %s", r->target_name,
				  strerror(-err));
		return false;
	}
	p->at = 0;
	p->mark = 0;
	p->due_ns = 0;
	p->began = sp_now();
	err = play_track(p);
	if (err == 0)
		err = target_hang_up(p->fd);
	else
		close(p->fd);
	if (err == -EINTR)
		sessions_complain(&r->sessions, index,
				  "interrupted after %zu of %zu bytes", p->at,
				  p->track->len);
	else if (err < 0)
		sessions_complain(&r->sessions, index,
				  "%s closed the session early, after about "
				  "%zu of %zu bytes: %s",
				  r->target_name, p->at, p->track->len,
				  strerror(-err));
	return err == 0 && !r->sessions.stop;
}

static void run_session(void *ctx, uint32_t index)
{
	struct replay *r = ctx;
	struct player p = {
		.replay = r,
		.track = r->tracks[index % r->track_count],
		.random = load_random_fork(r->seed, index),
	};

	for (uint32_t i = 0; r->loops == 0 || i < r->loops; i++)
		if (!play_once(&p, index)) /* yields */
			break;
}

static void show_progress(void *ctx)
{
	struct replay *r = ctx;
	double seconds = (double)(sp_now() - r->began) / 1e9;
	double megabytes = (double)r->sent / 1e6;

	if (r->loops == 0 || r->total == 0)
		progress_show(&r->sessions.progress, "%.1f MB, %.1f MB/s",
			      megabytes, megabytes / seconds);
	else
		progress_show(&r->sessions.progress,
			      "%.0f %%, %.1f MB, %.1f MB/s",
			      100.0 * (double)r->sent /
				      ((double)r->total * r->loops),
			      megabytes, megabytes / seconds);
}

/* Files */

static void add_tracks(struct replay *r, const struct capture_recording *from)
{
	r->tracks = memory_must(
		realloc(r->tracks, (r->track_count + from->count + 1) *
					   sizeof(struct capture_track *)));
	for (size_t i = 0; i < from->count; i++) {
		r->tracks[r->track_count++] = from->tracks[i];
		r->total += from->tracks[i]->len * r->copies;
	}
}

/*
 * Read a file into memory. Returns the exit code; if the file is damaged, the
 * readable part is kept.
 */
static int read_file(struct replay *r, const char *path)
{
	struct capture_recording *recording =
		&r->recordings[r->recording_count++];
	struct capture_source *source;
	int err = capture_source_open(path, &source);

	if (err < 0) {
		fprintf(stderr, "arancini replay: %s: %s\n", path,
			strerror(-err));
		return EXIT_FAILURE;
	}
	err = r->raw ? capture_recording_read_raw(recording, source)
		     : capture_recording_read(recording, source);
	capture_source_close(source);
	if (err < 0)
		fprintf(stderr, "arancini replay: %s: %s\n", path,
			recording->error[0] != '\0' ? recording->error
						    : strerror(-err));
	add_tracks(r, recording);
	return err < 0 ? EXIT_FAILURE : 0;
}

static int play_files(struct replay *r, char **paths, size_t count)
{
	uint64_t sessions;
	int code = 0;

	r->recordings = memory_must(calloc(count, sizeof(*r->recordings)));
	for (size_t i = 0; i < count; i++)
		code |= read_file(r, paths[i]);
	sessions = (uint64_t)r->track_count * r->copies;
	if (sessions > 0) {
		r->sessions = (struct sessions){
			.command = "replay",
			.count = (uint32_t)sessions,
			.run = run_session,
			.show = show_progress,
			.ctx = r,
		};
		r->began = sp_now();
		code |= sessions_run(&r->sessions);
		fprintf(stderr,
			"arancini replay: %.1f MB in %u sessions, "
			"%.2f s\n",
			(double)r->sent / 1e6, r->sessions.count,
			(double)(sp_now() - r->began) / 1e9);
	}
	for (size_t i = 0; i < count; i++)
		capture_recording_fini(&r->recordings[i]);
	free(r->recordings);
	free(r->tracks);
	return code;
}

/* Options */

static enum option_status set_speed(const struct option_value *v)
{
	uint64_t *speed = &((struct replay *)v->field)->speed;

	if (strcmp(v->text, "max") == 0)
		*speed = 0;
	else if (strcmp(v->text, "real") == 0)
		*speed = MILLION;
	else
		return option_status_of(
			number_millionths(v->text, v->row->max, speed) &&
			*speed > 0);
	return OPTION_ACCEPTED;
}

static enum option_status set_max_pause(const struct option_value *v)
{
	struct replay *r = v->field;
	uint64_t microseconds;

	if (!number_millionths(v->text, v->row->max, &microseconds))
		return OPTION_INVALID;
	r->max_pause_ns = microseconds * 1000;
	return OPTION_ACCEPTED;
}

static enum option_status set_chunk(const struct option_value *v)
{
	struct replay *r = v->field;
	uint64_t bytes;

	if (strcmp(v->text, "random") == 0) {
		r->chunk = CHUNK_RANDOM;
		return OPTION_ACCEPTED;
	}
	if (!number_count(v->text, v->row->max, &bytes) || bytes == 0)
		return OPTION_INVALID;
	r->chunk = bytes;
	return OPTION_ACCEPTED;
}

/* clang-format off */
static const struct option_row rows[] = {
	{ "to", .argument = "HOST:PORT", .help = "the collector",
	  OPTION_TEXT(struct replay, target_name) },
	{ "raw", .help = "send each FILE as it is, whatever is in it",
	  OPTION_FLAG(struct replay, raw) },
	{ "speed", .argument = "HOW",
	  .help = "max, as fast as it goes (default); real, as it was\n"
		  "recorded; or N times as fast",
	  OPTION_SET(set_speed), .max = UINT64_C(1000000) * MILLION },
	{ "max-pause", .argument = "SECONDS",
	  .help = "no pause is longer in real time; default 60",
	  OPTION_SET(set_max_pause), .max = UINT64_C(86400) * 366 * MILLION },
	{ "chunk", .argument = "N|random",
	  .help = "bytes in one write; default: as many as there are",
	  OPTION_SET(set_chunk), .max = 1u << 30 },
	{ "seed", .argument = "N", .help = "of the random chunks; default 1",
	  OPTION_COUNT(struct replay, seed, UINT64_MAX) },
	{ "sessions", .argument = "N",
	  .help = "play each session N times at the same time",
	  OPTION_COUNT32(struct replay, copies, 1000000), .min = 1 },
	{ "spread-sources",
	  .help = "each from an address of its own, 127.1.0.1 and up;\n"
		  "HOST must be in 127/8",
	  OPTION_FLAG(struct replay, spread) },
	{ "loop", .argument = "N",
	  .help = "play N times, one after the other; 0: for ever",
	  OPTION_COUNT32(struct replay, loops, UINT32_MAX) },
	OPTION_HELP_ROW,
	OPTION_ROWS_END,
};

static const struct option_section sections[] = {
	{ .rows = rows, .column = 21 },
	OPTION_SECTIONS_END,
};

static const struct command_line line = {
	.command = "replay",
	.usage =
"Usage: arancini replay [OPTION]... FILE... --to HOST:PORT\n"
"Play captured BMP sessions back at a collector.\n"
"\n"
"A FILE is a raw BMP stream, which is sent byte by byte as it is, or a pcap\n"
"or pcapng file, each BMP session of which is played by a router of its\n"
"own; gzip, bzip2, xz and zstd are recognised by content. \"-\" is standard\n"
"input. All sessions of all files are played at the same time.\n"
"\n",
	.sections = sections,
	.has_operands = true,
	.notes =
"\n"
"Exit status: 0 if all was sent, 1 if the collector could not be reached or\n"
"closed early, or a file is damaged (what can be read is played), 2 for\n"
"wrong usage.\n",
};
/* clang-format on */

int replay_main(int argc, char **argv)
{
	struct replay r = {
		.max_pause_ns = UINT64_C(60) * 1000000000,
		.seed = 1,
		.copies = 1,
		.loops = 1,
	};
	struct operands files;
	int code;

	if (!options_read(&line, argc, argv, &r, &files))
		return files.exit_code;
	if (files.count == 0)
		return options_misuse(&line, "which file?", "");
	if (r.target_name == NULL)
		return options_misuse(&line,
				      "to which collector? --to HOST:PORT", "");
	code = target_init(&r.target, "replay", r.target_name, r.spread);
	if (code != 0)
		return code;
	return play_files(&r, files.words, (size_t)files.count);
}
