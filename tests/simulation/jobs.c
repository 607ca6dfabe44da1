/* jobs.c - writes: alone, in batches and in transactions, with and without tokens.
 *
 * A job is answered in the order in which it was submitted, and the model runs it then: what the
 * engine said must be what the model says. A job that is answered with a failure of the store has
 * not happened, unless the store was lost in its commit: then it is kept until after the crash. */
#include "simulation/world.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/container.h"
#include "model/limits.h"

/* ---- making them ---- */

static struct model_item some_item(struct world *world) {
    struct chance *c = &world->chance;
    struct model_item item = {.there = true, .g = chance_below(c, 4), .l = chance_below(c, 5)};
    item.n = chance_below(c, 9);
    item.x = chance_once_in(c, 30) ? chance_below(c, MODEL_X_MAX) : chance_below(c, 3);
    static const int64_t lives_s[] = {-100, 0, 1, 2, 30, 3600, 200000};
    if (chance_once_in(c, 3))
        item.e = world_now_ms() / 1000 + lives_s[chance_below(c, 7)];
    return item;
}

static struct model_write some_write(struct world *world) {
    struct chance *c = &world->chance;
    static const enum model_action actions[] = {MODEL_PUT,    MODEL_PUT,   MODEL_PUT, MODEL_ADD,
                                                MODEL_ADD,    MODEL_SET,   MODEL_CUT, MODEL_EXPIRE,
                                                MODEL_DELETE, MODEL_DELETE};
    struct model_write write = {.key = chance_below(c, MODEL_KEYS),
                                .action = actions[chance_below(c, 10)],
                                .item = some_item(world)};
    write.item.n += write.action == MODEL_ADD;
    if (write.action == MODEL_SET) {
        write.item.g = 1 + chance_below(c, 3);
        write.item.x = 1 + chance_below(c, 9);
    }
    if (write.action == MODEL_EXPIRE && write.item.e == 0)
        write.item.e = world_now_ms() / 1000 + 5;
    if (chance_once_in(c, 4))
        write.condition = 1 + (enum model_condition)chance_below(c, 3);
    write.condition_n = 1 + chance_below(c, 8);
    return write;
}

static bool has_key(const struct world_job *job, int key) {
    for (int i = 0; i < job->count; i++)
        if (job->meant[i].key == key)
            return true;
    return false;
}

static void fill_transaction(struct world *world, struct world_job *job) {
    int wanted = 1 + chance_below(&world->chance, WORLD_WRITES_MAX);
    while (job->count < wanted) {
        struct model_write write = some_write(world);
        if (has_key(job, write.key))
            continue;
        if (chance_once_in(&world->chance, 5)) {
            write.action = MODEL_CHECK;
            write.condition = chance_once_in(&world->chance, 2) ? MODEL_EXISTS : MODEL_EXISTS_NOT;
        }
        job->meant[job->count++] = write;
    }
}

static bool is_under_way(const struct world *world, const struct world_token *token) {
    for (int i = 0; i < world->job_count; i++)
        if (world->jobs[i].token == token)
            return true;
    return false;
}

/* A new token, or one that was used: then for the same writes, or for others. */
static void choose_token(struct world *world, struct world_job *job) {
    struct world_token *token = &world->tokens[chance_below(&world->chance, WORLD_TOKENS_MAX)];
    if (is_under_way(world, token))
        return;
    job->token = token;
    if (token->end_ms > 0 && chance_once_in(&world->chance, 2)) {
        job->request = token->request + chance_once_in(&world->chance, 4);
        if (job->request == token->request) {
            memcpy(job->meant, token->writes, sizeof(job->meant));
            job->count = token->count;
        }
        return;
    }
    *token = (struct world_token){.end_ms = 0};
    snprintf(token->text, sizeof(token->text), "t%llu", (unsigned long long)++world->token_count);
}

/* ---- handing them over ---- */

static const char *const conditions[] = {NULL, "attribute_exists(pk)", "attribute_not_exists(pk)",
                                         "n = :c"};
static const char *const updates[] = {
    [MODEL_ADD] = "ADD n :n",
    [MODEL_SET] = "SET g = :g, x = :x",
    [MODEL_CUT] = "REMOVE g, l",
    [MODEL_EXPIRE] = "SET e = :e",
};

/* The value of an attribute of the item, under the name of a placeholder. */
static struct expr_placeholder placeholder(const char *key, struct value from, const char *name) {
    return (struct expr_placeholder){.key = slice_text(key),
                                     .value = value_map_find(from, slice_text(name))};
}

static const struct expr *bind(struct world *world, enum expr_kind kind, const char *text,
                               const struct model_write *write) {
    if (text == NULL)
        return NULL;
    struct arena *arena = &world->fixture.arena;
    char json[MODEL_TEXT_MAX];
    struct model_item given = write->item, compared = {.there = true, .n = write->condition_n};
    struct value item = fixture_item(&world->fixture, model_item_text(write->key, &given, json));
    struct value other =
        fixture_item(&world->fixture, model_item_text(write->key, &compared, json));
    struct expr_placeholder *values = ARENA_ARRAY(arena, struct expr_placeholder, 5);
    struct expr_placeholders all = {.values = values};
    static const char *const names[][2] = {{":n", "n"}, {":g", "g"}, {":x", "x"}, {":e", "e"}};
    for (size_t i = 0; i < 4; i++) {
        values[all.value_count] = placeholder(names[i][0], item, names[i][1]);
        all.value_count += value_present(values[all.value_count].value);
    }
    values[all.value_count++] = placeholder(":c", other, "n");
    struct expr_program *program;
    struct expr *expr;
    CHECK(expr_compile(arena, kind, slice_text(text), world->programs, &program) == NULL);
    CHECK(expr_bind(arena, program, &all, &expr) == NULL);
    expr_program_unref(program); /* the cache has it */
    return expr;
}

static void prepare(struct world *world, const struct model_write *meant,
                    struct item_write *write) {
    static const enum write_kind kinds[] = {WRITE_PUT,    WRITE_UPDATE, WRITE_UPDATE, WRITE_UPDATE,
                                            WRITE_UPDATE, WRITE_DELETE, WRITE_CHECK};
    char text[MODEL_TEXT_MAX], key[64];
    *write = (struct item_write){
        .table = fixture_table(&world->fixture, "T"),
        .kind = kinds[meant->action],
        .condition = bind(world, EXPR_CONDITION, conditions[meant->condition], meant),
        .keep_old = true,
        .keep_new = true,
    };
    if (write->kind == WRITE_PUT)
        write->item =
            fixture_item(&world->fixture, model_item_text(meant->key, &meant->item, text));
    else
        write->key = fixture_item(&world->fixture, model_key_text(meant->key, key));
    if (write->kind == WRITE_UPDATE)
        write->update = bind(world, EXPR_UPDATE, updates[meant->action], meant);
    item_write_prepare(world->fixture.engine, &world->fixture.arena, write);
}

/* ---- hearing of them ---- */

static bool was_refused(struct world *world, const struct item_write *write) {
    if (write->error == NULL)
        return false;
    if (write->error->code != ERROR_CONDITIONAL_CHECK_FAILED)
        world_fail(world, "a write failed: %.*s", SLICE_ARGS(write->error->message));
    return true;
}

static void compare(struct world *world, int key, const char *what, struct value told,
                    const struct model_item *known) {
    char text[MODEL_TEXT_MAX];
    const char *is = fixture_json(&world->fixture, told);
    world_note(world, is);
    if (strcmp(is, model_item_text(key, known, text)) != 0)
        world_fail(world, "the %s item of a write is %s, not %s", what, is,
                   model_item_text(key, known, text));
}

/* Runs a write in the model; `write` is NULL when nobody heard of it. */
static void run_write(struct world *world, const struct model_write *meant,
                      const struct item_write *write) {
    struct model_item before = world->model.items[meant->key];
    bool allowed = model_allows(&world->model, meant);
    if (write != NULL && was_refused(world, write) == allowed)
        world_fail(world, "a condition on key %d was %s", meant->key, allowed ? "false" : "true");
    if (!allowed)
        return;
    struct model_item after = model_result(&world->model, meant);
    model_set(&world->model, meant->key, &after, world_now_ms(), false);
    if (write == NULL || write->kind == WRITE_CHECK)
        return;
    compare(world, meant->key, "old", write->old_item, &before);
    compare(world, meant->key, "new", write->new_item, &after);
    world->writes++;
}

static bool all_allowed(const struct world *world, const struct world_job *job) {
    for (int i = 0; i < job->count; i++)
        if (!model_allows(&world->model, &job->meant[i]))
            return false;
    return true;
}

static bool is_remembered(const struct world_job *job) {
    return job->token != NULL && job->token->end_ms > world_now_ms();
}

static bool is_of_another(const struct world_job *job) {
    return is_remembered(job) && job->request != job->token->request;
}

/* A transaction that happens, in the model. */
static void run_transaction(struct world *world, const struct world_job *job, bool heard) {
    for (int i = 0; i < job->count; i++)
        run_write(world, &job->meant[i], heard ? &job->writes[i] : NULL);
    if (job->token == NULL)
        return;
    job->token->end_ms = world_now_ms() + LIMIT_REQUEST_TOKEN_MS;
    memcpy(job->token->writes, job->meant, sizeof(job->meant));
    job->token->count = job->count;
    job->token->request = job->request;
}

static void hear_transaction(struct world *world, struct world_job *job) {
    if (job->transaction.replayed != is_remembered(job))
        world_fail(world, "a transaction was%s answered by its token",
                   is_remembered(job) ? " not" : "");
    if (job->transaction.replayed) {
        world->replays++;
        return;
    }
    if (job->transaction.cancelled == all_allowed(world, job))
        world_fail(world, "a transaction was%s cancelled",
                   job->transaction.cancelled ? "" : " not");
    if (!job->transaction.cancelled)
        run_transaction(world, job, true);
    world->refused += job->transaction.cancelled;
}

static void hear(struct write_job *done) {
    struct world_job *job = container_of(done, struct world_job, job);
    struct world *world = job->world;
    world_note(world, done->error == NULL ? "+" : "-");
    if (done->error != NULL && done->error->code == ERROR_LOCAL) {
        world->unsure_count++;
        return;
    }
    if (world->unsure_count > 0 && world->dying)
        world_fail(world, "a job was done after the store was gone");
    world->unsure_count = 0; /* of those before it nothing happened */
    if (done->error != NULL) {
        if (done->error->code != ERROR_IDEMPOTENT_PARAMETER_MISMATCH || !is_of_another(job))
            world_fail(world, "a job failed: %.*s", SLICE_ARGS(done->error->message));
        return;
    }
    if (is_of_another(job))
        world_fail(world, "a token was good for another request");
    if (done->transaction != NULL)
        hear_transaction(world, job);
    else
        for (int i = 0; i < job->count; i++)
            run_write(world, &job->meant[i], &job->writes[i]);
}

/* ---- the turn ---- */

static void submit_one(struct world *world) {
    struct world_job *job = &world->jobs[world->job_count];
    *job = (struct world_job){.world = world};
    int kind = chance_below(&world->chance, 6);
    if (kind < 2) {
        fill_transaction(world, job);
        if (chance_once_in(&world->chance, 2))
            choose_token(world, job);
        job->job.transaction = &job->transaction;
        if (job->token != NULL)
            job->transaction.token = slice_text(job->token->text);
        engine_fingerprint(world->fixture.engine, slice_of(&job->request, sizeof(job->request)),
                           job->transaction.fingerprint);
    } else {
        job->count = kind == 2 ? 1 + chance_below(&world->chance, WORLD_WRITES_MAX) : 1;
        job->job.batch = kind == 2;
        for (int i = 0; i < job->count; i++)
            job->meant[i] = some_write(world);
    }
    for (int i = 0; i < job->count; i++)
        prepare(world, &job->meant[i], &job->writes[i]);
    job->job.writes = job->writes;
    job->job.count = (size_t)job->count;
    job->job.arena = &world->fixture.arena;
    job->job.done = hear;
    world->job_count++;
    engine_submit_writes(world->fixture.engine, &job->job);
}

void jobs_submit(struct world *world) {
    for (int count = chance_below(&world->chance, WORLD_JOBS_MAX); count > 0; count--)
        submit_one(world);
}

void jobs_end(struct world *world) {
    if (!world->dying)
        world->job_count = world->unsure_count = 0;
}

/* ---- after a crash ---- */

/* Whether the table is as the model has it; what has expired may be gone. */
static bool is_as_modelled(const struct world *world, const struct model_item items[MODEL_KEYS]) {
    for (int key = 0; key < MODEL_KEYS; key++) {
        const struct model_item *known = &world->model.items[key];
        bool gone = !items[key].there && known->there && world->settings.expires && known->e != 0 &&
                    known->e * 1000 < world_now_ms();
        if (!gone && !model_item_equal(&items[key], known))
            return false;
    }
    return true;
}

static void happened(struct world *world, const struct world_job *job) {
    if (job->job.transaction == NULL) {
        for (int i = 0; i < job->count; i++)
            run_write(world, &job->meant[i], NULL);
    } else if (!is_remembered(job) && all_allowed(world, job)) {
        run_transaction(world, job, false);
    }
}

/* They are one group, so all of them happened or none: all, when the store was lost in a commit
 * that it did, since theirs is the first one of a step in which it is lost. */
void jobs_resolve(struct world *world) {
    struct model_item items[MODEL_KEYS];
    CHECK(checks_read_table(world, "T", items));
    int unsure = world->unsure_count, first = world->job_count - unsure;
    for (int i = first; world->gone_applied && i < first + unsure; i++)
        happened(world, &world->jobs[i]);
    world->job_count = world->unsure_count = 0;
    if (!is_as_modelled(world, items))
        world_fail(world, "after a crash with %d jobs under way the table shows something else",
                   unsure);
}
