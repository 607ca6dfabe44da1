/* checks.c - what the engine shows, held against the model. */
#include "simulation/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/container.h"
#include "model/limits.h"
#include "support/expiry_fixture.h"
#include "support/index_fixture.h"
#include "support/stream_fixture.h"

static void compare(struct world *world, int key, const char *where, const char *is,
                    const struct model_item *known) {
    char text[MODEL_TEXT_MAX];
    if (strcmp(is, model_item_text(key, known, text)) != 0)
        world_fail(world, "key %d %s is %s, not %s", key, where, is,
                   model_item_text(key, known, text));
}

/* NULL: it could not be read. */
static const char *read_one(struct world *world, int key) {
    char text[64];
    const char *json;
    struct error *error = fixture_get(&world->fixture, "T", model_key_text(key, text), &json);
    return error == NULL ? json : NULL;
}

void checks_read_one(struct world *world) {
    int key = chance_below(&world->chance, MODEL_KEYS);
    const char *json = read_one(world, key);
    CHECK(json != NULL);
    world_note(world, json);
    compare(world, key, "in a get", json, &world->model.items[key]);
}

/* ---- reading a whole table ---- */

static struct model_item parse_item(const char *json) {
    struct model_item item = {.there = true};
    const char *at;
    if ((at = strstr(json, "\"e\":{\"N\":\"")) != NULL)
        item.e = strtoll(at + 10, NULL, 10);
    if ((at = strstr(json, "\"g\":{\"S\":\"g")) != NULL)
        item.g = atoi(at + 11);
    if ((at = strstr(json, "\"l\":{\"N\":\"")) != NULL)
        item.l = atoi(at + 10);
    if ((at = strstr(json, "\"n\":{\"N\":\"")) != NULL)
        item.n = atoi(at + 10);
    if ((at = strstr(json, "\"x\":{\"S\":\"")) != NULL)
        item.x = (int)strspn(at + 10, "x");
    return item;
}

bool checks_read_table(struct world *world, const char *name, struct model_item ret[MODEL_KEYS]) {
    struct engine_fixture *fixture = &world->fixture;
    struct reader reader;
    struct cursor cursor;
    struct stored_item item;
    struct read_range range = {.table = fixture_table(fixture, name)};
    memset(ret, 0, MODEL_KEYS * sizeof(*ret));
    if (reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, &reader) != NULL)
        return false;
    struct error *error = cursor_open(&reader, &range, &cursor);
    int64_t count = 0;
    while (error == NULL && (error = cursor_next(&cursor, &item)) == NULL &&
           value_present(item.item)) {
        const char *json = fixture_json(fixture, item.item);
        ret[model_key_of(json)] = parse_item(json);
        count++;
    }
    cursor_close(&cursor);
    reader_end(&reader);
    if (error == NULL && range.table->stats->item_count != count)
        world_fail(world, "table %s has %lld items, and counts %lld", name, (long long)count,
                   (long long)range.table->stats->item_count);
    return error == NULL;
}

/* ---- a scan that takes its time ---- */

static void scan_open(struct world *world) {
    struct world_scan *scan = &world->scan;
    *scan = (struct world_scan){.open = true};
    arena_init(&scan->arena);
    scan->range.table = fixture_table(&world->fixture, "T");
    memcpy(scan->items, world->model.items, sizeof(scan->items));
    CHECK(reader_begin(world->fixture.engine, &scan->arena, READ_SNAPSHOT, &scan->reader) == NULL);
    CHECK(cursor_open(&scan->reader, &scan->range, &scan->cursor) == NULL);
}

void checks_scan_close(struct world *world) {
    struct world_scan *scan = &world->scan;
    if (!scan->open)
        return;
    cursor_close(&scan->cursor);
    reader_end(&scan->reader);
    arena_release(&scan->arena);
    scan->open = false;
}

static void scan_end(struct world *world) {
    for (int key = 0; key < MODEL_KEYS; key++)
        if (world->scan.items[key].there && !world->scan.seen[key])
            world_fail(world, "a scan has not seen key %d", key);
    checks_scan_close(world);
    world->checks++;
}

void checks_scan(struct world *world) {
    struct world_scan *scan = &world->scan;
    if (!scan->open)
        scan_open(world);
    for (int i = 1 + chance_below(&world->chance, 6); i > 0; i--) {
        struct stored_item item;
        CHECK(cursor_next(&scan->cursor, &item) == NULL);
        if (!value_present(item.item)) {
            scan_end(world);
            return;
        }
        const char *json = fixture_json(&world->fixture, item.item);
        int key = model_key_of(json);
        compare(world, key, "in a scan", json, &scan->items[key]);
        scan->seen[key] = true;
    }
}

/* ---- expiry ---- */

static bool is_due(const struct world *world, const struct model_item *item) {
    return world->settings.expires && item->there && item->e != 0 &&
           item->e * 1000 < world_now_ms();
}

int checks_due(const struct world *world) {
    int count = 0;
    for (int key = 0; key < MODEL_KEYS; key++)
        count += is_due(world, &world->model.items[key]);
    return count;
}

/* The sweeper goes its own way; what it has deleted is found out, and was deleted now. */
void checks_expired(struct world *world) {
    for (int key = 0; key < MODEL_KEYS; key++) {
        if (!is_due(world, &world->model.items[key]))
            continue;
        const char *json = read_one(world, key);
        CHECK(json != NULL);
        if (strcmp(json, "absent") != 0)
            continue;
        model_set(&world->model, key, &(struct model_item){.there = false}, world_now_ms(), true);
        world->expired++;
    }
}

/* ---- the stream ---- */

static const char *change_text(const struct model_change *change, char text[3 * MODEL_TEXT_MAX]) {
    char before[MODEL_TEXT_MAX], after[MODEL_TEXT_MAX];
    const char *old = model_item_text(change->key, &change->before, before);
    const char *new = model_item_text(change->key, &change->after, after);
    if (!change->before.there)
        snprintf(text, 3 * MODEL_TEXT_MAX, "INSERT new %s", new);
    else if (!change->after.there)
        snprintf(text, 3 * MODEL_TEXT_MAX, "REMOVE%s old %s", change->expired ? " expired" : "",
                 old);
    else
        snprintf(text, 3 * MODEL_TEXT_MAX, "MODIFY new %s old %s", new, old);
    return text;
}

/* The last records of each key are its last changes, all of the last day. */
static void check_stream(struct world *world) {
    const struct model *model = &world->model;
    struct stream_definition stream = stream_of(&world->fixture, "T");
    char *text = (char *)(uintptr_t)stream_text(&world->fixture, &stream),
         wanted[3 * MODEL_TEXT_MAX];
    size_t at[MODEL_KEYS]; /* behind the change that the next record, from the end, tells */
    for (int key = 0; key < MODEL_KEYS; key++)
        at[key] = model->change_count;
    for (size_t len = strlen(text); len > 0;) {
        char *line = memrchr(text, '\n', len - 1);
        line = line == NULL ? text : line + 1;
        text[len - 1] = '\0'; /* the end of the line */
        len = (size_t)(line - text);
        int key = model_key_of(line);
        while (at[key] > 0 && model->changes[at[key] - 1].key != key)
            at[key]--;
        if (at[key] == 0)
            world_fail(world, "the stream tells of a change that was not: %s", line);
        const struct model_change *change = &model->changes[--at[key]];
        if (strcmp(line, change_text(change, wanted)) != 0)
            world_fail(world, "the stream tells %s, not %s", line, wanted);
    }
    int64_t horizon_ms = world_now_ms() - LIMIT_STREAM_RETENTION_MS;
    for (size_t i = model->change_count; i > 0 && model->changes[i - 1].ms > horizon_ms; i--)
        if (i <= at[model->changes[i - 1].key])
            world_fail(world, "the stream does not tell %s",
                       change_text(&model->changes[i - 1], wanted));
}

/* ---- the store ---- */

static void fail(struct check_observer *observer, struct slice text) {
    struct world *world = container_of(observer, struct world, observer);
    world_fail(world, "%.*s", SLICE_ARGS(text));
}

static void pass_over(struct check_observer *observer, uint64_t records, uint64_t bytes) {
    (void)observer, (void)records, (void)bytes;
}

/* Whatever is under way, the store is sound between two steps. */
static void check_store(struct world *world) {
    struct check_summary summary;
    world->observer = (struct check_observer){fail, pass_over};
    engine_check(&world->fixture.arena, world->base, &world->observer, &summary);
}

/* ---- everything ---- */

static bool is_settled(struct world *world) {
    const struct table_definition *table = &fixture_table(&world->fixture, "T")->definition;
    for (size_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].status != TABLE_ACTIVE)
            return false;
    return !table->ttl_building && !world->restoring;
}

void checks_all(struct world *world) {
    struct engine_fixture *fixture = &world->fixture;
    struct model_item items[MODEL_KEYS];
    struct arena_mark mark = arena_mark(&fixture->arena);
    CHECK(checks_read_table(world, "T", items));
    for (int key = 0; key < MODEL_KEYS; key++)
        if (!model_item_equal(&items[key], &world->model.items[key]))
            world_fail(world, "key %d is another in a scan of all", key);
    check_stream(world);
    check_store(world);
    if (is_settled(world)) {
        const char *problem = index_difference_from_items(fixture, world->base, "T");
        if (problem == NULL)
            problem = expiry_difference_from_items(fixture, world->base, "T");
        if (problem != NULL)
            world_fail(world, "%s", problem);
    }
    arena_rewind(&fixture->arena, mark);
    world->checks++;
}
