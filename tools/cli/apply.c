/* apply.c - `gramme apply`: makes tables, and alarms and dashboards, what a template says.
 *
 * Everything is read and planned before anything is changed: a mistake in the template, or a change
 * that would lose data, leaves all tables as they are. The plan and the outputs go to standard
 * output, warnings and errors to standard error. */
#include "base/check.h"
#include "cli/apply_outputs.h"
#include "cli/apply_source.h"
#include "cli/apply_stacks.h"
#include "cli/apply_table.h"
#include "cli/apply_watch.h"
#include "cli/options.h"
#include "cli/say.h"
#include "template/item.h"
#include "template/load.h"
#include "template/scaled.h"

enum { STATUS_FINE = 0, STATUS_FAILED = 1, STATUS_WRONG = 2 };

struct apply_options {
    const char *file; /* - : standard input */
    struct option_pairs parameters;
    const char *stack;
    const char *endpoint; /* these may be NULL */
    const char *region;
    const char *stack_name;
    const char *account;
    bool dry_run;
    bool allow_data_loss;
    double timeout_s;
};

struct apply {
    struct arena *arena;
    const struct apply_options *options;
    const struct apply_stack *stack;
    const char *region;
    struct service service;
    struct template *template;
    struct wanted_table *tables;
    struct plan *plans; /* by table */
    size_t count;
    struct wanted_item *items;
    struct plan *item_plans;
    size_t item_count;
    struct service monitor; /* CloudWatch, opened when there are watches, as the next */
    struct service scaler;  /* Application Auto Scaling */
    struct wanted_watch *watches;
    struct plan *watch_plans;
    size_t watch_count;
};

static int failed(const struct error *error, int status) {
    fflush(stdout);
    say(stderr, "%.*s\n", SLICE_ARGS(error->message));
    return status;
}

/* ---- the template ---- */

static struct template_options choose_options(struct arena *arena,
                                              const struct apply_options *given,
                                              const struct apply_stack *stack) {
    size_t count = given->parameters.count;
    struct template_parameter *parameters =
        ARENA_ARRAY(arena, struct template_parameter, count + 1);
    for (size_t i = 0; i < count; i++)
        parameters[i] = (struct template_parameter){.name = given->parameters.pairs[i].name,
                                                    .value = given->parameters.pairs[i].value};
    return (struct template_options){
        .file = slice_text(strcmp(stack->file, "-") == 0 ? "stdin" : stack->file),
        .parameters = parameters,
        .parameter_count = count,
        .stack_name = given->stack_name == NULL ? stack->name : slice_text(given->stack_name),
        .stack_named = given->stack_name != NULL,
        .region = slice_text(service_region(given->region)),
        .account = slice_text(given->account),
    };
}

static struct error *read_stack(struct arena *arena, const struct apply_options *given,
                                struct apply_stack *stack) {
    struct template_surroundings *surroundings = ARENA_NEW(arena, struct template_surroundings);
    struct template_options options = choose_options(arena, given, stack);
    struct slice text;
    *surroundings = apply_surroundings(&stack->file);
    options.surroundings = surroundings;
    TRY(apply_read(arena, stack->file, &text));
    TRY(apply_check_kind(arena, stack->file, text));
    return template_load(arena, &options, text, &stack->template);
}

/* The outputs are worked out once before anything happens, so that mistakes in them show. */
static struct error *load(struct apply *apply) {
    struct template_output *outputs;
    size_t output_count;
    TRY(template_tables(apply->template, &apply->tables, &apply->count));
    TRY(template_items(apply->template, &apply->items, &apply->item_count));
    TRY(template_watches(apply->template, &apply->watches, &apply->watch_count));
    TRY(template_outputs(apply->template, &outputs, &output_count));
    for (size_t i = 0; i < apply->template->notice_count; i++)
        say(stderr, "%.*s\n", SLICE_ARGS(apply->template->notices[i]));
    return NULL;
}

/* Two stacks with the same table would undo each other: of stages, one at a time is meant. */
static struct error *check_apart(const struct apply *apply, const struct apply *earlier) {
    for (size_t i = 0; i < apply->count; i++)
        for (size_t k = 0; k < earlier->count; k++) {
            struct slice name = apply->tables[i].resource->name;
            if (slice_equal(earlier->tables[k].resource->name, name))
                return template_error(apply->template, apply->tables[i].resource->mark,
                                      "table %.*s is in stack %.*s, too; --stack takes one of them",
                                      SLICE_ARGS(name), SLICE_ARGS(earlier->stack->id));
        }
    return NULL;
}

/* ---- the plan ---- */

static void learn(struct wanted_table *table, const struct found_table *found) {
    table->resource->arn = found->arn;
    table->resource->stream_arn = found->stream_arn;
}

/* An error of the service, at the resource in the template. */
static struct error *at_resource(struct apply *apply, const struct template_resource *resource,
                                 const struct error *error) {
    return template_error(apply->template, resource->mark, "%.*s", SLICE_ARGS(error->message));
}

static struct error *make_plans(struct apply *apply) {
    apply->plans = ARENA_ARRAY(apply->arena, struct plan, apply->count + 1);
    for (size_t i = 0; i < apply->count; i++) {
        struct wanted_table *table = &apply->tables[i];
        struct found_table *found = ARENA_NEW(apply->arena, struct found_table);
        bool there = false;
        struct error *error = apply_describe(&apply->service, &table->state, found, &there);
        if (error != NULL)
            return at_resource(apply, table->resource, error);
        if (there)
            scaled_keep(apply->watches, apply->watch_count, &table->state.definition,
                        &found->state.definition);
        table_plan(apply->arena, table, there ? found : NULL, &apply->plans[i]);
        if (there)
            learn(table, found);
    }
    return NULL;
}

/* Items of a table that is made, or made anew, are not looked for. */
static bool is_made(const struct apply *apply, struct slice table) {
    bool made = false;
    for (size_t i = 0; i < apply->count; i++)
        if (slice_equal(apply->tables[i].state.definition.name, table))
            made = apply->plans[i].action == PLAN_CREATE || apply->plans[i].action == PLAN_REPLACE;
    return made;
}

static struct error *plan_items(struct apply *apply) {
    apply->item_plans = ARENA_ARRAY(apply->arena, struct plan, apply->item_count + 1);
    for (size_t i = 0; i < apply->item_count; i++) {
        const struct wanted_item *item = &apply->items[i];
        const struct json_value *found = NULL;
        struct error *error = NULL;
        if (!is_made(apply, item->table))
            error =
                service_call(&apply->service, "GetItem", request_item(apply->arena, item), &found);
        if (error == NULL)
            error = item_plan(apply->template, item, found, &apply->item_plans[i]);
        if (error != NULL)
            return at_resource(apply, item->resource, error);
    }
    return NULL;
}

/* A server that has tables only still gets these. */
static void skip_watches(struct apply *apply) {
    for (size_t i = 0; i < apply->watch_count; i++) {
        const struct template_resource *resource = apply->watches[i].resource;
        say(stderr,
            "%.*s: warning: %.*s (%.*s) is skipped: this server does not "
            "have it\n",
            SLICE_ARGS(document_place(&apply->template->document, resource->mark)),
            SLICE_ARGS(resource->id), SLICE_ARGS(resource->type));
    }
    apply->watch_count = 0;
}

static struct service *service_of(struct apply *apply, const struct wanted_watch *watch) {
    return watch_is_scaling(watch) ? &apply->scaler : &apply->monitor;
}

static struct error *plan_watches(struct apply *apply) {
    apply->watch_plans = ARENA_ARRAY(apply->arena, struct plan, apply->watch_count + 1);
    for (size_t i = 0; i < apply->watch_count; i++) {
        const struct wanted_watch *watch = &apply->watches[i];
        struct found_watch found;
        struct error *error = apply_find_watch(service_of(apply, watch), watch, &found);
        if (error != NULL && error->code == ERROR_UNKNOWN_OPERATION) {
            skip_watches(apply);
            return NULL;
        }
        if (error == NULL)
            error = watch_plan(apply->template, watch, &found, &apply->watch_plans[i]);
        if (error != NULL)
            return at_resource(apply, watch->resource, error);
    }
    return NULL;
}

static void show_plans(const struct plan *plans, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < plans[i].line_count; k++)
            say(stdout, "%.*s\n", SLICE_ARGS(plans[i].lines[k]));
}

static void show_plan(const struct apply *apply) {
    for (size_t i = 0; i < apply->count; i++) {
        const struct plan *plan = &apply->plans[i];
        for (size_t k = 0; k < plan->line_count; k++) {
            say(stdout, "%.*s\n", SLICE_ARGS(plan->lines[k]));
            if (k == 0 && apply->tables[i].resource->name_made && plan->action == PLAN_CREATE)
                say(stdout, "    named after the stack: the template gives %.*s no TableName\n",
                    SLICE_ARGS(apply->tables[i].resource->id));
        }
    }
    show_plans(apply->item_plans, apply->item_count);
    show_plans(apply->watch_plans, apply->watch_count);
    fflush(stdout);
}

static size_t count_steps(const struct apply *apply) {
    size_t count = 0;
    for (size_t i = 0; i < apply->count; i++)
        count += apply->plans[i].step_count;
    for (size_t i = 0; i < apply->item_count; i++)
        count += apply->item_plans[i].step_count;
    for (size_t i = 0; i < apply->watch_count; i++)
        count += apply->watch_plans[i].step_count;
    return count;
}

/* True when nothing stands in the way of the plan; else it says what. */
static bool check_losses(struct apply *apply) {
    bool fine = true;
    for (size_t i = 0; i < apply->count; i++) {
        const struct plan *plan = &apply->plans[i];
        struct slice place =
            document_place(&apply->template->document, apply->tables[i].resource->mark);
        for (size_t k = 0; !apply->options->allow_data_loss && k < plan->loss_count; k++) {
            say(stderr, "%.*s: refused: %.*s; --allow-data-loss does it\n", SLICE_ARGS(place),
                SLICE_ARGS(plan->losses[k]));
            fine = false;
        }
        if (!slice_present(plan->forbidden))
            continue;
        say(stderr, "%.*s: refused: %.*s\n", SLICE_ARGS(place), SLICE_ARGS(plan->forbidden));
        fine = false;
    }
    return fine;
}

/* ---- carrying it out ---- */

/* What sets nothing in motion that is waited for. */
static struct error *carry_out_calls(struct apply *apply, struct service *service,
                                     const struct template_resource *resource,
                                     const struct plan *plan) {
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct json_value *reply;
        say(stdout, "%.*s ...", SLICE_ARGS(plan->steps[i].doing));
        fflush(stdout);
        struct error *error =
            service_call(service, plan->steps[i].operation, plan->steps[i].body, &reply);
        puts(error == NULL ? " done" : " failed");
        if (error != NULL)
            return at_resource(apply, resource, error);
    }
    return NULL;
}

static struct error *carry_out(struct apply *apply, size_t at) {
    struct wanted_table *table = &apply->tables[at];
    const struct plan *plan = &apply->plans[at];
    struct slice name = table->state.definition.name;
    for (size_t i = 0; i < plan->step_count; i++) {
        say(stdout, "%.*s ...", SLICE_ARGS(plan->steps[i].doing));
        fflush(stdout);
        struct error *error = apply_step(&apply->service, name, &plan->steps[i]);
        puts(error == NULL ? " done" : " failed");
        if (error != NULL)
            return at_resource(apply, table->resource, error);
    }
    if (plan->step_count == 0)
        return NULL;
    struct found_table found;
    bool there = false;
    struct error *error = apply_describe(&apply->service, &table->state, &found, &there);
    if (error != NULL)
        return at_resource(apply, table->resource, error);
    if (there)
        learn(table, &found);
    return NULL;
}

static struct error *carry_out_all(struct apply *apply) {
    size_t counts[] = {
        [PLAN_NOTHING] = 0, [PLAN_CREATE] = 0, [PLAN_CHANGE] = 0, [PLAN_REPLACE] = 0};
    say(stdout, "\n");
    for (size_t i = 0; i < apply->count; i++) {
        TRY(carry_out(apply, i));
        counts[apply->plans[i].action]++;
    }
    for (size_t i = 0; i < apply->item_count; i++) {
        TRY(carry_out_calls(apply, &apply->service, apply->items[i].resource,
                            &apply->item_plans[i]));
        counts[apply->item_plans[i].action]++;
    }
    for (size_t i = 0; i < apply->watch_count; i++) {
        const struct wanted_watch *watch = &apply->watches[i];
        TRY(carry_out_calls(apply, service_of(apply, watch), watch->resource,
                            &apply->watch_plans[i]));
        counts[apply->watch_plans[i].action]++;
    }
    say(stdout, "\n%zu created, %zu changed, %zu replaced, %zu unchanged\n", counts[PLAN_CREATE],
        counts[PLAN_CHANGE], counts[PLAN_REPLACE], counts[PLAN_NOTHING]);
    return NULL;
}

/* ---- the command ---- */

static void say_nothing_to_do(const struct apply *apply) {
    size_t others = apply->item_count + apply->watch_count, count = apply->count + others;
    say(stdout, "Nothing to do: %zu %s%s as the template says\n", count,
        others == 0 ? "table" : "resource", count == 1 ? " is" : "s are");
}

/* Of several stacks it is told which one is meant. */
static void say_stack(const struct apply *apply) {
    if (slice_present(apply->stack->id))
        say(stdout, "Stack %.*s\n", SLICE_ARGS(apply->stack->id));
}

/* What there is to do; false when it must not be done. */
static struct error *prepare(struct apply *apply, bool *ret_fine) {
    TRY(make_plans(apply));
    TRY(plan_items(apply));
    TRY(plan_watches(apply));
    say_stack(apply);
    show_plan(apply);
    *ret_fine = check_losses(apply);
    return NULL;
}

static struct error *finish(struct apply *apply, bool alone) {
    if (!alone)
        say_stack(apply);
    if (count_steps(apply) == 0)
        say_nothing_to_do(apply);
    else if (!apply->options->dry_run)
        TRY(carry_out_all(apply));
    return apply_show_outputs(apply->template);
}

static struct error *connect(struct apply *apply) {
    struct service_options service = {.endpoint = apply->options->endpoint,
                                      .region = apply->region,
                                      .timeout_s = apply->options->timeout_s,
                                      .progress = stdout};
    TRY(service_open(&apply->service, apply->arena, &service));
    if (apply->watch_count == 0)
        return NULL;
    service.signing_name = "monitoring";
    TRY(service_open(&apply->monitor, apply->arena, &service));
    service.signing_name = "application-autoscaling";
    return service_open(&apply->scaler, apply->arena, &service);
}

/* All stacks are planned before one is carried out. */
static int run_plans(struct apply *applies, size_t count) {
    bool fine = true;
    struct error *error = NULL;
    for (size_t i = 0; error == NULL && i < count; i++) {
        bool this_fine = true;
        error = connect(&applies[i]);
        if (error == NULL)
            error = prepare(&applies[i], &this_fine);
        fine = fine && this_fine;
    }
    if (error == NULL && !fine && !applies[0].options->dry_run)
        return STATUS_FAILED;
    for (size_t i = 0; error == NULL && i < count; i++)
        error = finish(&applies[i], count == 1);
    return error == NULL ? STATUS_FINE : failed(error, STATUS_FAILED);
}

static int run(struct apply *applies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct error *error = load(&applies[i]);
        for (size_t k = 0; error == NULL && k < i; k++)
            error = check_apart(&applies[i], &applies[k]);
        if (error != NULL)
            return failed(error, STATUS_WRONG);
    }
    int status = run_plans(applies, count);
    for (size_t i = 0; i < count; i++) {
        service_close(&applies[i].service);
        service_close(&applies[i].monitor);
        service_close(&applies[i].scaler);
    }
    return status;
}

static int run_apply(const struct invocation *invocation) {
    const struct apply_options *options = invocation->values;
    struct apply_stack *stacks;
    size_t count;
    struct error *error =
        apply_find_stacks(invocation->arena, options->file, options->stack, &stacks, &count);
    if (error == NULL && count > 1 &&
        (options->parameters.count > 0 || options->stack_name != NULL))
        error = error_local(invocation->arena,
                            "%s has %zu stacks: --param and --stack-name need --stack",
                            options->file, count);
    for (size_t i = 0; error == NULL && i < count; i++)
        error = read_stack(invocation->arena, options, &stacks[i]);
    if (error != NULL)
        return failed(error, STATUS_WRONG);
    apply_add_nested(invocation->arena, &stacks, &count);
    struct apply *applies = ARENA_ARRAY(invocation->arena, struct apply, count);
    for (size_t i = 0; i < count; i++) {
        applies[i] = (struct apply){
            .arena = invocation->arena,
            .options = options,
            .stack = &stacks[i],
            .region = service_region(options->region),
            .template = stacks[i].template,
        };
    }
    return run(applies, count);
}

/* ---- what it takes ---- */

static bool is_stack_name(const char *text) {
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    size_t len = strspn(text, characters);
    return text[len] == '\0' && len <= STACK_NAME_MAX;
}

#define AT(member) OPTION_AT(struct apply_options, member)

static const struct argument apply_arguments[] = {
    {"TEMPLATE", "YAML or JSON, - is standard input; or a folder that CDK made", OPTION_FILE,
     AT(file)},
    {.name = NULL},
};

static const struct option apply_options[] = {
    {"dry-run", .kind = OPTION_FLAG, AT(dry_run), .help = "only show the plan"},
    {"allow-data-loss", .kind = OPTION_FLAG, AT(allow_data_loss),
     .help = "also do what loses data: replace a table, remove an index, end a stream or "
             "point-in-time recovery"},
    {"endpoint", "URL", .kind = OPTION_TEXT, AT(endpoint), .otherwise = SERVICE_ENDPOINT_DEFAULT,
     .help = "server to talk to"},
    {"region", "NAME", .kind = OPTION_TEXT, AT(region), .otherwise = SERVICE_REGION_DEFAULT,
     .help = "region"},
    {"timeout", "SECONDS", .kind = OPTION_SECONDS, AT(timeout_s), .decimal = {1, 604800},
     .preset = "3600", .help = "longest wait for a table or index to become ACTIVE"},
    {"param", "KEY=VALUE", .group = "What the template leaves open", .kind = OPTION_PAIRS,
     AT(parameters),
     .help = "value of a parameter of the template, or of an option that a serverless.yml asks "
             "for; may be "
             "given several times"},
    {"account-id", "ID", .kind = OPTION_TEXT, AT(account), .form = {"12 digits", option_is_account},
     .preset = ACCOUNT_PRESET, .help = "what AWS::AccountId stands for"},
    {"stack", "NAME", .kind = OPTION_TEXT, AT(stack),
     .help = "the only stack of a folder of CDK that is wanted"},
    {"stack-name", "NAME", .kind = OPTION_TEXT, AT(stack_name),
     .form = {"up to 128 letters, digits and -", is_stack_name},
     .otherwise = "the template's file name",
     .help = "what AWS::StackName stands for, and the first part of the names of tables without "
             "TableName"},
    {.name = NULL},
};

const struct command command_apply = {
    .name = "apply",
    .summary =
        "make tables from a CloudFormation or SAM template, serverless.yml, Terraform or CDK",
    .about = "Makes and changes tables, alarms and dashboards so that they are as the "
             "CloudFormation or SAM template says, or the one within a serverless.yml, or a plan "
             "of Terraform (terraform show -json). Shows its "
             "plan first, changes only what "
             "differs, and does nothing the second "
             "time.",
    .closing = "Exit status: 0 fine, 1 failed or refused, 2 wrong arguments or a wrong template.",
    .arguments = apply_arguments,
    .options = apply_options,
    .values_size = sizeof(struct apply_options),
    .run = run_apply,
};
