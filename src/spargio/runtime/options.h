/*
 * spargio/runtime/options.h - the options of a runtime with all defaults filled
 * in
 */
#ifndef SPARGIO_RUNTIME_OPTIONS_H
#define SPARGIO_RUNTIME_OPTIONS_H

#include <spargio/options.h>

/*
 * Combine @given (or NULL) with the environment and the defaults. -EINVAL for
 * an invalid value.
 */
int sp__options_fill(const struct sp_opts *given, struct sp_opts *out);

/* True if @given, or the environment, asks for a simulation. */
bool sp__options_simulated(const struct sp_opts *given);

/* The number of CPUs that this process may use. */
uint32_t sp__cpus_available(void);

#endif
