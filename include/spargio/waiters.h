/*
 * spargio/waiters.h - part of the types of sync.h
 *
 * The queue of waiting fibers, in order of arrival. Not for callers.
 */
#ifndef SPARGIO_WAITERS_H
#define SPARGIO_WAITERS_H

#include <stdbool.h>

/*
 * C++ has no _Atomic. C++ code needs only the size of the type, which is the
 * same without _Atomic.
 */
#ifdef __cplusplus
#define SP__ATOMIC(type) type
#else
#define SP__ATOMIC(type) _Atomic(type)
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct sp_waiters {
	SP__ATOMIC(bool) _locked;
	void *_list[5];
};

#ifdef __cplusplus
}
#endif

#endif
