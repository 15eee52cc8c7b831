/*
 * collector/ingest/port_owner.h - which process listens at an address already
 *
 * Read from /proc when a bind failed, so that the operator is told whom to
 * stop. It is a hint: the other process may end meanwhile. Descriptors of other
 * users cannot be read, nor those of a collector with --sandbox but by root,
 * and in the sandbox none but our own.
 *
 * Threads	Any. Blocks for as long as reading /proc takes.
 */
#ifndef COLLECTOR_INGEST_PORT_OWNER_H
#define COLLECTOR_INGEST_PORT_OWNER_H

#include <stdint.h>
#include <sys/types.h>

struct log_line;

enum port_owner_kind {
	PORT_OWNER_UNKNOWN, /* nobody, or not to be found out */
	PORT_OWNER_SELF,    /* this process, and no other */
	PORT_OWNER_OTHER,
};

struct port_owner {
	enum port_owner_kind kind;
	pid_t pid;     /* of OTHER; 0: not to be found out */
	char name[16]; /* its command; "": the same */
};

/* Who has a TCP listener that stands in the way of @address and @port. */
void port_owner_find(const uint8_t address[16], uint16_t port,
		     struct port_owner *out);

/* "pid" and "process", where they were found out. */
void port_owner_log(const struct port_owner *owner, struct log_line *line);

/* For the operator, when the port is taken. */
#define PORT_OWNER_HINT "another process has it: --listen ADDRESS:PORT"

#endif
