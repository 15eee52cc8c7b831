/*
 * collector/base/json_fields.h - described values as JSON
 *
 * Writes the fields that src/bmp describes (bmp/field_writer.h) as members of
 * the object that is open in @j.
 */
#ifndef COLLECTOR_BASE_JSON_FIELDS_H
#define COLLECTOR_BASE_JSON_FIELDS_H

#include "collector/base/json.h"
#include "bmp/field_writer.h"

struct field_writer json_fields(struct json *j);

#endif
