/* fuzz_template.c - any text as a template, loaded, resolved and planned; what follows a NUL is the
 * service's answer about each of its tables, and any file that it takes in.
 *
 * Nothing may crash or run away, whatever is refused is refused with a text, and every request of a
 * plan is well-formed JSON. */
#include <stdlib.h>

#include "fuzz.h"
#include "json/reader.h"
#include "template/item.h"
#include "template/load.h"
#include "template/plan.h"

static bool refused(const struct error *error) {
    CHECK(error == NULL || error->message.len > 0);
    return error != NULL;
}

static void check_plan(struct arena *arena, const struct plan *plan) {
    CHECK(plan->line_count > 0);
    CHECK((plan->action == PLAN_NOTHING) == (plan->step_count == 0));
    for (size_t i = 0; i < plan->step_count; i++) {
        struct json_reader reader;
        json_reader_init(&reader, plan->steps[i].body, arena);
        CHECK(json_finish(&reader));
        CHECK(plan->steps[i].body.data[plan->steps[i].body.len] == '\0');
    }
}

static void plan_all(struct arena *arena, struct template *t, struct slice answer) {
    struct wanted_table *tables;
    struct found_table found;
    size_t count;
    if (refused(template_tables(t, &tables, &count)))
        return;
    const struct json_value *tree =
        slice_present(answer) ? json_tree_read(arena, answer, NULL) : NULL;
    struct table_answers answers = {.table = tree,
                                    .ttl = tree,
                                    .backups = tree,
                                    .policy = json_find(tree, "Policy") == NULL ? NULL : tree,
                                    .tags = {tree, tree},
                                    .insights = {tree}};
    bool there = tree != NULL && !refused(table_answers_read(arena, &answers, &found));
    for (size_t i = 0; i < count; i++) {
        struct plan plan;
        table_plan(arena, &tables[i], NULL, &plan);
        check_plan(arena, &plan);
        if (there && !slice_is(found.status, "DELETING")) {
            table_plan(arena, &tables[i], &found, &plan);
            check_plan(arena, &plan);
        }
    }
}

static void plan_items(struct arena *arena, struct template *t, struct slice answer) {
    struct wanted_item *items;
    struct plan plan;
    size_t count;
    if (refused(template_items(t, &items, &count)))
        return;
    const struct json_value *tree =
        slice_present(answer) ? json_tree_read(arena, answer, NULL) : NULL;
    for (size_t i = 0; i < count; i++)
        if (!refused(item_plan(t, &items[i], tree, &plan)))
            check_plan(arena, &plan);
}

static struct slice find_variable(void *context, struct arena *arena, struct slice name) {
    (void)context;
    (void)arena;
    return name;
}

static struct slice find_file(void *context, struct arena *arena, struct slice path) {
    (void)arena;
    (void)path;
    return *(const struct slice *)context;
}

static void run(struct arena *arena, struct slice text, struct slice answer, size_t given) {
    const struct template_parameter parameter = {.name = SLICE_LITERAL("Env"),
                                                 .value = SLICE_LITERAL("prod")};
    const struct template_surroundings surroundings = {&answer, find_variable, find_file};
    struct template_options options = {.file = SLICE_LITERAL("t"),
                                       .parameters = &parameter,
                                       .parameter_count = given,
                                       .stack_name = SLICE_LITERAL("stack"),
                                       .region = SLICE_LITERAL("us-east-1"),
                                       .account = SLICE_LITERAL("000000000000"),
                                       .surroundings = &surroundings};
    struct template *t;
    struct template_output *outputs;
    size_t count;
    if (refused(template_load(arena, &options, text, &t)))
        return;
    plan_all(arena, t, answer);
    plan_items(arena, t, answer);
    if (!refused(template_outputs(t, &outputs, &count)))
        for (size_t i = 0; i < count; i++)
            CHECK(!outputs[i].known || slice_present(outputs[i].value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    /* Copies of their own, so that reading past the end is seen. */
    const uint8_t *nul = size == 0 ? NULL : memchr(data, '\0', size);
    size_t text_size = nul == NULL ? size : (size_t)(nul - data);
    size_t answer_size = nul == NULL ? 0 : size - text_size - 1;
    uint8_t *text = malloc(text_size + 1), *answer = malloc(answer_size + 1);
    CHECK(text != NULL && answer != NULL);
    memcpy(text, data, text_size);
    if (answer_size > 0)
        memcpy(answer, nul + 1, answer_size);
    struct slice about = nul == NULL ? SLICE_NONE : slice_of(answer, answer_size);
    for (size_t given = 0; given < 2; given++)
        run(&arena, slice_of(text, text_size), about, given);
    free(text);
    free(answer);
    arena_release(&arena);
    return 0;
}
