/*
 * collector/ingest/port_owner.h - which process listens at an address already
 *
 * Read from /proc when a bind failed, so that the operator is told whom to
 * stop. It is a hint: the other process may end meanwhile, and descriptors of
 * other users cannot be read.
 *
 * Threads	Any. Blocks for as long as reading /proc takes.
 */
#ifndef COLLECTOR_INGEST_PORT_OWNER_H
#define COLLECTOR_INGEST_PORT_OWNER_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
