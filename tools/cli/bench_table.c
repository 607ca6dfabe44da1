/* bench_table.c - the table that the workloads of `gramme bench` work on: there, of the right
 * shape, full or not. */
#include <stdlib.h>

#include "cli/bench.h"
#include "template/request.h"

/* ---- its shape ---- */

static bool key_is(const struct json_value *owner, const char *first, const char *second) {
    const struct json_value *part = json_find_items(owner, "KeySchema");
    if (!slice_is(json_find_text(part, "AttributeName"), first))
        return false;
    part = part->next;
    if (second == NULL)
        return part == NULL;
    return slice_is(json_find_text(part, "AttributeName"), second) && part->next == NULL;
}

static const struct json_value *group_index(const struct json_value *described) {
    const struct json_value *index = json_find_items(described, "GlobalSecondaryIndexes");
    while (index != NULL && !slice_is(json_find_text(index, "IndexName"), WORKLOAD_INDEX))
        index = index->next;
    return index;
}

static struct error *check_shape(const struct bench_table *table,
                                 const struct json_value *described) {
    if (key_is(described, "pk", NULL) && key_is(group_index(described), "g", "pk"))
        return NULL;
    return error_local(
        table->arena,
        "the table %s is none that gramme bench made: its key is not pk, or it has no "
        "index " WORKLOAD_INDEX " on g and pk; name another one with --table",
        table->name);
}

/* ---- what is in it ---- */

static struct error *has_item(struct bench_table *table, uint64_t key, bool *ret_there) {
    const struct json_value *reply;
    struct slice body =
        arena_printf(table->arena, "{\"TableName\":\"%s\",\"Key\":{\"pk\":{\"S\":\"%08llu\"}}}",
                     table->name, (unsigned long long)key);
    TRY(service_call(&table->service, "GetItem", body, &reply));
    *ret_there = json_find(reply, "Item") != NULL;
    return NULL;
}

/* The service counts its items only every few hours. Where the count is too small, the last key of
 * all and the last one that a load writes tell. */
static struct error *is_full(struct bench_table *table, const struct json_value *described,
                             uint64_t keys, bool *ret_full) {
    const struct json_value *count = json_find(described, "ItemCount");
    struct key_space space;
    bool last = true, written_last = true;
    if (count == NULL || count->kind != JSON_INTEGER ||
        strtoull((const char *)count->text.data, NULL, 10) < keys) {
        key_space_init(&space, KEYS_SEQUENTIAL, keys);
        TRY(has_item(table, keys - 1, &last));
        TRY(has_item(table, key_at_turn(&space, keys - 1), &written_last));
    }
    *ret_full = last && written_last;
    return NULL;
}

/* ---- before and after ---- */

struct error *bench_table_prepare(struct bench_table *table, uint64_t keys, bool *ret_full) {
    struct slice name = slice_text(table->name);
    const struct json_value *description, *reply;
    bool there;
    TRY(service_describe(&table->service, name, &description));
    if (description != NULL) {
        const struct json_value *described = json_find(description, "Table");
        TRY(check_shape(table, described));
        return is_full(table, described, keys, ret_full);
    }
    struct slice body = workload_table(table->arena, table->name);
    TRY(service_call(&table->service, "CreateTable", body, &reply));
    table->made = true;
    *ret_full = false;
    return service_wait(&table->service, name, SERVICE_ACTIVE, &there);
}

struct error *bench_table_delete(struct bench_table *table) {
    struct slice name = slice_text(table->name);
    const struct json_value *reply;
    bool there;
    struct slice body = request_table_name(table->arena, name);
    TRY(service_call(&table->service, "DeleteTable", body, &reply));
    return service_wait(&table->service, name, SERVICE_GONE, &there);
}
