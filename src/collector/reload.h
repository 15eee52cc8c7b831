/*
 * collector/reload.h - reload the configuration
 *
 *	SIGHUP --> load --> compare --> apply to the workers
 *		    |
 *		    `-- error: logged; the old configuration stays in force
 *
 * Every changed option is logged by its name. An option that can only change
 * with a restart keeps its old value, and the log line says so.
 *
 * Threads	The thread that started the collector.
 */
#ifndef COLLECTOR_RELOAD_H
#define COLLECTOR_RELOAD_H

struct collector;
struct config;
struct log;
struct reload_read;

struct reload {
	/* Sources of the configuration, see config_load(). */
	int argc;
	char *const *argv;
	char *const *env;
	const struct config *config; /* the configuration in force */
	struct reload_read *read;    /* configurations read since the start */
};

/*
 * Initialise @r. @config is the configuration with which the collector started;
 * it must outlive @r.
 */
void reload_init(struct reload *r, int argc, char *const *argv,
		 char *const *env, const struct config *config);

/* Free the configurations. Call it when the collector has stopped. */
void reload_fini(struct reload *r);

/*
 * Read the configuration again and apply it to @c. Returns 0, and r->config is
 * the new configuration; or -errno with the reason logged, and r->config is
 * unchanged. If a worker failed, some workers may use the new one already: both
 * are kept until the next reload that succeeds.
 */
int reload_run(struct reload *r, struct collector *c, struct log *log);

#endif
