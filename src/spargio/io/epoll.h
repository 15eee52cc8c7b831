/*
 * spargio/io/epoll.h - the back end of a shard on epoll and the blocking pool
 */
#ifndef SPARGIO_IO_EPOLL_H
#define SPARGIO_IO_EPOLL_H

#include "spargio/sched/backend.h"

extern const struct sp__backend sp__backend_epoll;

#endif
