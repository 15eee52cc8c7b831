/*
 * attributes.h - the path attributes that a route may or may not have
 */
#ifndef TESTS_ATTRIBUTES_H
#define TESTS_ATTRIBUTES_H

#include "bmp/attr.h"

#include <stdint.h>

static const uint8_t optional_attributes[] = {
	BGP_MED,
	BGP_LOCAL_PREF,
	BGP_ATOMIC_AGGREGATE,
	BGP_AGGREGATOR,
	BGP_COMMUNITIES,
	BGP_ORIGINATOR_ID,
	BGP_CLUSTER_LIST,
	BGP_EXT_COMMUNITIES,
	BGP_LARGE_COMMUNITIES,
	BGP_IPV6_EXT_COMMUNITIES,
	BGP_OTC,
};

#endif
