/* fuzz_restore.c - a database whose records are changed at will, loaded and served.
 *
 * The input changes records of a database that has everything: a table with indexes, a stream, TTL
 * and recovery, and a backup. With an even first byte the changed records come as from a backup:
 * they are checked as `gramme restore` does, and the database that passes is served. With an odd
 * one they are put into the store as they are, as if the damage were there already. Whatever they
 * are, every request gets an answer: of a database that passed, one that is JSON. Either way the
 * records are checked against each other, and what is salvaged of them is sound.
 *
 * After the first byte: edits of six bytes each, or, when eight bytes follow, the seed of many
 * random ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/check.h"
#include "engine/dump_check.h"
#include "engine/salvage.h"
#include "fuzz.h"
#include "json/reader.h"
#include "ops/op.h"
#include "support/engine_fixture.h"

enum {
    EDIT_BYTES = 6,
    RANDOM_ROUNDS = 40,
    RANDOM_EDITS_MAX = 3,
    RECORDS_MAX = 256,
    TABLE_SCAN_POLLS = 20,
};

static const int64_t made_ms = 1700000000000, day_ms = 24 * 3600 * 1000;

/* ---- requests ---- */

struct server {
    struct engine_fixture fixture;
    struct expr_cache *exprs;
    bool sound;          /* replies are JSON */
    char reply[1 << 16]; /* the last one, cut; empty after an error */
};

static void woken(struct op_call *call) {
    sem_post(&((struct server *)call->user)->fixture.done);
}

static struct error *perform(struct op_call *call, const char *json, bool *validated) {
    const struct shape *input = call->op->input;
    enum op_state state = OP_DONE;
    struct server *server = call->user;
    call->request = arena_zalloc(call->arena, input->size);
    call->layer = op_layer(call->op);
    TRY(fields_decode(call->arena, slice_text(json), input, &call->layer, call->request));
    TRY(fields_check(call->arena, input, false, call->request));
    *validated = true;
    if (call->op->validate != NULL)
        TRY(call->op->validate(call));
    TRY(call->op->run(call, &state));
    for (; state == OP_ELSEWHERE; call->elsewhere = true)
        TRY(call->op->run(call, &state));
    if (state != OP_WAITING)
        return NULL;
    sem_wait(&server->fixture.done);
    return call->op->finish(call);
}

static void keep_reply(struct server *server, const struct buffer *reply) {
    size_t len = reply->len < sizeof(server->reply) ? reply->len : sizeof(server->reply) - 1;
    memcpy(server->reply, reply->data, len);
    server->reply[len] = '\0';
}

static void check_reply(const struct server *server, struct slice reply) {
    struct arena arena;
    struct json_reader reader;
    arena_init(&arena);
    json_reader_init(&reader, reply, &arena);
    bool good = !server->sound || json_finish(&reader);
    if (!good)
        fprintf(stderr, "no JSON: %.*s\n", SLICE_ARGS(reply));
    CHECK(good);
    arena_release(&arena);
}

static struct error *request(struct server *server, const char *name, const char *json) {
    struct engine_fixture *fixture = &server->fixture;
    struct op_context context = {.engine = fixture->engine,
                                 .catalog = fixture->view,
                                 .exprs = server->exprs,
                                 .clock = &fixture_clock.clock,
                                 .random = &system_random,
                                 .region = SLICE_LITERAL("us-east-1"),
                                 .account = SLICE_LITERAL("000000000000"),
                                 .endpoint = SLICE_LITERAL("localhost:8000")};
    struct buffer reply;
    struct op_call call = {.op = op_find(slice_text(name)),
                           .context = &context,
                           .arena = &fixture->arena,
                           .reply = &reply,
                           .wake = woken,
                           .user = server};
    bool validated = false;
    buffer_init(&reply, 1 << 24);
    struct error *error = perform(&call, json, &validated);
    server->reply[0] = '\0';
    if (error == NULL && reply.len > 0) {
        check_reply(server, buffer_slice(&reply));
        keep_reply(server, &reply);
    }
    if (validated && call.op->release != NULL)
        call.op->release(&call);
    buffer_release(&reply);
    return error;
}

/* The text behind "name":" in the last reply; "" when there is none. */
static const char *member(const struct server *server, const char *name, char *ret_text,
                          size_t size) {
    char start[64];
    snprintf(start, sizeof(start), "\"%s\":\"", name);
    const char *at = strstr(server->reply, start);
    size_t len = at == NULL ? 0 : strcspn(at + strlen(start), "\"");
    len = len < size ? len : size - 1;
    memcpy(ret_text, at == NULL ? "" : at + strlen(start), len);
    ret_text[len] = '\0';
    return ret_text;
}

/* ---- a database that has everything ---- */

#define TABLE "\"TableName\":\"all\""
#define KEY(pk, sk) "\"Key\":{\"pk\":{\"S\":\"" pk "\"},\"sk\":{\"N\":\"" sk "\"}}"

static const char create[] =
    "{" TABLE ",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":["
    "{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"sk\",\"KeyType\":"
    "\"RANGE\"}],"
    "\"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"sk\",\"AttributeType\":\"N\"},{\"AttributeName\":\"g\",\"AttributeType\":"
    "\"N\"},"
    "{\"AttributeName\":\"h\",\"AttributeType\":\"B\"},{\"AttributeName\":\"l\",\"AttributeType\":"
    "\"S\"}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by-g\",\"KeySchema\":[{\"AttributeName\":\"g\","
    "\"KeyType\":\"HASH\"},{\"AttributeName\":\"h\",\"KeyType\":\"RANGE\"}],\"Projection\":"
    "{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"m\"]}}],"
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"by-l\",\"KeySchema\":[{\"AttributeName\":\"pk\","
    "\"KeyType\":\"HASH\"},{\"AttributeName\":\"l\",\"KeyType\":\"RANGE\"}],\"Projection\":"
    "{\"ProjectionType\":\"KEYS_ONLY\"}}],"
    "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"}}";

static const char item[] =
    "{" TABLE ",\"Item\":{\"pk\":{\"S\":\"%c\"},\"sk\":{\"N\":\"%d\"},\"g\":{\"N\":\"-12.5\"},"
    "\"h\":{\"B\":\"AAEC\"},\"l\":{\"S\":\"%d\"},\"e\":{\"N\":\"%d00000060\"},"
    "\"m\":{\"M\":{\"list\":{\"L\":[{\"NULL\":true},{\"BOOL\":false},{\"L\":[]},{\"S\":\"\\u00e9\"}"
    "]},"
    "\"ns\":{\"NS\":[\"1\",\"-1e-100\",\"3.1415926535897932384626433832795028841\"]},"
    "\"ss\":{\"SS\":[\"a\",\"bb\"]},\"bs\":{\"BS\":[\"AA==\",\"/w==\"]}}},"
    "\"long\":{\"S\":\"%0140d\"},\"small\":{\"N\":\"7\"}}}";

static void must(struct server *server, const char *name, const char *json) {
    struct error *error = request(server, name, json);
    if (error != NULL)
        fprintf(stderr, "%s: %.*s\n", name, SLICE_ARGS(error->message));
    CHECK(error == NULL);
}

static void server_open(struct server *server, struct store *store, struct error **ret_error) {
    struct engine_options options = fixture_options(store);
    options.clock = &fixture_clock.clock;
    server->exprs = expr_cache_new(64);
    *ret_error = fixture_open_with(&server->fixture, &options);
}

static void server_close(struct server *server) {
    fixture_close(&server->fixture);
    expr_cache_free(server->exprs);
}

static void fill(struct server *server) {
    char text[2048];
    must(server, "CreateTable", create);
    must(server, "UpdateTimeToLive",
         "{" TABLE ",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"e\"}}");
    must(server, "UpdateContinuousBackups",
         "{" TABLE ",\"PointInTimeRecoverySpecification\":{\"PointInTimeRecoveryEnabled\":true}}");
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof(text), item, 'a' + i % 2, i, i, i == 5 ? 17 : 27, i);
        must(server, "PutItem", text);
    }
    must(server, "DeleteItem", "{" TABLE "," KEY("a", "4") "}");
    must(server, "TransactWriteItems",
         "{\"ClientRequestToken\":\"once\",\"TransactItems\":[{\"Update\":{" TABLE
         "," KEY("b", "1") ",\"UpdateExpression\":\"REMOVE h\"}}]}");
    must(server, "CreateBackup", "{" TABLE ",\"BackupName\":\"kept\"}");
}

/* ---- its records ---- */

struct kept_record {
    struct store_key key;
    struct slice value;
};

static struct {
    struct arena arena;
    struct kept_record records[RECORDS_MAX];
    size_t count;
} base;

static void keep_keyspace(struct store_txn *txn, uint8_t keyspace) {
    struct store_range all = {keyspace, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan;
    bool found = true;
    CHECK(store_scan_open(txn, &all, false, &scan) == NULL);
    while (found) {
        struct slice key, value;
        CHECK(store_scan_next(scan, &found, &key, &value) == NULL);
        if (!found)
            break;
        CHECK(base.count < RECORDS_MAX);
        base.records[base.count++] = (struct kept_record){{keyspace, arena_slice(&base.arena, key)},
                                                          arena_slice(&base.arena, value)};
    }
    store_scan_close(scan);
}

/* What is under way when the server stops stays in the records: all the better. */
static void make_base(void) {
    static struct server server;
    struct store *store = fixture_store();
    struct store_txn *txn;
    struct arena arena;
    struct error *error;
    arena_init(&arena);
    arena_init(&base.arena);
    fixture_clock.now_ms = made_ms;
    server.sound = true;
    server_open(&server, store, &error);
    CHECK(error == NULL);
    fill(&server);
    CHECK(store_begin(store, &arena, STORE_READ, &txn) == NULL);
    for (uint8_t keyspace = 0; keyspace < KEYSPACE_COUNT; keyspace++)
        keep_keyspace(txn, keyspace);
    store_end(txn);
    server_close(&server);
    arena_release(&arena);
}

/* ---- edits ---- */

enum edit_kind { EDIT_SET, EDIT_FLIP, EDIT_INSERT, EDIT_DELETE, EDIT_CUT, EDIT_KINDS };

static struct slice edit_bytes(struct arena *arena, struct slice bytes, size_t at, uint8_t kind,
                               uint8_t byte) {
    uint8_t *copy = arena_alloc(arena, bytes.len + 1);
    memcpy(copy, bytes.data, bytes.len);
    at = bytes.len == 0 ? 0 : at % bytes.len;
    switch ((enum edit_kind)(bytes.len == 0 ? EDIT_INSERT : kind % EDIT_KINDS)) {
    case EDIT_SET:
        copy[at] = byte;
        return slice_of(copy, bytes.len);
    case EDIT_FLIP:
        copy[at] ^= (uint8_t)(1 << byte % 8);
        return slice_of(copy, bytes.len);
    case EDIT_INSERT:
        memmove(copy + at + 1, copy + at, bytes.len - at);
        copy[at] = byte;
        return slice_of(copy, bytes.len + 1);
    case EDIT_DELETE:
        memmove(copy + at, copy + at + 1, bytes.len - at - 1);
        return slice_of(copy, bytes.len - 1);
    case EDIT_CUT:
    case EDIT_KINDS:
        break;
    }
    return slice_of(copy, at);
}

/* Two bytes for the record, two for the place (the top bit: in its key), kind, byte. */
static void edit(struct arena *arena, struct kept_record *records, const uint8_t *bytes) {
    struct kept_record *record = &records[(bytes[0] | (size_t)bytes[1] << 8) % base.count];
    size_t at = bytes[2] | (size_t)(bytes[3] & 0x7f) << 8;
    if (bytes[3] & 0x80)
        record->key.key = edit_bytes(arena, record->key.key, at, bytes[4], bytes[5]);
    else
        record->value = edit_bytes(arena, record->value, at, bytes[4], bytes[5]);
}

/* ---- serving it ---- */

static const struct {
    const char *name;
    const char *json;
} requests[] = {
    {"ListTables", "{}"},
    {"DescribeTable", "{" TABLE "}"},
    {"DescribeTimeToLive", "{" TABLE "}"},
    {"DescribeContinuousBackups", "{" TABLE "}"},
    {"GetItem", "{" TABLE "," KEY("a", "0") ",\"ReturnConsumedCapacity\":\"INDEXES\"}"},
    {"GetItem", "{" TABLE "," KEY("b", "1") ",\"ProjectionExpression\":\"m.ns, m.list[3]\"}"},
    {"GetItem", "{" TABLE "," KEY("b", "3") ",\"AttributesToGet\":[\"small\",\"m\"]}"},
    {"BatchGetItem",
     "{\"RequestItems\":{\"all\":{\"Keys\":[{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"2\"}},"
     "{\"pk\":{\"S\":\"b\"},\"sk\":{\"N\":\"5\"}}]}}}"},
    {"TransactGetItems", "{\"TransactItems\":[{\"Get\":{" TABLE "," KEY("b", "5") "}}]}"},
    {"Scan", "{" TABLE "}"},
    {"Scan", "{" TABLE ",\"Limit\":2,\"Segment\":0,\"TotalSegments\":2}"},
    {"Scan", "{" TABLE ",\"Select\":\"COUNT\",\"Limit\":3}"},
    {"Scan", "{" TABLE ",\"FilterExpression\":\"size(m) > :n AND contains(m.ns, :n) OR g < :n\","
             "\"ExpressionAttributeValues\":{\":n\":{\"N\":\"1\"}}}"},
    {"Scan", "{" TABLE ",\"IndexName\":\"by-g\"}"},
    {"Scan", "{" TABLE ",\"IndexName\":\"by-l\"}"},
    {"Query",
     "{" TABLE ",\"KeyConditionExpression\":\"pk = :p AND sk > :n\",\"ScanIndexForward\":false,"
     "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"a\"},\":n\":{\"N\":\"0\"}}}"},
    {"Query", "{" TABLE ",\"IndexName\":\"by-g\",\"KeyConditionExpression\":\"g = :n\",\"Limit\":1,"
              "\"ExpressionAttributeValues\":{\":n\":{\"N\":\"-12.5\"}}}"},
    {"Query",
     "{" TABLE ",\"IndexName\":\"by-l\",\"KeyConditionExpression\":\"pk = :p\","
     "\"Select\":\"ALL_ATTRIBUTES\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"b\"}}}"},
    {"ExecuteStatement", "{\"Statement\":\"SELECT m, g FROM all WHERE pk = 'a'\"}"},
    {"ExecuteStatement", "{\"Statement\":\"SELECT * FROM all.\\\"by-g\\\"\"}"},
    {"UpdateItem",
     "{" TABLE "," KEY(
         "a", "0") ",\"UpdateExpression\":\"SET small = small + :n "
                   "ADD g :n, m.ns :s\",\"ReturnValues\":\"ALL_NEW\",\"ExpressionAttributeValues\":"
                   "{\":n\":{\"N\":\"-0.5\"},\":s\":{\"NS\":[\"99\"]}}}"},
    {"DeleteItem", "{" TABLE "," KEY("a", "2") ",\"ReturnValues\":\"ALL_OLD\","
                                               "\"ReturnItemCollectionMetrics\":\"SIZE\"}"},
    {"PutItem", "{" TABLE ",\"Item\":{\"pk\":{\"S\":\"b\"},\"sk\":{\"N\":\"3\"}},"
                "\"ReturnValues\":\"ALL_OLD\"}"},
    {"TransactWriteItems", "{\"ClientRequestToken\":\"once\",\"TransactItems\":[{\"Update\":{" TABLE
                           "," KEY("b", "1") ",\"UpdateExpression\":\"REMOVE h\"}}]}"},
    {"RestoreTableToPointInTime", "{\"SourceTableName\":\"all\",\"TargetTableName\":\"earlier\","
                                  "\"UseLatestRestorableTime\":true}"},
    {"UpdateTable", "{" TABLE ",\"AttributeDefinitions\":[{\"AttributeName\":\"small\","
                    "\"AttributeType\":\"N\"}],\"GlobalSecondaryIndexUpdates\":[{\"Create\":"
                    "{\"IndexName\":\"by-small\",\"KeySchema\":[{\"AttributeName\":\"small\","
                    "\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}}}]}"},
};

static void read_stream(struct server *server) {
    char arn[256], shard[128], iterator[512], json[1024];
    (void)request(server, "ListStreams", "{}");
    member(server, "StreamArn", arn, sizeof(arn));
    snprintf(json, sizeof(json), "{\"StreamArn\":\"%s\"}", arn);
    (void)request(server, "DescribeStream", json);
    member(server, "ShardId", shard, sizeof(shard));
    snprintf(json, sizeof(json),
             "{\"StreamArn\":\"%s\",\"ShardId\":\"%s\",\"ShardIteratorType\":\"TRIM_HORIZON\"}",
             arn, shard);
    (void)request(server, "GetShardIterator", json);
    member(server, "ShardIterator", iterator, sizeof(iterator));
    snprintf(json, sizeof(json), "{\"ShardIterator\":\"%s\"}", iterator);
    (void)request(server, "GetRecords", json);
}

static void read_backup(struct server *server) {
    char arn[256], json[512];
    (void)request(server, "ListBackups", "{}");
    member(server, "BackupArn", arn, sizeof(arn));
    snprintf(json, sizeof(json), "{\"BackupArn\":\"%s\"}", arn);
    (void)request(server, "DescribeBackup", json);
    snprintf(json, sizeof(json), "{\"BackupArn\":\"%s\",\"TargetTableName\":\"again\"}", arn);
    (void)request(server, "RestoreTableFromBackup", json);
}

/* Chores go on beside the requests; those that were begun get a moment. */
static void serve(struct server *server) {
    read_stream(server);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
        (void)request(server, requests[i].name, requests[i].json);
    read_backup(server);
    for (int i = 0; i < TABLE_SCAN_POLLS; i++) {
        (void)request(server, "Scan", "{\"TableName\":\"again\"}");
        if (strstr(server->reply, "\"Count\"") != NULL)
            break;
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    (void)request(server, "Scan", "{\"TableName\":\"earlier\",\"IndexName\":\"by-g\"}");
    (void)request(server, "Scan", "{" TABLE ",\"IndexName\":\"by-small\"}");
}

/* ---- loading it ---- */

static bool passes(struct arena *arena, const struct kept_record *records) {
    struct dump_checker checker;
    struct error *error = NULL;
    dump_checker_init(&checker);
    for (size_t i = 0; i < base.count && error == NULL; i++)
        error = checker.base.check(&checker.base, arena, &records[i].key, records[i].value);
    dump_checker_release(&checker);
    return error == NULL;
}

static struct store *store_of(struct arena *arena, const struct kept_record *records) {
    struct store *store = fixture_store();
    struct store_txn *txn;
    enum store_outcome outcome;
    CHECK(store_begin(store, arena, STORE_WRITE, &txn) == NULL);
    for (size_t i = 0; i < base.count; i++)
        if (records[i].key.key.len > 0)
            store_put(txn, &records[i].key, records[i].value);
    CHECK(store_commit(txn, STORE_DURABLE, &outcome) == NULL && outcome == STORE_COMMITTED);
    store_end(txn);
    return store;
}

/* ---- checking and salvaging it ---- */

static uint64_t faults;

static void count_fault(struct check_observer *observer, struct slice text) {
    (void)observer;
    if (faults++ == 0 && text.len == 0)
        abort();
}

static void pass_over(struct check_observer *observer, uint64_t records, uint64_t bytes) {
    (void)observer, (void)records, (void)bytes;
}

static void print_fault(struct check_observer *observer, struct slice text) {
    (void)observer;
    fprintf(stderr, "what was salvaged is not sound: %.*s\n", SLICE_ARGS(text));
    abort();
}

static void pass_over_lost(struct salvage_observer *observer, struct slice text) {
    (void)observer, (void)text;
}

static struct error *salvage(struct arena *arena, const struct kept_record *records,
                             struct store *to) {
    static const uint8_t keyspaces[] = {KEYSPACE_CATALOG, KEYSPACE_ITEMS, KEYSPACE_CHANGES};
    struct salvage_observer observer = {pass_over_lost};
    struct salvaging *salvaging;
    struct salvage_totals totals;
    struct error *error = NULL;
    salvaging_begin(arena, to, &observer, made_ms, &salvaging);
    for (size_t k = 0; k < sizeof(keyspaces) && error == NULL; k++) {
        error = salvaging_next(salvaging, keyspaces[k]);
        for (size_t i = 0; i < base.count && error == NULL; i++) {
            const struct kept_record *record = &records[i];
            if (record->key.keyspace != keyspaces[k] || record->key.key.len == 0)
                continue;
            (void)salvaging_vouches(salvaging, record->key.key, record->value);
            error = salvaging_take(salvaging, record->key.key, record->value);
        }
    }
    if (error == NULL)
        error = salvaging_end(salvaging, true, &totals);
    salvaging_free(salvaging);
    return error;
}

/* Whatever is there is looked at, and what is salvaged of it is sound. */
static void check_and_salvage(struct arena *arena, const struct kept_record *records) {
    struct check_observer any = {count_fault, pass_over}, none = {print_fault, pass_over};
    struct check_summary summary;
    struct store *store = store_of(arena, records), *made = fixture_store();
    faults = 0;
    engine_check(arena, store, &any, &summary);
    CHECK(summary.faults == faults);
    if (salvage(arena, records, made) == NULL)
        engine_check(arena, made, &none, &summary);
    store_close(store);
    store_close(made);
}

static void try_edits(bool checked, const uint8_t *edits, size_t count) {
    static struct server server;
    struct kept_record records[RECORDS_MAX];
    struct arena arena;
    arena_init(&arena);
    memcpy(records, base.records, base.count * sizeof(*records));
    for (size_t i = 0; i < count; i++)
        edit(&arena, records, edits + i * EDIT_BYTES);
    check_and_salvage(&arena, records);
    if (!checked || passes(&arena, records)) {
        struct error *error;
        fixture_clock.now_ms = made_ms + day_ms / 2;
        server.sound = checked;
        server_open(&server, store_of(&arena, records), &error);
        if (error == NULL)
            serve(&server);
        server_close(&server);
    }
    arena_release(&arena);
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void try_random(bool checked, const uint8_t *seed) {
    uint64_t state = load_u64(seed);
    for (int round = 0; round < RANDOM_ROUNDS; round++) {
        uint8_t edits[RANDOM_EDITS_MAX * EDIT_BYTES];
        size_t count = 1 + next_random(&state) % RANDOM_EDITS_MAX;
        for (size_t i = 0; i < count * EDIT_BYTES; i++)
            edits[i] = (uint8_t)next_random(&state);
        for (size_t i = 0; i < count; i++) /* mostly in the value, near its beginning */
            edits[i * EDIT_BYTES + 3] &= next_random(&state) % 4 == 0 ? 0x80 : 0;
        try_edits(checked, edits, count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (base.count == 0)
        make_base();
    if (size == 0 || size > 64 * EDIT_BYTES)
        return 0;
    bool checked = data[0] % 2 == 0;
    if (size == 9)
        try_random(checked, data + 1);
    else
        try_edits(checked, data + 1, (size - 1) / EDIT_BYTES);
    return 0;
}
