/*
 * cli/bmp_target.h - the collector to which a simulated or recorded router
 * connects
 *
 * A collector identifies routers by their addresses, so many routers on one
 * host need many addresses: with spread, router @index uses 127.1.0.1 + @index.
 */
#ifndef CLI_BMP_TARGET_H
#define CLI_BMP_TARGET_H

#include <spargio/address.h>

struct target {
	struct sp_addr to;
	bool spread;
};

/*
 * Parse the HOST:PORT of --to for @command, and resolve the name; blocks.
 * Returns 0, or the exit code after an error was printed.
 */
int target_init(struct target *target, const char *command, const char *text,
		bool spread);

/* Connect as router @index. *@out is a descriptor. Yields. */
int target_dial(const struct target *target, uint32_t index, int *out);

/*
 * Call it when everything was sent: shut down, wait until the collector has
 * read all and closed its side (with a timeout), and close @fd. -ECONNRESET if
 * the collector closed without reading everything. Yields.
 */
int target_hang_up(int fd);

#endif
