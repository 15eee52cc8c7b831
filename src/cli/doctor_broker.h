/*
 * cli/doctor_broker.h - what a broker's acknowledgements are worth
 */
#ifndef CLI_DOCTOR_BROKER_H
#define CLI_DOCTOR_BROKER_H

#include "cli/sysctl_profile.h"

#define DOCTOR_BROKER_CHECKS 2

/* Fills @out and returns how many. Waits for the network. */
size_t doctor_broker(const char *url, const char *stream,
		     struct tuning_check *out);

#endif
