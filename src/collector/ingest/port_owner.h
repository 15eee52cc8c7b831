/*
 * collector/ingest/port_owner.h - find the process that listens at an address
 *
 * Read from /proc when a bind failed, so that the operator knows which process
 * to stop. It is a hint: the other process may end meanwhile. The descriptors
 * of other users, or of a collector with --sandbox, can be read only by root;
 * inside the sandbox only our own can.
 *
 * Threads	Any. Blocks for as long as reading /proc takes.
 */
#ifndef COLLECTOR_INGEST_PORT_OWNER_H
#define COLLECTOR_INGEST_PORT_OWNER_H

#include <stdint.h>
#include <sys/types.h>

struct log_line;

enum port_owner_kind {
	PORT_OWNER_UNKNOWN, /* there is none, or it was not found */
	PORT_OWNER_SELF,    /* only this process has the port */
	PORT_OWNER_OTHER,
};

struct port_owner {
	enum port_owner_kind kind;
	pid_t pid;     /* PORT_OWNER_OTHER: its pid; 0 = not found */
	char name[16]; /* name of its command; "" = not found */
};

/*
 * Find the process that has a TCP listener in conflict with @address and @port.
 */
void port_owner_find(const uint8_t address[16], uint16_t port,
		     struct port_owner *out);

/* Log "pid" and "process", if these were found. */
void port_owner_log(const struct port_owner *owner, struct log_line *line);

/* Advice for the operator if another process has the port. */
#define PORT_OWNER_HINT "another process has it: --listen ADDRESS:PORT"

#endif
