/*
 * bench/nats_server.h - a nats-server of one's own
 *
 * A real one, on a free port, with JetStream and its file store in /var/tmp.
 * It ends with the program, however that ends. What cannot be had ends the
 * program with a sentence.
 */
#ifndef BENCH_BROKER_H
#define BENCH_BROKER_H

#include <nats/nats.h>

#include <stdbool.h>
#include <sys/types.h>

#define BROKER_PATH 64

struct broker {
	pid_t pid;
	char dir[BROKER_PATH];
	char url[BROKER_PATH];
};

/* Whether there is one on this machine; if not, says so once on stderr. */
bool broker_exists(void);

void broker_start(struct broker *s);
void broker_stop(struct broker *s);

natsConnection *broker_connect(const struct broker *s);

/* A stream of all subjects below "arancini", made and removed. */
void broker_add_stream(jsCtx *js, const char *name);
void broker_drop_stream(const struct broker *s, const char *name);

/* User and system time of the server, in seconds. */
double broker_cpu(const struct broker *s);

#endif
