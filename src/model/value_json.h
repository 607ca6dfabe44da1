/* value_json.h - attribute values between JSON and their flat form, in one pass each way.
 *
 * Memory: errors, and texts that had to be unescaped, live in the reader's arena. */
#ifndef GRAMME_MODEL_VALUE_JSON_H
#define GRAMME_MODEL_VALUE_JSON_H

#include "base/error.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/value_builder.h"
#include "model/value_fault.h"

/* Where the reader stands on a value's first token: reads one AttributeValue ({"S": "x"}), which is
 * an element of a list or a map, into the builder. A syntax error or wrong shape is returned; a
 * broken rule goes to `fault`, and something harmless is built in its place. A JSON null breaks a
 * rule as an element, inside the value too. As the member of a structure it is an absent value, and
 * the caller skips it. After an error the builder is of no more use. In the older layer such a
 * value may be one level deeper than an attribute's. */
struct error *value_read_json(struct json_reader *reader, struct value_builder *out,
                              struct value_fault *fault);
/* The same for a structure's member, which the service refuses with another text when it is no
 * object. */
struct error *value_member_read_json(struct json_reader *reader, struct value_builder *out,
                                     struct value_fault *fault);
/* A map from names to AttributeValues: an item, a key. */
struct error *item_read_json(struct json_reader *reader, struct value_builder *out,
                             struct value_fault *fault);

/* {"S":"x"} and {"pk":{"S":"x"},...}. The bytes may be anything as long as their length is right,
 * and an item begins with the tag of a map: false when they are no value, and then what was written
 * is of no use. Who writes what was made here need not ask. */
bool value_write_json(struct json_writer *writer, struct value value);
bool item_write_json(struct json_writer *writer, struct value item);

#endif
