/*
 * collector/ingest/admission.h - decide whether a connection becomes a session
 *
 * Threads	The accepting shard.
 */
#ifndef COLLECTOR_INGEST_ADMISSION_H
#define COLLECTOR_INGEST_ADMISSION_H

#include "collector/ingest/connection.h"

/*
 * Apply --allow, --deny and the session limits to the source of @connection. If
 * it is admitted, its identity is looked for: see identify.h. Otherwise it is
 * counted, logged and closed. Takes the ownership of @connection. Returns 0, or
 * -EPERM if it was refused. Does not wait.
 */
int admission_admit(struct worker *w, struct connection *connection);

/*
 * Refuse a connection that has no slot in the limits: count, log, close. Returns
 * -EPERM.
 */
int admission_refuse(struct worker *w, int fd, const uint8_t address[16],
		     uint16_t port, enum close_reason why);

#endif
