/* key_json.h - a key schema as requests and descriptions of tables have it. */
#ifndef GRAMME_MODEL_KEY_JSON_H
#define GRAMME_MODEL_KEY_JSON_H

#include "model/table.h"
#include "json/writer.h"

/* The member KeySchema: HASH attributes first, then RANGE attributes. */
void key_schema_write(struct json_writer *json, const struct key_schema *keys);

#endif
