/* json_shape.h - JSON tokens taken as what the API declares, with the service's
 * SerializationExceptions.
 *
 * Each function looks at the reader's last token, the first one of a value. When that is of the
 * declared kind it succeeds, else the error has the text the service gives for the mismatch. A JSON
 * null is for the caller: it means absent everywhere. Memory: the reader's arena. */
#ifndef GRAMME_MODEL_JSON_SHAPE_H
#define GRAMME_MODEL_JSON_SHAPE_H

#include "base/error.h"
#include "json/reader.h"

/* Bad JSON: the service gives no text. */
struct error *shape_syntax_error(struct json_reader *reader);

/* A token that is no `type` of java.lang. */
struct error *shape_scalar_error(struct json_reader *reader, const char *type);

struct error *shape_string(struct json_reader *reader, struct slice *ret_text);
/* Also the strings true, 1, yes, false, 0 and no in any case. */
struct error *shape_bool(struct json_reader *reader, bool *ret_truth);
/* Base64, decoded. */
struct error *shape_blob(struct json_reader *reader, struct slice *ret_bytes);

struct error *shape_list(struct json_reader *reader);
/* `value_class` is the Java name of what the map holds, e.g.
 * "com.amazonaws.dynamodb.v20120810.AttributeValue". */
struct error *shape_map(struct json_reader *reader, const char *value_class);
/* A structure that is a member of another, or an element of a list or a map. */
struct error *shape_struct_member(struct json_reader *reader, const char *name);
struct error *shape_struct_element(struct json_reader *reader, const char *name);

#endif
