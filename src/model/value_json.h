/* value_json.h - attribute values between JSON and their flat form, in one pass each way.
 *
 * Memory: errors, and texts that had to be unescaped, live in the reader's arena. */
#ifndef GRAMME_MODEL_VALUE_JSON_H
#define GRAMME_MODEL_VALUE_JSON_H

#include "base/error.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/value_builder.h"

/* The service words some errors in two ways: the older layer still answers BatchWriteItem, Scan and
 * the transactions. */
enum value_layer {
    VALUE_LAYER_CURRENT,
    VALUE_LAYER_OLDER,
};

/* What kind of rule was broken, for callers that report some kinds differently. */
enum value_fault_kind {
    VALUE_FAULT_NONE,
    VALUE_FAULT_SHAPE,     /* no datatype, or more than one */
    VALUE_FAULT_RULE,      /* an empty set, NULL that is not true */
    VALUE_FAULT_NUMBER,    /* also inside a set, and a set of numbers without any */
    VALUE_FAULT_DUPLICATE, /* set members */
    VALUE_FAULT_DEPTH,
    VALUE_FAULT_NAME, /* an empty or too long attribute name */
};

/* Reading an attribute value can fail in two ways that are reported at different times: the JSON
 * has the wrong shape (SerializationException, at once), or the value breaks one of the service's
 * rules (ValidationException, after other checks). The first broken rule is kept here while reading
 * goes on, so that the caller reports it when its turn comes. Start from zeroes and set the layer;
 * one fault may serve several values in a row. */
struct value_fault {
    enum value_layer layer; /* set by the caller */
    enum value_fault_kind kind;
    struct error *error; /* NULL: none so far */
};

/* Where the reader stands on a value's first token: reads one AttributeValue ({"S": "x"}), which is
 * an element of a list or a map, into the builder. A syntax error or wrong shape is returned; a
 * broken rule goes to `fault`, and something harmless is built in its place. A JSON null is an
 * absent value and not for these functions: the caller skips it. After an error the builder is of
 * no more use. */
struct error *value_read_json(struct json_reader *reader, struct value_builder *out,
                              struct value_fault *fault);
/* The same for a structure's member, which the service refuses with another text when it is no
 * object. */
struct error *value_member_read_json(struct json_reader *reader, struct value_builder *out,
                                     struct value_fault *fault);
/* A map from names to AttributeValues: an item, a key. */
struct error *item_read_json(struct json_reader *reader, struct value_builder *out,
                             struct value_fault *fault);

/* {"S":"x"} and {"pk":{"S":"x"},...} */
void value_write_json(struct json_writer *writer, struct value value);
void item_write_json(struct json_writer *writer, struct value item);

#endif
