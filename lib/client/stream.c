/* stream.c - reading a table's stream: all its shards, parents before children, and again and again
 * for what is new.
 *
 * One page of one shard is held at a time, and given out record by record. The shards that are
 * ready take turns. Which shards there are is asked at the beginning, when one has ended, and now
 * and then while nothing comes.
 *
 * Iterators are good for a quarter of an hour; one that has expired is asked for again from where
 * its shard stands. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "client/request.h"
#include "client/stream_records.h"
#include "client/stream_shards.h"

#define TARGET "DynamoDBStreams_20120810."

enum {
    PAGES_MAX = 1000, /* of DescribeStream */
    IDLE_FIRST_MS = 50,
    IDLE_MAX_MS = 1000,
    ASK_EVERY_MS = 10000, /* for new shards */
};

struct ddb_stream {
    struct ddb_client *client;
    char *arn;
    struct shards shards;
    struct stream_page page;
    char page_shard[SHARD_ID_MAX + 1]; /* whose page it is */
    size_t turn;                       /* of the shard that is looked at next */
    int64_t page_size;
    bool latest;
    bool skip_trimmed;
    bool stale; /* the shards are to be asked for */
    int64_t asked_ms;
    bool disabled; /* no shard will come */
};

static int64_t now_ms(const struct ddb_client *client) {
    return client->transport->now_ms(client->transport);
}

/* ---- which shards there are ---- */

/* What was to be read is not kept any more. False when that is an error. */
static bool pass_over(struct ddb_stream *stream, const char *shard_id) {
    struct ddb_client *client = stream->client;
    if (stream->skip_trimmed)
        return true;
    client_fail(client, DDB_ERROR_SERVICE,
                "records of %s were trimmed before they could be read; a stream keeps 24 hours",
                shard_id);
    client->error.type = "TrimmedDataAccessException";
    return false;
}

/* One that nobody has read is begun as the caller wants it, if it is there from the start. False:
 * it is none, or one too many. */
static bool learn_of(struct ddb_stream *stream, const struct ddb_item *described) {
    size_t known = stream->shards.count;
    struct shard *shard = shards_take(&stream->shards, ddb_item_string(described, "ShardId", ""));
    if (shard == NULL)
        return false;
    const struct ddb_item *range = ddb_item_map(described, "SequenceNumberRange");
    shard->closed = ddb_item_value(range, "EndingSequenceNumber") != NULL;
    shard->listed = true;
    snprintf(shard->parent, sizeof(shard->parent), "%s",
             ddb_item_string(described, "ParentShardId", ""));
    if (stream->shards.count > known && stream->latest)
        shard->place = shard->closed ? SHARD_END : SHARD_LATEST;
    return true;
}

/* One page of DescribeStream; the parameters then ask for the next. */
static bool describe(struct ddb_stream *stream, struct ddb_item *parameters, bool *ret_more) {
    struct ddb_item *reply = NULL;
    if (!ddb_call_document(stream->client, TARGET "DescribeStream", parameters, &reply))
        return false;
    const struct ddb_item *description = ddb_item_map(reply, "StreamDescription");
    const struct ddb_list *shards = ddb_item_list(description, "Shards");
    bool ok = true;
    for (size_t i = 0; ok && i < ddb_list_count(shards); i++)
        ok = learn_of(stream, ddb_value_map(ddb_list_at(shards, i)));
    const char *last = ddb_item_string(description, "LastEvaluatedShardId", NULL);
    *ret_more = last != NULL;
    if (last != NULL)
        ddb_item_set_string(parameters, "ExclusiveStartShardId", last);
    stream->disabled = strcmp(ddb_item_string(description, "StreamStatus", ""), "DISABLED") == 0;
    ddb_item_free(reply);
    return ok || client_fail(stream->client, DDB_ERROR_REPLY,
                             "DescribeStream: a shard has no id, or there are too many");
}

/* Shards that are not kept any more need not be remembered. */
static bool forget_unlisted(struct ddb_stream *stream) {
    for (size_t i = stream->shards.count; i-- > 0;) {
        const struct shard *shard = &stream->shards.shards[i];
        if (shard->listed)
            continue;
        if (shard->place == SHARD_AFTER && !pass_over(stream, shard->id))
            return false;
        shards_remove(&stream->shards, i);
    }
    return true;
}

static bool ask_for_shards(struct ddb_stream *stream) {
    struct ddb_item *parameters = ddb_item_new();
    ddb_item_set_string(parameters, "StreamArn", stream->arn);
    for (size_t i = 0; i < stream->shards.count; i++)
        stream->shards.shards[i].listed = false;
    bool ok = true, more = true;
    for (int page = 0; ok && more && page < PAGES_MAX; page++)
        ok = describe(stream, parameters, &more);
    if (ok && more)
        ok = client_fail(stream->client, DDB_ERROR_REPLY, "DescribeStream: it does not end");
    ddb_item_free(parameters);
    stream->stale = !ok;
    stream->asked_ms = now_ms(stream->client);
    stream->latest = stream->latest && !ok; /* those that come from now on are new */
    return ok && forget_unlisted(stream);
}

/* ---- one shard ---- */

static bool get_iterator(struct ddb_stream *stream, struct shard *shard) {
    static const char *const types[] = {[SHARD_OLDEST] = "TRIM_HORIZON",
                                        [SHARD_LATEST] = "LATEST",
                                        [SHARD_AFTER] = "AFTER_SEQUENCE_NUMBER",
                                        [SHARD_END] = ""};
    struct ddb_item *parameters = ddb_item_new(), *reply = NULL;
    ddb_item_set_string(parameters, "StreamArn", stream->arn);
    ddb_item_set_string(parameters, "ShardId", shard->id);
    ddb_item_set_string(parameters, "ShardIteratorType", types[shard->place]);
    if (shard->place == SHARD_AFTER)
        ddb_item_set_string(parameters, "SequenceNumber", shard->sequence);
    bool ok = ddb_call_document(stream->client, TARGET "GetShardIterator", parameters, &reply);
    if (ok)
        shard_set_iterator(shard, ddb_item_string(reply, "ShardIterator", ""));
    ddb_item_free(reply);
    ddb_item_free(parameters);
    return ok;
}

static bool get_records(struct ddb_stream *stream, const struct shard *shard) {
    struct request request;
    struct ddb_client *client = stream->client;
    request_begin(&request, client, TARGET "GetRecords", &client->request);
    request_text(&request, "ShardIterator", shard->iterator);
    request_positive(&request, "Limit", stream->page_size);
    if (!request_send(&request, REPEAT_READ) || !stream_page_read(&stream->page, client))
        return false;
    for (size_t i = 0; i < stream->page.count; i++)
        if (!shard_is_sequence(stream->page.records[i].sequence_number)) {
            stream_page_clear(&stream->page);
            return client_fail(client, DDB_ERROR_REPLY, "GetRecords: a SequenceNumber is none");
        }
    return true;
}

/* After a failure: whether the shard may be asked again, from somewhere else. */
static bool recover(struct ddb_stream *stream, struct shard *shard) {
    struct ddb_client *client = stream->client;
    bool expired = ddb_client_failed_with(client, "ExpiredIteratorException");
    bool trimmed = ddb_client_failed_with(client, "TrimmedDataAccessException");
    bool gone = ddb_client_failed_with(client, "ResourceNotFoundException") && shard->closed;
    if (!expired && !trimmed && !gone)
        return false;
    shard_set_iterator(shard, NULL);
    if (expired)
        return true;
    if (shard->place == SHARD_AFTER && !pass_over(stream, shard->id))
        return false;
    shard->place = gone ? SHARD_END : SHARD_OLDEST;
    return true;
}

/* The next page of the shard, which may be empty. */
static bool fetch(struct ddb_stream *stream, struct shard *shard) {
    enum { TRIES_MAX = 4 };
    bool ok = false;
    stream_page_clear(&stream->page);
    for (int tries = 0; !ok && shard->place != SHARD_END; tries++) {
        ok = (shard->iterator != NULL || get_iterator(stream, shard)) && get_records(stream, shard);
        if (!ok && (tries == TRIES_MAX || !recover(stream, shard)))
            return false;
    }
    if (!ok)
        client_begin(stream->client); /* that it is gone is no failure */
    memcpy(stream->page_shard, shard->id, sizeof(stream->page_shard));
    shard_set_iterator(shard, stream->page.next_iterator);
    if (stream->page.count == 0 && stream->page.next_iterator == NULL) {
        shard->place = SHARD_END;
        stream->stale = true;
    }
    return true;
}

/* ---- giving ---- */

static const struct ddb_record *give(struct ddb_stream *stream) {
    struct stream_page *page = &stream->page;
    struct ddb_record *record = &page->records[page->at++];
    struct shard *shard = shards_take(&stream->shards, stream->page_shard);
    CHECK(shard != NULL);
    record->shard_id = stream->page_shard;
    shard->place = SHARD_AFTER;
    snprintf(shard->sequence, sizeof(shard->sequence), "%s", record->sequence_number);
    if (page->at == page->count && page->next_iterator == NULL) {
        shard->place = SHARD_END;
        stream->stale = true;
    }
    return record;
}

/* Goes round the shards that are ready, until one has records. False on failure. */
static bool look_around(struct ddb_stream *stream) {
    if (stream->stale || now_ms(stream->client) - stream->asked_ms >= ASK_EVERY_MS)
        if (!ask_for_shards(stream))
            return false;
    struct shards *shards = &stream->shards;
    for (size_t i = 0; i < shards->count; i++) {
        struct shard *shard = &shards->shards[stream->turn % shards->count];
        if (shards_is_ready(shards, shard) && !fetch(stream, shard))
            return false;
        stream->turn++;
        if (stream->page.at < stream->page.count)
            return true;
    }
    return true;
}

bool ddb_stream_finished(const struct ddb_stream *stream) {
    bool finished = stream->disabled && !stream->stale && stream->page.at == stream->page.count;
    for (size_t i = 0; i < stream->shards.count; i++)
        finished = finished && stream->shards.shards[i].place == SHARD_END;
    return finished;
}

/* Until the time is over; false then. */
static bool idle(struct ddb_client *client, int64_t end_ms, int64_t *bound_ms) {
    int64_t left_ms = end_ms - now_ms(client);
    int64_t wait_ms =
        *bound_ms / 2 + (int64_t)random_below(client->random, (uint64_t)(*bound_ms / 2 + 1));
    if (left_ms <= 0)
        return false;
    client->transport->sleep_ms(client->transport, wait_ms < left_ms ? wait_ms : left_ms);
    *bound_ms = 2 * *bound_ms < IDLE_MAX_MS ? 2 * *bound_ms : IDLE_MAX_MS;
    return true;
}

const struct ddb_record *ddb_stream_next(struct ddb_stream *stream, int64_t timeout_ms) {
    if (stream == NULL || !client_begin(stream->client))
        return NULL;
    struct ddb_client *client = stream->client;
    int64_t end_ms = timeout_ms > 0 ? now_ms(client) + timeout_ms : 0;
    end_ms = end_ms < client->deadline_ms ? end_ms : client->deadline_ms;
    int64_t bound_ms = IDLE_FIRST_MS;
    while (stream->page.at == stream->page.count) {
        if (!look_around(stream))
            return NULL;
        bool nothing = stream->page.at == stream->page.count && !stream->stale;
        if (nothing && (ddb_stream_finished(stream) || !idle(client, end_ms, &bound_ms)))
            return NULL;
    }
    return give(stream);
}

char *ddb_stream_position(const struct ddb_stream *stream) {
    return shards_write(&stream->shards, stream->arn);
}

/* ---- opening ---- */

/* The table's latest stream. */
static bool find_stream(struct ddb_stream *stream, const char *table) {
    struct ddb_item *parameters = ddb_item_new(), *reply = NULL;
    ddb_item_set_string(parameters, "TableName", table);
    bool ok = ddb_call_document(stream->client, "DescribeTable", parameters, &reply);
    const char *arn = ddb_item_string(ddb_item_map(reply, "Table"), "LatestStreamArn", NULL);
    if (ok && arn == NULL)
        ok = client_fail(stream->client, DDB_ERROR_INPUT, "table %s has no stream", table);
    if (ok)
        CHECK((stream->arn = strdup(arn)) != NULL);
    ddb_item_free(reply);
    ddb_item_free(parameters);
    return ok;
}

static bool choose_stream(struct ddb_stream *stream, const struct ddb_stream_options *options) {
    if (options->stream_arn != NULL)
        CHECK((stream->arn = strdup(options->stream_arn)) != NULL);
    else if (options->table != NULL)
        return find_stream(stream, options->table);
    else if (options->position == NULL)
        return client_fail(stream->client, DDB_ERROR_INPUT, "no table and no stream is named");
    return true;
}

static bool take_position(struct ddb_stream *stream, const char *position) {
    struct ddb_client *client = stream->client;
    char *arn = NULL;
    if (!shards_read(&stream->shards, position, &arn))
        return client_fail(client, DDB_ERROR_INPUT, "that is not the position in a stream");
    bool same = stream->arn == NULL || strcmp(stream->arn, arn) == 0;
    if (!same)
        client_fail(client, DDB_ERROR_INPUT, "the position is one in another stream, %s", arn);
    if (stream->arn != NULL)
        free(arn);
    else
        stream->arn = arn;
    return same;
}

/* What "from now on" means is settled at once. */
static bool start_shards(struct ddb_stream *stream) {
    struct shards *shards = &stream->shards;
    if (!ask_for_shards(stream))
        return false;
    for (size_t i = 0; i < shards->count; i++)
        if (shards->shards[i].place == SHARD_LATEST && !get_iterator(stream, &shards->shards[i]))
            return false;
    return true;
}

struct ddb_stream *ddb_stream_open(struct ddb_client *client,
                                   const struct ddb_stream_options *options) {
    struct ddb_stream *stream = tree_alloc(sizeof(*stream));
    stream->client = client;
    stream->page_size = options->page_size;
    stream->latest = options->latest && options->position == NULL;
    stream->skip_trimmed = options->skip_trimmed;
    stream_page_init(&stream->page);
    bool ok = client_begin(client) && choose_stream(stream, options) &&
              (options->position == NULL || take_position(stream, options->position)) &&
              start_shards(stream);
    if (ok)
        return stream;
    ddb_stream_close(stream);
    return NULL;
}

void ddb_stream_close(struct ddb_stream *stream) {
    if (stream == NULL)
        return;
    shards_release(&stream->shards);
    stream_page_release(&stream->page);
    free(stream->arn);
    free(stream);
}
