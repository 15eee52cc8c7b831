/*
 * spargio/waiters.h - part of the types of sync.h
 *
 * Who waits in them, in order of arrival. Nothing in it is for callers.
 */
#ifndef SPARGIO_WAITERS_H
#define SPARGIO_WAITERS_H

#include <stdatomic.h>
#include <stdbool.h>

struct sp_waiters {
	atomic_bool _locked;
	void *_list[5];
};

#endif
