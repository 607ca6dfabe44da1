/* apply.c - `gramme apply`: makes tables what a template says.
 *
 * Everything is read and planned before anything is changed: a mistake in the template, or a change
 * that would lose data, leaves all tables as they are. The plan and the outputs go to standard
 * output, warnings and errors to standard error. */
#include "cli/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cli/command.h"

enum { STATUS_FINE = 0, STATUS_FAILED = 1, STATUS_WRONG = 2 };

struct apply {
    struct arena arena;
    struct apply_options options;
    struct service service;
    struct template *template;
    struct wanted_table *tables;
    struct plan *plans; /* by table */
    size_t count;
};

static int failed(const struct error *error, int status) {
    fflush(stdout);
    fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
    return status;
}

/* ---- the template ---- */

static struct error *read_file(struct apply *apply, struct slice *ret_text) {
    const char *name = apply->options.file;
    bool is_stream = strcmp(name, "-") == 0;
    FILE *file = is_stream ? stdin : fopen(name, "rb");
    if (file == NULL)
        return error_new(&apply->arena, ERROR_VALIDATION, "%s: %s", name, strerror(errno));
    /* One byte more than allowed shows that it is too long. */
    char *text = arena_alloc(&apply->arena, TEMPLATE_BYTES_MAX + 1);
    size_t len = fread(text, 1, TEMPLATE_BYTES_MAX + 1, file);
    bool broken = ferror(file) != 0;
    int why = errno;
    if (!is_stream)
        fclose(file);
    if (broken)
        return error_new(&apply->arena, ERROR_VALIDATION, "%s: %s", name, strerror(why));
    *ret_text = slice_of(text, len);
    return NULL;
}

/* The outputs are worked out once before anything happens, so that mistakes in them show. */
static struct error *load(struct apply *apply) {
    struct slice text;
    struct template_output *outputs;
    size_t output_count;
    TRY(read_file(apply, &text));
    TRY(template_load(&apply->arena, &apply->options.template, text, &apply->template));
    TRY(template_tables(apply->template, &apply->tables, &apply->count));
    TRY(template_outputs(apply->template, &outputs, &output_count));
    for (size_t i = 0; i < apply->template->notice_count; i++)
        fprintf(stderr, "%.*s\n", SLICE_ARGS(apply->template->notices[i]));
    return NULL;
}

/* ---- the plan ---- */

static void learn(struct wanted_table *table, const struct found_table *found) {
    table->resource->arn = found->arn;
    table->resource->stream_arn = found->stream_arn;
}

/* An error of the service, at the table in the template. */
static struct error *at_table(struct apply *apply, const struct wanted_table *table,
                              const struct error *error) {
    return template_error(apply->template, table->resource->mark, "%.*s",
                          SLICE_ARGS(error->message));
}

static struct error *make_plans(struct apply *apply) {
    apply->plans = ARENA_ARRAY(&apply->arena, struct plan, apply->count + 1);
    for (size_t i = 0; i < apply->count; i++) {
        struct wanted_table *table = &apply->tables[i];
        struct found_table *found = ARENA_NEW(&apply->arena, struct found_table);
        bool there = false;
        struct error *error = service_describe(&apply->service, &table->state, found, &there);
        if (error != NULL)
            return at_table(apply, table, error);
        table_plan(&apply->arena, table, there ? found : NULL, &apply->plans[i]);
        if (there)
            learn(table, found);
    }
    return NULL;
}

static void show_plan(const struct apply *apply) {
    for (size_t i = 0; i < apply->count; i++) {
        const struct plan *plan = &apply->plans[i];
        for (size_t k = 0; k < plan->line_count; k++) {
            printf("%.*s\n", SLICE_ARGS(plan->lines[k]));
            if (k == 0 && apply->tables[i].resource->name_made && plan->action == PLAN_CREATE)
                printf("    named after the stack: the template gives %.*s no TableName\n",
                       SLICE_ARGS(apply->tables[i].resource->id));
        }
    }
    fflush(stdout);
}

static size_t count_steps(const struct apply *apply) {
    size_t count = 0;
    for (size_t i = 0; i < apply->count; i++)
        count += apply->plans[i].step_count;
    return count;
}

/* True when nothing stands in the way of the plan; else it says what. */
static bool check_losses(struct apply *apply) {
    bool fine = true;
    for (size_t i = 0; i < apply->count; i++) {
        const struct plan *plan = &apply->plans[i];
        struct slice file = apply->template->document.name;
        struct mark mark = apply->tables[i].resource->mark;
        for (size_t k = 0; !apply->options.allow_data_loss && k < plan->loss_count; k++) {
            fprintf(stderr, "%.*s:%u:%u: refused: %.*s; --allow-data-loss does it\n",
                    SLICE_ARGS(file), mark.line, mark.column, SLICE_ARGS(plan->losses[k]));
            fine = false;
        }
        if (!slice_present(plan->forbidden))
            continue;
        fprintf(stderr, "%.*s:%u:%u: refused: %.*s\n", SLICE_ARGS(file), mark.line, mark.column,
                SLICE_ARGS(plan->forbidden));
        fine = false;
    }
    return fine;
}

/* ---- carrying it out ---- */

static struct error *carry_out(struct apply *apply, size_t at) {
    struct wanted_table *table = &apply->tables[at];
    const struct plan *plan = &apply->plans[at];
    struct slice name = table->state.definition.name;
    for (size_t i = 0; i < plan->step_count; i++) {
        printf("%.*s ...", SLICE_ARGS(plan->steps[i].doing));
        fflush(stdout);
        struct error *error = service_carry_out(&apply->service, name, &plan->steps[i]);
        puts(error == NULL ? " done" : " failed");
        if (error != NULL)
            return at_table(apply, table, error);
    }
    if (plan->step_count == 0)
        return NULL;
    struct found_table found;
    bool there = false;
    struct error *error = service_describe(&apply->service, &table->state, &found, &there);
    if (error != NULL)
        return at_table(apply, table, error);
    if (there)
        learn(table, &found);
    return NULL;
}

static struct error *carry_out_all(struct apply *apply) {
    size_t counts[] = {
        [PLAN_NOTHING] = 0, [PLAN_CREATE] = 0, [PLAN_CHANGE] = 0, [PLAN_REPLACE] = 0};
    printf("\n");
    for (size_t i = 0; i < apply->count; i++) {
        TRY(carry_out(apply, i));
        counts[apply->plans[i].action]++;
    }
    printf("\n%zu created, %zu changed, %zu replaced, %zu unchanged\n", counts[PLAN_CREATE],
           counts[PLAN_CHANGE], counts[PLAN_REPLACE], counts[PLAN_NOTHING]);
    return NULL;
}

static struct error *show_outputs(struct apply *apply) {
    struct template_output *outputs;
    size_t count, width = 0;
    TRY(template_outputs(apply->template, &outputs, &count));
    for (size_t i = 0; i < count; i++)
        width = outputs[i].name.len > width ? outputs[i].name.len : width;
    if (count > 0)
        printf("\nOutputs\n");
    for (size_t i = 0; i < count; i++)
        printf("  %.*s%*s  %.*s\n", SLICE_ARGS(outputs[i].name), (int)(width - outputs[i].name.len),
               "", outputs[i].known ? (int)outputs[i].value.len : (int)strlen("(not known here)"),
               outputs[i].known ? (const char *)outputs[i].value.data : "(not known here)");
    return NULL;
}

/* ---- the command ---- */

static int run_plan(struct apply *apply) {
    struct error *error = make_plans(apply);
    if (error != NULL)
        return failed(error, STATUS_FAILED);
    show_plan(apply);
    bool fine = check_losses(apply);
    if (!fine && !apply->options.dry_run)
        return STATUS_FAILED;
    if (count_steps(apply) == 0)
        printf("Nothing to do: %zu table%s as the template says\n", apply->count,
               apply->count == 1 ? " is" : "s are");
    else if (!apply->options.dry_run)
        error = carry_out_all(apply);
    if (error == NULL)
        error = show_outputs(apply);
    return error == NULL ? STATUS_FINE : failed(error, STATUS_FAILED);
}

static int run(struct apply *apply) {
    struct error *error = load(apply);
    if (error != NULL)
        return failed(error, STATUS_WRONG);
    error = service_open(&apply->service, &apply->arena, &apply->options.service);
    int status = error == NULL ? run_plan(apply) : failed(error, STATUS_FAILED);
    service_close(&apply->service);
    return status;
}

int command_apply(int argc, char **argv) {
    struct apply apply = {.count = 0};
    arena_init(&apply.arena);
    int status = apply_parse(&apply.arena, argc, argv, &apply.options);
    if (status < 0)
        status = run(&apply);
    arena_release(&apply.arena);
    return status;
}
