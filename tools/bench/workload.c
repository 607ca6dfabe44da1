/* workload.c - see workload.h. A body is put together once, when its workload is chosen. */
#include "bench/workload.h"

#include "base/buffer.h"
#include "base/check.h"

enum { BODY_MAX = 1024 * 1024 };

/* ---- bodies ---- */

enum kind {
    GET,
    PUT,
    PUT_BACK,
    INSERT,
    UPDATE,
    UPDATE_AFTER,
    UPDATE_IF,
    DELETE,
    QUERY_1,
    QUERY_10,
    QUERY_100,
    RANGE,
    SCAN,
    BATCH_GET,
    BATCH_WRITE,
    TRANSACT,
    LOAD,
    NONE,
};

/* @ stands for the table's name. A batch repeats `body` between `begin` and `end`; from the second
 * on its %n are %s. */
struct kind_row {
    const char *operation;
    const char *begin;
    const char *body;
    const char *end;
};

#define ITEM(key)                                                                        \
    "{\"pk\":{\"S\":\"" key "\"},\"g\":{\"S\":\"%g\"},\"n\":{\"N\":\"1\"},\"b\":{\"BOOL" \
    "\":true},\"p\":{\"S\":\"%p\"}}"
#define KEY(key) "{\"pk\":{\"S\":\"" key "\"}}"
#define PUT_BODY(key) "{\"TableName\":\"@\",\"Item\":" ITEM(key) "}"
#define UPDATE_BODY(key, condition)                                                           \
    "{\"TableName\":\"@\",\"Key\":" KEY(key) "," condition                                    \
                                             "\"UpdateExpression\":\"SET p = :p ADD n "       \
                                             ":one\",\"ExpressionAttributeValues\":{\":p\":{" \
                                             "\"S\":\"%p\"},\":one\":{\"N\":\"1\"}}}"
#define QUERY_BODY(limit)                                                                         \
    "{\"TableName\":\"@\",\"IndexName\":\"" WORKLOAD_INDEX "\",\"KeyConditionExpression\":\"g = " \
    ":g\",\"ExpressionAttributeValues\":{\":g\":{\"S\":\"%h\"}},\"Limit\":" limit "}"
#define RANGE_BODY                                                                                \
    "{\"TableName\":\"@\",\"IndexName\":\"" WORKLOAD_INDEX "\",\"KeyConditionExpression\":\"g = " \
    ":g AND pk >= :k\",\"ExpressionAttributeValues\":{\":k\":{\"S\":\"%n\"},\":g\":{\"S\":"       \
    "\"%g\"}},\"Limit\":%l}"
#define BATCH_WRITE_BEGIN "{\"RequestItems\":{\"@\":["
#define BATCH_WRITE_BODY "{\"PutRequest\":{\"Item\":" ITEM("%n") "}}"

static const struct kind_row kind_rows[] = {
    [GET] = {"GetItem", "", "{\"TableName\":\"@\",\"Key\":" KEY("%n") "}", ""},
    [PUT] = {"PutItem", "", PUT_BODY("%n"), ""},
    [PUT_BACK] = {"PutItem", "", PUT_BODY("%k"), ""},
    [INSERT] = {"PutItem", "", PUT_BODY("%i"), ""},
    [UPDATE] = {"UpdateItem", "", UPDATE_BODY("%n", ""), ""},
    [UPDATE_AFTER] = {"UpdateItem", "", UPDATE_BODY("%k", ""), ""},
    [UPDATE_IF] = {"UpdateItem", "",
                   UPDATE_BODY("%n", "\"ConditionExpression\":\"attribute_exists(pk)\","), ""},
    [DELETE] = {"DeleteItem", "", "{\"TableName\":\"@\",\"Key\":" KEY("%n") "}", ""},
    [QUERY_1] = {"Query", "", QUERY_BODY("1"), ""},
    [QUERY_10] = {"Query", "", QUERY_BODY("10"), ""},
    [QUERY_100] = {"Query", "", QUERY_BODY("100"), ""},
    [RANGE] = {"Query", "", RANGE_BODY, ""},
    [SCAN] = {"Scan", "", "{\"TableName\":\"@\",\"Limit\":100,\"ExclusiveStartKey\":" KEY("%n") "}",
              ""},
    [BATCH_GET] = {"BatchGetItem", "{\"RequestItems\":{\"@\":{\"Keys\":[", KEY("%n"), "]}}}"},
    [BATCH_WRITE] = {"BatchWriteItem", BATCH_WRITE_BEGIN, BATCH_WRITE_BODY, "]}}"},
    [TRANSACT] = {"TransactWriteItems", "{\"TransactItems\":[", "{\"Put\":" PUT_BODY("%n") "}",
                  "]}"},
    [LOAD] = {"BatchWriteItem", BATCH_WRITE_BEGIN, BATCH_WRITE_BODY, "]}}"},
};

static void append(struct buffer *out, const char *text, const char *table, char key) {
    char before = '\0';
    for (; *text != '\0'; before = *text++) {
        if (*text == '@')
            buffer_append_text(out, table);
        else
            buffer_append_byte(out, (uint8_t)(*text == 'n' && before == '%' ? key : *text));
    }
}

static const char *make_body(struct arena *arena, enum kind kind, const char *table,
                             unsigned batch) {
    const struct kind_row *row = &kind_rows[kind];
    struct buffer out CLEANUP(buffer_release);
    buffer_init(&out, BODY_MAX);
    append(&out, row->begin, table, 'n');
    for (unsigned i = 0; i < (batch == 0 ? 1 : batch); i++) {
        buffer_append_text(&out, i == 0 ? "" : ",");
        append(&out, row->body, table, i == 0 || kind == LOAD ? 'n' : 's');
    }
    append(&out, row->end, table, 'n');
    CHECK(!out.overflow);
    buffer_append_byte(&out, '\0');
    return arena_copy(arena, out.data, out.len);
}

static struct workload_kind make_kind(struct arena *arena, enum kind kind, const char *table,
                                      unsigned batch) {
    return (struct workload_kind){
        .name = kind_rows[kind].operation,
        .text = {kind_rows[kind].operation, make_body(arena, kind, table, batch)},
        .is_batch = kind == BATCH_GET || kind == BATCH_WRITE || kind == LOAD,
        .is_get = kind == GET,
        .inserts = kind == INSERT,
    };
}

/* ---- the list ---- */

/* Its kinds in their order; a step is weight, index of its first and of its second kind. */
struct workload_row {
    const char *name;
    const char *description;
    enum key_order order;
    unsigned batch; /* items in a request, when there are several */
    unsigned batch_max;
    enum kind kinds[WORKLOAD_KINDS_MAX];
    struct workload_step steps[WORKLOAD_STEPS_MAX];
};

#define ALONE          \
    {                  \
        { 100, 0, -1 } \
    }

static const struct workload_row rows[] = {
    {"get", "GetItem", KEYS_UNIFORM, 0, 0, {GET, NONE}, ALONE},
    {"put", "PutItem that replaces an item", KEYS_UNIFORM, 0, 0, {PUT, NONE}, ALONE},
    {"update", "UpdateItem: SET of the payload, ADD 1", KEYS_UNIFORM, 0, 0, {UPDATE, NONE}, ALONE},
    {"update-if",
     "the same with a condition, which holds",
     KEYS_UNIFORM,
     0,
     0,
     {UPDATE_IF, NONE},
     ALONE},
    {"delete",
     "DeleteItem, and PutItem to put the item back",
     KEYS_UNIFORM,
     0,
     0,
     {DELETE, PUT_BACK, NONE},
     {{100, 0, 1}}},
    {"query1",
     "Query of 1 item through a global index",
     KEYS_UNIFORM,
     0,
     0,
     {QUERY_1, NONE},
     ALONE},
    {"query10",
     "Query of 10 items through a global index",
     KEYS_UNIFORM,
     0,
     0,
     {QUERY_10, NONE},
     ALONE},
    {"query100",
     "Query of 100 items through a global index",
     KEYS_UNIFORM,
     0,
     0,
     {QUERY_100, NONE},
     ALONE},
    {"batch-get", "BatchGetItem of 100 items", KEYS_UNIFORM, 100, 100, {BATCH_GET, NONE}, ALONE},
    {"batch-write",
     "BatchWriteItem that puts 25 items",
     KEYS_UNIFORM,
     25,
     25,
     {BATCH_WRITE, NONE},
     ALONE},
    {"transact-write",
     "TransactWriteItems that puts 5 items",
     KEYS_UNIFORM,
     5,
     100,
     {TRANSACT, NONE},
     ALONE},
    {"scan", "Scan of 100 items from somewhere", KEYS_UNIFORM, 0, 0, {SCAN, NONE}, ALONE},
    {"ycsb-a",
     "50 % GetItem, 50 % UpdateItem",
     KEYS_ZIPFIAN,
     0,
     0,
     {GET, UPDATE, NONE},
     {{50, 0, -1}, {50, 1, -1}}},
    {"ycsb-b",
     "95 % GetItem, 5 % UpdateItem",
     KEYS_ZIPFIAN,
     0,
     0,
     {GET, UPDATE, NONE},
     {{95, 0, -1}, {5, 1, -1}}},
    {"ycsb-c", "GetItem only", KEYS_ZIPFIAN, 0, 0, {GET, NONE}, ALONE},
    {"ycsb-d",
     "95 % GetItem of what is newest, 5 % PutItem of new items",
     KEYS_LATEST,
     0,
     0,
     {GET, INSERT, NONE},
     {{95, 0, -1}, {5, 1, -1}}},
    {"ycsb-e",
     "95 % Query of 1 to 100 in order, 5 % PutItem of new items",
     KEYS_ZIPFIAN,
     0,
     0,
     {RANGE, INSERT, NONE},
     {{95, 0, -1}, {5, 1, -1}}},
    {"ycsb-f",
     "50 % GetItem, 50 % GetItem and then UpdateItem of the same",
     KEYS_ZIPFIAN,
     0,
     0,
     {GET, UPDATE_AFTER, NONE},
     {{50, 0, -1}, {50, 0, 1}}},
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

bool workload_listing(size_t index, const char **ret_name, const char **ret_description) {
    if (index >= ROW_COUNT)
        return false;
    *ret_name = rows[index].name;
    *ret_description = rows[index].description;
    return true;
}

static const struct workload_row *find_row(const char *name) {
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

unsigned workload_batch_max(const char *name) {
    const struct workload_row *row = find_row(name);
    return row == NULL ? 0 : row->batch_max;
}

const struct workload *workload_find(struct arena *arena, const char *name, const char *table,
                                     unsigned batch) {
    const struct workload_row *row = find_row(name);
    if (row == NULL)
        return NULL;
    struct workload *workload = ARENA_NEW(arena, struct workload);
    unsigned items = row->batch == 0 || batch == 0 ? row->batch : batch;
    *workload = (struct workload){
        .name = row->name, .description = row->description, .order = row->order, .keys_min = items};
    while (workload->kind_count < WORKLOAD_KINDS_MAX && row->kinds[workload->kind_count] != NONE) {
        size_t at = workload->kind_count++;
        workload->kinds[at] = make_kind(arena, row->kinds[at], table, items);
    }
    while (workload->step_count < WORKLOAD_STEPS_MAX &&
           row->steps[workload->step_count].weight > 0) {
        size_t at = workload->step_count++;
        workload->steps[at] = row->steps[at];
    }
    return workload;
}

static struct workload *new_alone(struct arena *arena, const char *name,
                                  struct workload_kind kind) {
    struct workload *workload = ARENA_NEW(arena, struct workload);
    *workload = (struct workload){.name = name,
                                  .description = kind.name,
                                  .order = KEYS_SEQUENTIAL,
                                  .kind_count = 1,
                                  .kinds = {kind},
                                  .step_count = 1,
                                  .steps = ALONE};
    return workload;
}

const struct workload *workload_load(struct arena *arena, const char *table, uint64_t keys) {
    unsigned batch = keys < WORKLOAD_LOAD_BATCH ? (unsigned)keys : WORKLOAD_LOAD_BATCH;
    return new_alone(arena, "load", make_kind(arena, LOAD, table, batch));
}

const struct workload *workload_own(struct arena *arena, struct request_text text) {
    struct workload_kind kind = {.name = text.operation, .text = text};
    kind.is_batch = strncmp(text.operation, "Batch", 5) == 0;
    kind.is_get = strcmp(text.operation, "GetItem") == 0;
    kind.inserts = strstr(text.body, "%i") != NULL;
    return new_alone(arena, "own", kind);
}

/* ---- the table ---- */

struct slice workload_table(struct arena *arena, const char *table) {
    return arena_printf(
        arena,
        "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
        "{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"g\",\"AttributeType\":\"S\"}],"
        "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"" WORKLOAD_INDEX "\",\"KeySchema\":["
        "{\"AttributeName\":\"g\",\"KeyType\":\"HASH\"},"
        "{\"AttributeName\":\"pk\",\"KeyType\":\"RANGE\"}],"
        "\"Projection\":{\"ProjectionType\":\"ALL\"}}]}",
        table);
}
