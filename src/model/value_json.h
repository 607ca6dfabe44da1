/* value_json.h - attribute values between JSON and their flat form, in one pass each way. */
#ifndef GRAMME_MODEL_VALUE_JSON_H
#define GRAMME_MODEL_VALUE_JSON_H

#include "base/error.h"
#include "model/value_builder.h"
#include "json/reader.h"
#include "json/writer.h"

/* Reading an attribute value can fail in two ways that are reported at different times: the JSON
 * has the wrong shape (SerializationException, at once), or the value breaks one of the service's
 * rules (ValidationException, after other checks). The first broken rule is kept here while reading
 * goes on, so that the caller reports it when its turn comes. */
struct value_fault {
    struct error *error; /* NULL: none so far */
};

/* Where the reader stands on a value's first token: reads one AttributeValue ({"S": "x"}) into the
 * builder. A syntax error or wrong shape is returned; a broken rule goes to `fault`, and something
 * harmless is built in its place. */
struct error *value_read_json(struct json_reader *reader, struct value_builder *out,
                              struct value_fault *fault);
/* A map from names to AttributeValues: an item, a key. `member_type` is for the
 * SerializationException's text. */
struct error *item_read_json(struct json_reader *reader, struct value_builder *out,
                             struct value_fault *fault);

/* {"S":"x"} and {"pk":{"S":"x"},...} */
void value_write_json(struct json_writer *writer, struct value value);
void item_write_json(struct json_writer *writer, struct value item);

#endif
