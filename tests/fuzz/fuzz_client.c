/* fuzz_client.c - the client library against a server that answers with anything.
 *
 * The first byte chooses the call, the second whether the status is 200 or 400; the rest is the
 * body of every reply. An item that came out must be the same after its JSON is parsed. The rest is
 * also read as a file of profiles, as what a credential process prints, and as the position in a
 * stream, which must be the same after it is written. */
#include <stdlib.h>

#include "client/client.h"
#include "client/profile.h"
#include "client/stream_shards.h"
#include "fuzz.h"

static struct slice reply_body;
static int reply_status;

static void answer(struct transport *transport, const struct exchange *exchange,
                   struct buffer *body, struct answer *ret_answer) {
    (void)transport, (void)exchange;
    *ret_answer = (struct answer){.kind = ANSWER_REPLY, .status = reply_status};
    buffer_append_slice(body, reply_body);
}

static void sign_as(struct transport *transport, const struct credentials *credentials) {
    (void)transport, (void)credentials;
}

static void no_sleep(struct transport *transport, int64_t duration_ms) {
    (void)transport, (void)duration_ms;
}

static int64_t no_time(struct transport *transport) {
    (void)transport;
    return 0;
}

static void no_free(struct transport *transport) {
    (void)transport;
}

static const char *no_variable(const char *name) {
    (void)name;
    return NULL;
}

static void check_item(const struct ddb_item *item) {
    if (item == NULL)
        return;
    char *json = ddb_item_json(item);
    struct ddb_item *again = ddb_item_parse(json);
    char *json_again = ddb_item_json(again);
    CHECK(ddb_item_error(item) == NULL && ddb_item_error(again) == NULL);
    CHECK(strcmp(json, json_again) == 0);
    free(json);
    free(json_again);
    ddb_item_free(again);
}

/* A few pages are enough: the server may go on for ever. */
static void check_cursor(struct ddb_cursor *cursor) {
    for (int i = 0; i < 100; i++)
        check_item(ddb_cursor_next(cursor));
    ddb_cursor_free(cursor);
}

static void check_stream(struct ddb_stream *stream) {
    for (int i = 0; stream != NULL && i < 20; i++) {
        const struct ddb_record *record = ddb_stream_next(stream, 0);
        if (record != NULL) {
            check_item(record->keys);
            check_item(record->old_image);
            check_item(record->new_image);
        }
        char *position = ddb_stream_position(stream);
        CHECK(position != NULL);
        free(position);
    }
    ddb_stream_close(stream);
}

static bool once(void *context) {
    (void)context;
    return false;
}

static void call(struct ddb_client *client, uint8_t which) {
    struct ddb_item *key = ddb_item_new(), *items[2] = {NULL, NULL};
    struct ddb_get gets[2] = {{.table = "t", .key = key}, {.table = "t", .key = key}};
    ddb_item_set_string(key, "pk", "x");
    switch (which % 8) {
    case 0:
        ddb_get_item(client, gets, items);
        break;
    case 1:
        check_cursor(ddb_query(client, &(struct ddb_query){.table = "t"}));
        break;
    case 2:
        check_cursor(ddb_batch_get_items(
            client, &(struct ddb_batch_get){.table = "t", .keys = &key, .key_count = 1}));
        break;
    case 3:
        ddb_transact_get_items(client, gets, 2, items);
        break;
    case 4:
        check_stream(ddb_stream_open(client, &(struct ddb_stream_options){.stream_arn = "arn"}));
        break;
    case 5:
        check_cursor(ddb_call_pages(client, "ListTables", NULL));
        break;
    case 6:
        ddb_wait(client, &(struct ddb_wait){.table = "t", .go_on = once});
        break;
    default:
        ddb_batch_write_items(client, &(struct ddb_write){.table = "t", .item = key}, 1, NULL);
        break;
    }
    for (int i = 0; i < 2; i++) {
        check_item(items[i]);
        ddb_item_free(items[i]);
    }
    ddb_item_free(key);
}

static void read_profiles(struct slice text) {
    struct arena arena;
    arena_init(&arena);
    for (int prefix = 0; prefix < 2; prefix++) {
        struct profile_file file = {text, prefix == 1};
        const char *region = profile_setting(&arena, &file, "default", "region");
        CHECK(region == NULL || (region[0] != '\0' && profile_exists(&file, "default")));
        profile_service_setting(&arena, &file, "local", "dynamodb", "endpoint_url");
    }
    arena_release(&arena);
}

static void read_printed(struct slice text) {
    struct arena arena;
    struct credentials credentials;
    int64_t expires_s;
    arena_init(&arena);
    if (identity_read(&arena, text, &credentials, &expires_s) == NULL)
        CHECK(credentials.id != NULL && credentials.secret != NULL);
    arena_release(&arena);
}

static void read_position(const char *text) {
    struct shards shards = {0}, again = {0};
    char *stream = NULL, *stream_again = NULL;
    if (shards_read(&shards, text, &stream)) {
        char *written = shards_write(&shards, stream);
        CHECK(shards_read(&again, written, &stream_again) && again.count == shards.count);
        CHECK(strcmp(stream, stream_again) == 0);
        free(written);
    }
    free(stream);
    free(stream_again);
    shards_release(&shards);
    shards_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct transport transport = {sign_as, answer, no_sleep, no_time, no_free};
    if (size < 2)
        return 0;
    reply_status = (data[1] & 1) != 0 ? 200 : 400;
    /* A copy of its own, so that reading past its end is noticed. */
    uint8_t *body = malloc(size - 2 + 1);
    memcpy(body, data + 2, size - 2);
    body[size - 2] = '\0';
    reply_body = slice_of(body, size - 2);
    struct ddb_client *client = client_new(&(struct ddb_options){.endpoint = "http://x",
                                                                 .region = "r",
                                                                 .access_key_id = "a",
                                                                 .secret_access_key = "b",
                                                                 .attempts_max = 2},
                                           no_variable, &transport, &system_random);
    call(client, data[0]);
    const struct ddb_error *error = ddb_client_error(client);
    CHECK(error == NULL || (error->message != NULL && error->type != NULL));
    ddb_client_free(client);
    read_profiles(reply_body);
    read_printed(reply_body);
    read_position((const char *)body);
    free(body);
    return 0;
}
