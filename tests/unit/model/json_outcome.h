/* json_outcome.h - what comes of an attribute value in JSON, as text. Included after cmocka.h.
 *
 * It is the JSON written from what was built, or "S <text>" for a SerializationException, "V
 * <text>" for a bare ValidationException, "R <text>" for one that counts as request level. */
#ifndef GRAMME_TESTS_JSON_OUTCOME_H
#define GRAMME_TESTS_JSON_OUTCOME_H

#include "model/limits.h"
#include "model/value_json.h"

enum kind { ITEM, VALUE, MEMBER };

struct outcome {
    struct arena arena;
    struct buffer flat;
    struct buffer text;
    enum value_fault_kind fault;
};

static inline void outcome_release(struct outcome *outcome) {
    arena_release(&outcome->arena);
    buffer_release(&outcome->flat);
    buffer_release(&outcome->text);
}

static inline void print_error_outcome(struct outcome *outcome, const struct error *error) {
    assert_true(error->code == ERROR_SERIALIZATION || error->code == ERROR_VALIDATION);
    const char *kind = error->code == ERROR_SERIALIZATION ? "S" : error->request_level ? "R" : "V";
    buffer_append_text(&outcome->text, kind);
    if (slice_present(error->message)) {
        buffer_append_byte(&outcome->text, ' ');
        buffer_append_slice(&outcome->text, error->message);
    }
}

static inline void read_json(struct outcome *outcome, enum kind kind, enum value_layer layer,
                             struct slice json) {
    arena_init(&outcome->arena);
    buffer_init(&outcome->flat, 1 << 25);
    buffer_init(&outcome->text, 1 << 25);
    struct json_reader reader;
    json_reader_init(&reader, json, &outcome->arena);
    json_next(&reader);
    struct value_builder builder;
    value_builder_init(&builder, &outcome->flat, &outcome->arena);
    struct value_fault fault = {.layer = layer};
    struct error *error = kind == ITEM    ? item_read_json(&reader, &builder, &fault)
                          : kind == VALUE ? value_read_json(&reader, &builder, &fault)
                                          : value_member_read_json(&reader, &builder, &fault);
    outcome->fault = fault.kind;
    assert_int_equal(fault.error != NULL, fault.kind != VALUE_FAULT_NONE);
    if (error != NULL) {
        print_error_outcome(outcome, error);
        return;
    }
    /* Whatever was wrong with it, what was built is a well-formed value. */
    struct value value = value_builder_finish(&builder, &outcome->arena);
    bool one_more = kind == ITEM || layer == VALUE_LAYER_OLDER;
    assert_true(value_check(value_slice(value), LIMIT_NESTING + one_more));
    if (fault.error != NULL) {
        print_error_outcome(outcome, fault.error);
        return;
    }
    assert_true(json_finish(&reader));
    struct json_writer writer;
    json_writer_init(&writer, &outcome->text);
    if (kind == ITEM)
        item_write_json(&writer, value);
    else
        value_write_json(&writer, value);
}

static inline void check_text(struct outcome *outcome, struct slice json, const char *expected) {
    struct slice text = buffer_slice(&outcome->text);
    if (!slice_is(text, expected))
        print_error("%.*s\n  gives    %.*s\n  expected %s\n", SLICE_ARGS(json), SLICE_ARGS(text),
                    expected);
    assert_true(slice_is(text, expected));
}

static inline void check(enum kind kind, enum value_layer layer, const char *json,
                         const char *expected) {
    struct outcome outcome;
    read_json(&outcome, kind, layer, slice_text(json));
    check_text(&outcome, slice_text(json), expected);
    outcome_release(&outcome);
}

struct example {
    const char *json;
    const char *expected; /* NULL: the same as the input */
};

static inline void check_all(enum kind kind, enum value_layer layer, const struct example *cases,
                             size_t count) {
    for (size_t i = 0; i < count; i++)
        check(kind, layer, cases[i].json,
              cases[i].expected == NULL ? cases[i].json : cases[i].expected);
}

#define CHECK_ALL(kind, layer, cases) \
    check_all(kind, layer, cases, sizeof(cases) / sizeof((cases)[0]))
#define PREFIX "One or more parameter values were invalid: "
#define NOT_NUMERIC "R The parameter cannot be converted to a numeric value: "

#endif
