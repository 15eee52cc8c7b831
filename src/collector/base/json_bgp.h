/*
 * collector/base/json_bgp.h - what routes carry, as members of a JSON object
 *
 * The names are those of the schema. What is not there is left out.
 */
#ifndef COLLECTOR_BASE_JSON_BGP_H
#define COLLECTOR_BASE_JSON_BGP_H

#include "collector/base/json.h"
#include "bmp/attr.h"

/* All but the next hop, which is not the attributes' alone. */
void json_bgp_attributes(struct json *j, const struct bgp_attrs *a);

/* "labels": of three bytes each, as in an NLRI. */
void json_bgp_labels(struct json *j, struct wire_view labels);

/* "routeDistinguisher" */
void json_bgp_rd(struct json *j, uint64_t rd);

#endif
