/*
 * cli/bmp_target.h - the collector that a made-up or recorded router talks to
 *
 * A collector tells routers apart by their addresses, so many routers from one
 * host need many: with spread, router @index comes from 127.1.0.1 + @index.
 */
#ifndef CLI_BMP_TARGET_H
#define CLI_BMP_TARGET_H

#include <spargio/address.h>

struct target {
	struct sp_addr to;
	bool spread;
};

/*
 * Read the HOST:PORT that @command was given with --to, and ask for the
 * address of a name; blocks. 0, or the exit code: it has said what is wrong.
 */
int target_init(struct target *target, const char *command, const char *text,
		bool spread);

/* Connect as router @index. *@out is a descriptor. Yields. */
int target_dial(const struct target *target, uint32_t index, int *out);

/*
 * Everything was sent: say so, wait until the collector has taken it all and
 * closed its side (a while, if it does not), close. -ECONNRESET if it closed
 * without having read everything. Yields.
 */
int target_hang_up(int fd);

#endif
