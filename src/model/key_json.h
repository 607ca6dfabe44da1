/* key_json.h - key schemas and projections as requests and descriptions of tables have them. */
#ifndef GRAMME_MODEL_KEY_JSON_H
#define GRAMME_MODEL_KEY_JSON_H

#include "model/table.h"
#include "json/writer.h"

/* The member KeySchema: HASH attributes first, then RANGE attributes. */
void key_schema_write(struct json_writer *json, const struct key_schema *keys);

/* The member Projection. */
void index_projection_write(struct json_writer *json, const struct table_index *index);

#endif
