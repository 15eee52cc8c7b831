/*
 * spargio/io/uring.h - the back end of a shard on io_uring
 */
#ifndef SPARGIO_IO_URING_H
#define SPARGIO_IO_URING_H

#include "spargio/sched/backend.h"

extern const struct sp__backend sp__backend_uring;

#endif
