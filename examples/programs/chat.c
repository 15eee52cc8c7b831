/*
 * A chat server: each line that a client sends goes to all other clients.
 *
 *	chat ADDRESS		for instance 127.0.0.1:7000; port 0: a free one
 *
 * A client has two fibers: one reads its lines, one writes what the others say.
 * Between them is a channel, and a client that does not read loses lines when
 * its channel is full. SIGTERM ends the server.
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 1024
#define BACKLOG_LINES  64

struct line {
	uint32_t len;
	char text[LINE_MAX_BYTES];
};

struct member {
	struct member *next;
	struct sp_chan *lines; /* what others said */
	int fd;
};

/* Sessions run on all shards: the lock may be held across a wait. */
struct room {
	struct sp_mutex lock;
	struct member *members;
	struct sp_signals *signals;
	int listener;
};

static int room_enter(struct room *room, struct member *member)
{
	int err = sp_mutex_lock(&room->lock); /* yields */

	if (err < 0)
		return err;
	member->next = room->members;
	room->members = member;
	return sp_mutex_unlock(&room->lock);
}

/* Also in a fiber that was cancelled. */
static void room_leave(struct room *room, struct member *member)
{
	struct member **at = &room->members;

	sp_shield_begin();
	(void)sp_mutex_lock(&room->lock); /* yields */
	while (*at != member)
		at = &(*at)->next;
	*at = member->next;
	(void)sp_mutex_unlock(&room->lock);
	sp_shield_end();
}

static int room_say(struct room *room, const struct member *from,
		    const struct line *line)
{
	int err = sp_mutex_lock(&room->lock); /* yields */

	if (err < 0)
		return err;
	for (struct member *m = room->members; m != NULL; m = m->next)
		if (m != from)
			(void)sp_chan_try_send(m->lines, line);
	return sp_mutex_unlock(&room->lock);
}

/* Until the channel is closed and empty. */
static int write_lines(void *arg)
{
	struct member *member = (struct member *)arg;
	struct line line;
	int err;

	while ((err = sp_chan_recv(member->lines, &line)) == 0) /* yields */
		if (sp_send_all(member->fd, line.text, line.len) < 0)
			break;
	return err;
}

static int read_lines(struct room *room, struct member *member,
		      struct sp_reader *reader)
{
	struct line line;
	char *text;
	size_t len;
	int err;

	while ((err = sp_reader_line(reader, &text, &len)) > 0) { /* yields */
		memcpy(line.text, text, len);
		line.text[len] = '\n';
		line.len = (uint32_t)len + 1;
		err = room_say(room, member, &line); /* yields */
		if (err < 0)
			break;
	}
	return err;
}

static int session(struct sp_conn *conn, void *arg)
{
	struct room *room = (struct room *)arg;
	struct member member = { NULL, NULL, conn->fd };
	struct sp_reader *reader = NULL;
	struct sp_task writer;
	/* A longer line is -EMSGSIZE and ends the session. */
	int err = sp_reader_new(conn->fd, LINE_MAX_BYTES - 1, &reader);

	if (err == 0)
		err = sp_chan_new(sizeof(struct line), BACKLOG_LINES,
				  &member.lines);
	if (err == 0)
		err = sp_go(write_lines, &member, &writer);
	if (err == 0) {
		err = room_enter(room, &member);
		if (err == 0) {
			err = read_lines(room, &member, reader);
			room_leave(room, &member);
		}
		sp_chan_close(member.lines);
		sp_shutdown(conn->fd, SHUT_RDWR); /* ends a send */
		sp_shield_begin();
		sp_join(writer, NULL); /* it uses what is on this stack */
		sp_shield_end();
	}
	sp_chan_free(member.lines);
	sp_reader_free(reader);
	return err;
}

static int serve(void *arg)
{
	struct room *room = (struct room *)arg;

	/* Until it is cancelled; the sessions are children of the runtime. */
	return sp_accept_loop(room->listener, SP_HOME_NEXT, NULL, session,
			      room);
}

static int body(void *arg)
{
	struct room *room = (struct room *)arg;
	struct sp_signal signal;
	struct sp_addr at;
	char text[SP_ADDR_TEXT];
	int err = sp_addr_local(room->listener, &at);

	if (err == 0)
		err = sp_go(serve, room, NULL);
	if (err < 0)
		return err;
	printf("listening on %s\n", sp_addr_format(&at, text));
	fflush(stdout);
	/* What is left when this returns is cancelled and waited for. */
	return sp_signals_wait(room->signals, &signal); /* yields */
}

int main(int argc, char **argv)
{
	static struct room room;
	struct sp_addr at;
	sigset_t set;
	int err = argc == 2 ? sp_addr_parse(argv[1], 0, &at) : -EINVAL;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (err == 0)
		err = sp_listen(&at, NULL, &room.listener);
	if (err == 0)
		err = sp_signals_new(&set, &room.signals);
	if (err == 0)
		err = sp_run(NULL, body, &room);
	if (err < 0)
		fprintf(stderr, "chat ADDRESS: %s\n", strerror(-err));
	return err < 0 ? 1 : 0;
}
