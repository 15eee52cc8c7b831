/*
 * collector/reload.h - read the configuration again, and have it hold
 *
 *	SIGHUP --> load --> compare --> keep what needs a restart --> workers
 *		    |
 *		    `-- a mistake: said, and all stays as it was
 *
 * Every option that changed is logged by its name, and those that cannot be
 * changed while running are named as such.
 *
 * Threads	The one that started the collector.
 */
#ifndef COLLECTOR_RELOAD_H
#define COLLECTOR_RELOAD_H

struct collector;
struct config;
struct log;
struct reload_read;

struct reload {
	/* Where the configuration comes from, see config_load(). */
	int argc;
	char *const *argv;
	char *const *env;
	const struct config *config; /* in force */
	struct reload_read *read;    /* those that were read since the start */
};

/* @config is what the collector started with; it must outlive this. */
void reload_init(struct reload *r, int argc, char *const *argv,
		 char *const *env, const struct config *config);

/* When the collector has stopped. */
void reload_fini(struct reload *r);

/* 0, or -errno with the reason logged. r->config is what holds now. */
int reload_run(struct reload *r, struct collector *c, struct log *log);

#endif
