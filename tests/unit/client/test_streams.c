/* test_streams.c - reading a stream: order, positions, iterators that expire, records that go. */
#include "script.h"

#include <stdlib.h>

#define SHARD(id, parent, end)                                                            \
    "{\"ShardId\":\"shard-" id "\",\"ParentShardId\":" parent ",\"SequenceNumberRange\":" \
    "{\"StartingSequenceNumber\":\"1\"" end "}}"
#define NO_PARENT "null"
#define PARENT(id) "\"shard-" id "\""
#define CLOSED ",\"EndingSequenceNumber\":\"9\""
#define SHARDS(status, list) \
    REPLY("{\"StreamDescription\":{\"StreamStatus\":\"" status "\",\"Shards\":[" list "]}}")
#define ITERATOR(name) REPLY("{\"ShardIterator\":\"" name "\"}")
#define RECORD(number)                                                              \
    "{\"eventID\":\"e" number "\",\"eventName\":\"MODIFY\",\"dynamodb\":{\"Keys\":" \
    "{\"pk\":{\"S\":\"k\"}},\"NewImage\":{\"n\":{\"N\":\"" number                   \
    "\"}},\"SequenceNumber\":\"" number "\",\"ApproximateCreationDateTime\":1.5E9}}"
#define RECORDS(next, list) REPLY("{\"Records\":[" list "],\"NextShardIterator\":" next "}")
#define ERROR(type) \
    { ANSWER_REPLY, 400, "{\"__type\":\"x#" type "\",\"message\":\"" type "\"}" }

static struct ddb_client *client;

static struct ddb_stream *open_stream(const struct step *steps, struct ddb_stream_options options) {
    client = script_client(steps);
    if (options.table == NULL && options.position == NULL)
        options.stream_arn = "arn";
    struct ddb_stream *stream = ddb_stream_open(client, &options);
    if (stream == NULL)
        assert_non_null(ddb_client_error(client));
    return stream;
}

/* The numbers of the records that come, then how it ended. */
static void assert_records(struct ddb_stream *stream, const char *expected) {
    char line[256] = "";
    const struct ddb_record *record;
    while ((record = ddb_stream_next(stream, 0)) != NULL)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s/%s ", record->shard_id + 6,
                 record->sequence_number);
    const struct ddb_error *error = ddb_client_error(client);
    snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s",
             error == NULL ? "." : error->message);
    assert_string_equal(line, expected);
}

static void assert_position(const struct ddb_stream *stream, const char *expected) {
    char *position = ddb_stream_position(stream);
    assert_string_equal(position, expected);
    free(position);
}

static void finish(struct ddb_stream *stream, const struct step *end) {
    ddb_stream_close(stream);
    ddb_client_free(client);
    assert_ptr_equal(script, end);
}

/* ---- order ---- */

static void parents_come_before_their_children(void **state) {
    (void)state;
    /* The child sorts before its parent, and has records from the start. */
    const struct step steps[] = {
        SHARDS("ENABLED", SHARD("1", PARENT("2"), "") "," SHARD("2", NO_PARENT, CLOSED)),
        ITERATOR("i2"),
        RECORDS("\"i2b\"", RECORD("5") "," RECORD("6")),
        RECORDS("null", RECORD("7")),
        SHARDS("ENABLED", SHARD("1", PARENT("2"), "") "," SHARD("2", NO_PARENT, CLOSED)),
        ITERATOR("i1"),
        RECORDS("\"i1b\"", RECORD("8")),
        RECORDS("\"i1c\"", ""),
    };
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_records(stream, "2/5 2/6 2/7 1/8 .");
    assert_string_equal(sent, "DynamoDBStreams_20120810.GetRecords {\"ShardIterator\":\"i1b\"}");
    assert_position(stream, "{\"stream\":\"arn\",\"shards\":{\"shard-1\":\"8\","
                            "\"shard-2\":\"end\"}}");
    finish(stream, steps + 8);
}

static void what_a_record_has(void **state) {
    (void)state;
    const struct step steps[] = {
        SHARDS("ENABLED", SHARD("1", NO_PARENT, "")), ITERATOR("i"),
        RECORDS(
            "\"j\"",
            "{\"eventID\":\"e\",\"eventName\":\"REMOVE\",\"more\":[],\"userIdentity\":{\"Type\":"
            "\"Service\",\"PrincipalId\":\"dynamodb.amazonaws.com\"},\"dynamodb\":{\"OldImage\":"
            "{\"a\":{\"S\":\"b\"}},\"SequenceNumber\":\"12\",\"Keys\":{\"pk\":{\"S\":\"k\"}},"
            "\"ApproximateCreationDateTime\":1792225800}}," RECORD("13"))};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){.page_size = 7});
    const struct ddb_record *record = ddb_stream_next(stream, 0);
    assert_string_equal(sent, "DynamoDBStreams_20120810.GetRecords "
                              "{\"ShardIterator\":\"i\",\"Limit\":7}");
    assert_int_equal(record->event, DDB_REMOVE);
    assert_string_equal(record->event_id, "e");
    assert_string_equal(record->shard_id, "shard-1");
    assert_string_equal(record->sequence_number, "12");
    assert_int_equal(record->created_s, 1792225800);
    assert_true(record->expired);
    assert_string_equal(ddb_item_string(record->keys, "pk", "?"), "k");
    assert_string_equal(ddb_item_string(record->old_image, "a", "?"), "b");
    assert_null(record->new_image);
    record = ddb_stream_next(stream, 0);
    assert_int_equal(record->event, DDB_MODIFY);
    assert_int_equal(record->created_s, 1500000000);
    assert_false(record->expired);
    finish(stream, steps + 3);
}

/* ---- positions ---- */

static void a_position_is_where_it_goes_on(void **state) {
    (void)state;
    const struct step steps[] = {
        SHARDS("ENABLED", SHARD("1", NO_PARENT, CLOSED) "," SHARD("2", NO_PARENT, "") "," SHARD(
                              "3", PARENT("1"), "")),
        ITERATOR("i2"),
        RECORDS("\"j2\"", ""),
        ITERATOR("i3"),
        RECORDS("\"j3\"", RECORD("7")),
        RECORDS("\"k2\"", ""),
        RECORDS("\"k3\"", "")};
    const char *position =
        "{\"shards\":{\"shard-1\":\"end\",\"shard-2\":\"4\",\"shard-0\":\"end\"},"
        "\"stream\":\"arn\"}";
    struct ddb_stream *stream =
        open_stream(steps, (struct ddb_stream_options){.position = position});
    assert_position(stream, "{\"stream\":\"arn\",\"shards\":{\"shard-1\":\"end\","
                            "\"shard-2\":\"4\"}}");
    assert_null(strstr(sent, "GetRecords"));
    const struct ddb_record *record = ddb_stream_next(stream, 0);
    assert_string_equal(record->sequence_number, "7");
    assert_position(stream, "{\"stream\":\"arn\",\"shards\":{\"shard-1\":\"end\","
                            "\"shard-2\":\"4\",\"shard-3\":\"7\"}}");
    assert_records(stream, ".");
    finish(stream, steps + 7);
}

static void positions_that_are_none(void **state) {
    (void)state;
    static const char *const positions[] = {
        "",
        "{}",
        "{\"stream\":\"arn\"}",
        "{\"stream\":\"arn\",\"shards\":[]}",
        "{\"stream\":\"\",\"shards\":{}}",
        "{\"stream\":\"arn\",\"shards\":{\"x\":5}}",
        "{\"stream\":\"arn\",\"shards\":{\"x\":\"\"}}",
        "{\"stream\":\"arn\",\"shards\":{\"x\":\"12345678901234567890123456789012345678901\"}}",
        "{\"stream\":\"arn\",\"shards\":{\"x\":\"-5\"}}",
        "{\"stream\":\"arn\",\"shards\":{"
        "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\":\"end\"}}",
    };
    for (size_t i = 0; i < sizeof(positions) / sizeof(*positions); i++) {
        assert_null(open_stream(NULL, (struct ddb_stream_options){.position = positions[i]}));
        assert_string_equal(ddb_client_error(client)->message,
                            "that is not the position in a stream");
        ddb_client_free(client);
    }
    const struct step steps[] = {REPLY("{\"Table\":{\"LatestStreamArn\":\"new\"}}")};
    assert_null(
        open_stream(steps, (struct ddb_stream_options){
                               .table = "t", .position = "{\"stream\":\"old\",\"shards\":{}}"}));
    assert_string_equal(ddb_client_error(client)->message,
                        "the position is one in another stream, old");
    ddb_client_free(client);
    const struct step none[] = {REPLY("{\"Table\":{}}")};
    assert_null(open_stream(none, (struct ddb_stream_options){.table = "t"}));
    assert_string_equal(ddb_client_error(client)->message, "table t has no stream");
    ddb_client_free(client);
}

static void from_now_on(void **state) {
    (void)state;
    const struct step steps[] = {
        REPLY("{\"Table\":{\"LatestStreamArn\":\"arn\"}}"),
        SHARDS("ENABLED", SHARD("1", NO_PARENT, CLOSED) "," SHARD("2", PARENT("1"), "")),
        ITERATOR("latest"),
        RECORDS("null", RECORD("7")),
        SHARDS("ENABLED", SHARD("2", PARENT("1"), CLOSED) "," SHARD("3", PARENT("2"), "")),
        ITERATOR("i3"),
        RECORDS("\"j3\"", ""),
    };
    struct ddb_stream *stream =
        open_stream(steps, (struct ddb_stream_options){.table = "t", .latest = true});
    assert_string_equal(sent, "DynamoDBStreams_20120810.GetShardIterator {\"ShardId\":\"shard-2\","
                              "\"ShardIteratorType\":\"LATEST\",\"StreamArn\":\"arn\"}");
    assert_position(stream, "{\"stream\":\"arn\",\"shards\":{\"shard-1\":\"end\","
                            "\"shard-2\":\"latest\"}}");
    assert_records(stream, "2/7 .");
    assert_position(stream, "{\"stream\":\"arn\",\"shards\":{\"shard-2\":\"end\"}}");
    finish(stream, steps + 7);
}

/* ---- what goes wrong ---- */

static void iterators_that_expire(void **state) {
    (void)state;
    const struct step steps[] = {SHARDS("ENABLED", SHARD("1", NO_PARENT, "")),
                                 ITERATOR("i"),
                                 RECORDS("\"j\"", RECORD("5")),
                                 ERROR("ExpiredIteratorException"),
                                 ITERATOR("k"),
                                 RECORDS("\"l\"", RECORD("6")),
                                 RECORDS("\"m\"", "")};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_records(stream, "1/5 1/6 .");
    finish(stream, steps + 7);
}

static void records_that_are_gone(void **state) {
    (void)state;
    const char *lost = "records of shard-1 were trimmed before they could be read; a stream keeps "
                       "24 hours";
    const char *position = "{\"stream\":\"arn\",\"shards\":{\"shard-1\":\"4\"}}";
    const struct step trimmed[] = {SHARDS("ENABLED", SHARD("1", NO_PARENT, "")),
                                   ERROR("TrimmedDataAccessException"),
                                   ERROR("TrimmedDataAccessException")};
    struct ddb_stream *stream =
        open_stream(trimmed, (struct ddb_stream_options){.position = position});
    assert_records(stream, lost);
    assert_true(ddb_client_failed_with(client, "TrimmedDataAccessException"));
    assert_records(stream, lost);
    finish(stream, trimmed + 3);
    const struct step skipped[] = {SHARDS("ENABLED", SHARD("1", NO_PARENT, "")),
                                   ERROR("TrimmedDataAccessException"), ITERATOR("oldest"),
                                   RECORDS("\"j\"", RECORD("9")), RECORDS("\"k\"", "")};
    stream = open_stream(skipped,
                         (struct ddb_stream_options){.position = position, .skip_trimmed = true});
    assert_records(stream, "1/9 .");
    finish(stream, skipped + 5);
    /* The whole shard is. */
    const struct step unlisted[] = {SHARDS("ENABLED", SHARD("2", PARENT("1"), ""))};
    assert_null(open_stream(unlisted, (struct ddb_stream_options){.position = position}));
    assert_string_equal(ddb_client_error(client)->message, lost);
    finish(NULL, unlisted + 1);
    /* Nobody wanted it from a place in it. */
    const struct step gone[] = {
        SHARDS("ENABLED", SHARD("1", NO_PARENT, CLOSED)), ERROR("ResourceNotFoundException"),
        SHARDS("ENABLED", SHARD("2", PARENT("1"), "")), ITERATOR("i"), RECORDS("\"j\"", "")};
    stream = open_stream(gone, (struct ddb_stream_options){0});
    assert_records(stream, ".");
    finish(stream, gone + 5);
}

static void a_failure_loses_nothing(void **state) {
    (void)state;
    const struct step steps[] = {SHARDS("ENABLED", SHARD("1", NO_PARENT, "")),
                                 ITERATOR("i"),
                                 ERROR("AccessDeniedException"),
                                 REPLY("{\"Records\":[{\"eventName\":\"MODIFY\"}]}"),
                                 RECORDS("\"j\"", RECORD("x")),
                                 RECORDS("\"j\"", RECORD("5")),
                                 RECORDS("\"k\"", "")};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_records(stream, "AccessDeniedException");
    assert_null(ddb_stream_next(stream, 0));
    assert_int_equal(ddb_client_error(client)->kind, DDB_ERROR_REPLY);
    assert_records(stream, "GetRecords: a SequenceNumber is none");
    assert_records(stream, "1/5 .");
    finish(stream, steps + 7);
}

/* ---- time ---- */

static void it_waits_for_what_is_new(void **state) {
    (void)state;
    const struct step steps[] = {SHARDS("ENABLED", SHARD("1", NO_PARENT, "")),
                                 ITERATOR("i"),
                                 RECORDS("\"i\"", ""),
                                 RECORDS("\"i\"", ""),
                                 RECORDS("\"i\"", ""),
                                 RECORDS("\"i\"", RECORD("5")),
                                 RECORDS("\"i\"", ""),
                                 RECORDS("\"i\"", ""),
                                 RECORDS("\"i\"", "")};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_non_null(ddb_stream_next(stream, 1000));
    assert_string_equal(waits, "50 100 200 ");
    waits[0] = '\0';
    assert_null(ddb_stream_next(stream, 100));
    assert_null(ddb_client_error(client));
    assert_string_equal(waits, "50 48 ");
    finish(stream, steps + 9);
}

static void a_stream_that_is_disabled_ends(void **state) {
    (void)state;
    const struct step steps[] = {SHARDS("DISABLED", SHARD("1", NO_PARENT, CLOSED)), ITERATOR("i"),
                                 RECORDS("null", RECORD("5")),
                                 SHARDS("DISABLED", SHARD("1", NO_PARENT, CLOSED))};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_false(ddb_stream_finished(stream));
    assert_non_null(ddb_stream_next(stream, 60000));
    assert_null(ddb_stream_next(stream, 60000));
    assert_true(ddb_stream_finished(stream));
    assert_string_equal(waits, "");
    finish(stream, steps + 4);
}

static void pages_of_shards(void **state) {
    (void)state;
    const struct step steps[] = {
        REPLY("{\"StreamDescription\":{\"StreamStatus\":\"ENABLED\",\"LastEvaluatedShardId\":"
              "\"shard-1\",\"Shards\":[" SHARD("1", NO_PARENT, "") "]}}"),
        SHARDS("ENABLED", SHARD("2", NO_PARENT, "")),
        ITERATOR("i"),
        RECORDS("\"i\"", ""),
        ITERATOR("j"),
        RECORDS("\"j\"", "")};
    struct ddb_stream *stream = open_stream(steps, (struct ddb_stream_options){0});
    assert_string_equal(sent, "DynamoDBStreams_20120810.DescribeStream {\"ExclusiveStartShardId\":"
                              "\"shard-1\",\"StreamArn\":\"arn\"}");
    assert_records(stream, ".");
    finish(stream, steps + 6);
    const struct step wrong[] = {SHARDS("ENABLED", "{}")};
    assert_null(open_stream(wrong, (struct ddb_stream_options){0}));
    assert_string_equal(ddb_client_error(client)->message,
                        "DescribeStream: a shard has no id, or there are too many");
    finish(NULL, wrong + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_before_their_children),
        cmocka_unit_test(what_a_record_has),
        cmocka_unit_test(a_position_is_where_it_goes_on),
        cmocka_unit_test(positions_that_are_none),
        cmocka_unit_test(from_now_on),
        cmocka_unit_test(iterators_that_expire),
        cmocka_unit_test(records_that_are_gone),
        cmocka_unit_test(a_failure_loses_nothing),
        cmocka_unit_test(it_waits_for_what_is_new),
        cmocka_unit_test(a_stream_that_is_disabled_ends),
        cmocka_unit_test(pages_of_shards),
    };
    return cmocka_run_group_tests_name("client streams", tests, NULL, NULL);
}
