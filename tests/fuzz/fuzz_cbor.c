/* fuzz_cbor.c - any bytes as CBOR, and as a form: they are refused, or make a tree that is written
 * as CBOR and read again as itself. */
#include "fuzz.h"
#include "service/answer.h"
#include "service/cbor.h"
#include "service/form_tree.h"
#include "service/input.h"

enum { OUT_BYTES_MAX = 1 << 24 };

static void write_value(struct answer *answer, struct arena *arena, const char *name,
                        const struct json_value *value);

static void write_items(struct answer *answer, struct arena *arena,
                        const struct json_value *value) {
    bool object = value->kind == JSON_OBJECT_BEGIN;
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        write_value(answer, arena,
                    object ? (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(item->name)).data
                           : NULL,
                    item);
}

/* Numbers as texts: how they were written is not kept. */
static void write_value(struct answer *answer, struct arena *arena, const char *name,
                        const struct json_value *value) {
    bool container = value->kind == JSON_OBJECT_BEGIN || value->kind == JSON_ARRAY_BEGIN;
    if (container && answer->depth + 2 < ANSWER_DEPTH_MAX) {
        if (value->kind == JSON_OBJECT_BEGIN)
            answer_object(answer, name);
        else
            answer_list(answer, name);
        write_items(answer, arena, value);
        answer_end(answer);
    } else if (slice_present(value->text)) {
        answer_text(answer, name, value->text);
    } else {
        answer_bool(answer, name, value->kind == JSON_TRUE);
    }
}

static struct slice write_tree(struct arena *arena, const struct json_value *root) {
    CLEANUP(buffer_release) struct buffer out;
    struct answer answer;
    buffer_init(&out, OUT_BYTES_MAX);
    answer_init(&answer, ANSWER_CBOR, &out);
    write_items(&answer, arena, root);
    answer_finish(&answer);
    CHECK(!out.overflow);
    return arena_slice(arena, buffer_slice(&out));
}

static void try_tree(struct arena *arena, const struct json_value *root) {
    static const struct input_field fields[] = {
        INPUT("a", INPUT_TIME),
        INPUT("b", INPUT_LIST, .max = 2, .items = INPUT_NUMBER),
        INPUT("c", INPUT_INTEGER, .max = 7),
        INPUT("d", INPUT_TEXT, .words = "[x, y]"),
        INPUT_END,
    };
    const struct input_rules rules = {true, ERROR_VALIDATION};
    if (root == NULL || root->kind != JSON_OBJECT_BEGIN)
        return;
    struct error *error = input_check(arena, root, fields, &rules);
    CHECK(error == NULL || error->message.len > 0);
    struct slice once = write_tree(arena, root);
    const struct json_value *again = cbor_tree_read(arena, once);
    CHECK(again != NULL);
    CHECK(slice_equal(once, write_tree(arena, again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct form form;
    arena_init(&arena);
    try_tree(&arena, cbor_tree_read(&arena, slice_of(data, size)));
    if (form_read(&arena, slice_of(data, size), &form))
        try_tree(&arena, form_tree(&arena, &form));
    arena_release(&arena);
    return 0;
}
