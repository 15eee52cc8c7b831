/*
 * spargio/runtime/options.h - the options of a runtime, every default filled in
 */
#ifndef SPARGIO_RUNTIME_OPTIONS_H
#define SPARGIO_RUNTIME_OPTIONS_H

#include <spargio/options.h>

/* Those @given (or NULL) and what the environment says; -EINVAL. */
int sp__options_fill(const struct sp_opts *given, struct sp_opts *out);

/* CPUs this process may use. */
uint32_t sp__cpus_available(void);

#endif
