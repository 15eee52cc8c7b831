/*
 * cli/doctor_broker.h - check how durable a broker's acknowledgements are
 */
#ifndef CLI_DOCTOR_BROKER_H
#define CLI_DOCTOR_BROKER_H

#include "cli/sysctl_profile.h"

#define DOCTOR_BROKER_CHECKS 2

/* Fill @out and return the number of checks. Waits for the network. */
size_t doctor_broker(const char *url, const char *stream,
		     struct tuning_check *out);

#endif
