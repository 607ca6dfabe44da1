/* fuzz_decode.c - requests of every operation, from JSON through decoding, the constraints, the
 * checks of the table operations, and the validation of the others with their expressions and
 * legacy parameters.
 *
 * The first line names the operation, after a plus sign with the older wording of errors inside
 * values; any other first byte chooses one. The rest is the JSON. Nothing may crash, an error
 * always has a type, and what has a text is not empty. A definition that passes CreateTable's
 * checks can be made into key schemas. */
#include "fuzz.h"
#include "ops/op.h"
#include "ops/table/create_table.h"
#include "ops/table/table_keys.h"
#include "ops/table/update_table.h"

static const struct op *op_at(uint8_t choice) {
    const struct op_listing *list;
    size_t count = op_list(&list), present = 0;
    for (size_t i = 0; i < count; i++)
        present += list[i].op != NULL;
    size_t wanted = choice % present;
    for (size_t i = 0; i < count; i++)
        if (list[i].op != NULL && wanted-- == 0)
            return list[i].op;
    return NULL;
}

static bool passes(const struct error *error) {
    if (error == NULL)
        return true;
    CHECK(error_kind(error->code)->type != NULL);
    CHECK(!slice_present(error->message) || error->message.len > 0);
    return false;
}

static void check_create(struct arena *arena, const struct create_table_request *request) {
    if (!passes(create_table_check(arena, request, 0)))
        return;
    struct definitions definitions = definitions_of(arena, &request->attribute_definitions);
    struct key_schema keys = key_schema_of(&request->key_schema, &definitions);
    CHECK(keys.hash_count == 1 && keys.range_count <= 1);
}

static void check_update(struct arena *arena, const struct update_table_request *request) {
    if (!passes(update_table_check(arena, request)))
        return;
    struct table_definition definition = {.name = SLICE_LITERAL("abc"),
                                          .billing = BILLING_PAY_PER_REQUEST,
                                          .on_demand = UNITS_UNSET,
                                          .warm = UNITS_UNSET};
    struct table_update update = {request, SLICE_LITERAL("arn:key"), 1700000000000};
    struct update_outcome outcome;
    passes(update_table_apply(arena, &update, &definition, &outcome));
}

/* What the operation checks before it looks for its table; it needs no engine for that. */
static void check_call(struct arena *arena, const struct op *op, enum value_layer layer,
                       void *request) {
    struct op_context context = {0};
    struct op_call call = {
        .op = op, .context = &context, .arena = arena, .request = request, .layer = layer};
    passes(op->validate(&call));
    if (op->release != NULL)
        op->release(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *line_end = size == 0 ? NULL : memchr(data, '\n', size);
    if (line_end == NULL)
        return 0;
    struct slice line = slice_of(data, (size_t)(line_end - data));
    bool older = slice_starts_with(line, SLICE_LITERAL("+"));
    enum value_layer layer = older ? VALUE_LAYER_OLDER : VALUE_LAYER_CURRENT;
    const struct op *op = op_find(slice_skip(line, older));
    if (op == NULL)
        op = op_at(data[0]);
    CHECK(op != NULL);
    struct arena arena;
    arena_init(&arena);
    void *request = arena_zalloc(&arena, op->input->size);
    struct slice json = slice_skip(slice_of(data, size), line.len + 1);
    bool current = layer == VALUE_LAYER_CURRENT;
    if (passes(fields_decode(&arena, json, op->input, &layer, request)) &&
        passes(fields_check(&arena, op->input, current && layer == VALUE_LAYER_OLDER, request))) {
        if (strcmp(op->name, "CreateTable") == 0)
            check_create(&arena, request);
        if (strcmp(op->name, "UpdateTable") == 0)
            check_update(&arena, request);
        if (op->validate != NULL && !(op->flags & OP_CONTROL))
            check_call(&arena, op, layer, request);
    }
    arena_release(&arena);
    return 0;
}
