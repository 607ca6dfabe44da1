/* operation.c - requests and replies on one connection; see worker.h. */
#include "base/check.h"
#include "bench/worker.h"

enum {
    PART_BYTES = 64 * 1024,
    PAUSE_FIRST_MS = 10,
    PAUSE_DOUBLINGS = 7, /* up to 1.3 s */
};

/* ---- sleeping and waking ---- */

/* Longer and longer, and by chance a little different for each connection. */
static uint64_t pause_ns(struct worker *worker, const struct connection *connection) {
    unsigned doublings = connection->failures - 1;
    doublings = doublings > PAUSE_DOUBLINGS ? PAUSE_DOUBLINGS : doublings;
    uint64_t longest = (UINT64_C(1000000) * PAUSE_FIRST_MS) << doublings;
    return longest / 2 + bench_random_below(&worker->filler.random, longest / 2);
}

static void sleep_in(struct worker *worker, struct connection *connection,
                     enum connection_state state, uint64_t now_ns) {
    connection->failures++;
    connection->state = state;
    connection->wake_ns = now_ns + pause_ns(worker, connection);
    worker->sleeping++;
}

/* Whatever came of an insert: later reads need not wait for it. */
static void settle_key(struct worker *worker, const struct connection *connection) {
    if (worker->settings->workload->kinds[connection->kind].inserts)
        key_added(worker->settings->keys, connection->keys.key);
}

static void end_operation(struct worker *worker, struct connection *connection) {
    connection->busy = false;
    worker->busy_count--;
}

/* ---- opening and losing ---- */

static void close_stream(struct connection *connection) {
    stream_close(&connection->stream);
    connection->registered = false;
    buffer_reset(&connection->output);
    buffer_reset(&connection->input);
}

static bool counts(const struct worker *worker, uint64_t start_ns) {
    return start_ns >= worker->shared->begin_ns;
}

static void count_error(struct worker *worker, const struct connection *connection,
                        struct slice type, struct slice text) {
    bool under_way = connection->state == WAITING;
    uint64_t now = bench_now_ns();
    tally_error(worker->tally, &(struct tally_error){
                                   .kind = under_way ? connection->kind : -1,
                                   .type = type,
                                   .text = text,
                                   .now_ns = now,
                                   .counts = counts(worker, under_way ? connection->start_ns : now),
                               });
}

/* At a fixed rate, one that waits for work stands in the list of those. */
static void forget_idle(struct worker *worker, const struct connection *connection) {
    for (unsigned i = 0; i < worker->idle_count; i++)
        if (worker->idle[i] == connection)
            worker->idle[i] = worker->idle[--worker->idle_count];
}

void connection_lose(struct worker *worker, struct connection *connection, const char *type,
                     const char *text) {
    /* A server may close what is idle. */
    if (connection->state == IDLE)
        forget_idle(worker, connection);
    else
        count_error(worker, connection, slice_text(type), slice_text(text));
    if (connection->state == WAITING && !worker->settings->repeat) {
        settle_key(worker, connection);
        end_operation(worker, connection);
    }
    close_stream(connection);
    sleep_in(worker, connection, CLOSED, bench_now_ns());
}

void connection_open(struct worker *worker, struct connection *connection) {
    connection->state = OPENING;
    connection->since_ns = bench_now_ns();
    enum io_result result =
        stream_open(&connection->stream, worker->settings->endpoint, worker->shared->tls);
    if (result == IO_FAILED)
        connection_lose(worker, connection, "no connection", connection->stream.fault);
    else
        worker_watch(worker, connection, true);
}

void connection_finish_open(struct worker *worker, struct connection *connection) {
    enum io_result result = stream_finish_open(&connection->stream);
    if (result == IO_FAILED) {
        connection_lose(worker, connection, "no connection", connection->stream.fault);
        return;
    }
    worker_watch(worker, connection, result == IO_WRITE);
    if (result != IO_DONE)
        return;
    connection->state = IDLE;
    connection_go_on(worker, connection, bench_now_ns());
}

/* ---- sending ---- */

/* Sends what it can; the rest is kept for connection_write(). */
static void transmit(struct worker *worker, struct connection *connection, const char *bytes,
                     size_t len) {
    size_t sent;
    while (len > 0) {
        enum io_result result = stream_send(&connection->stream, bytes, len, &sent);
        if (result == IO_FAILED) {
            connection_lose(worker, connection, "connection lost", connection->stream.fault);
            return;
        }
        if (result != IO_DONE)
            break;
        bytes += sent;
        len -= sent;
    }
    if (len == 0)
        return;
    buffer_append(&connection->output, bytes, len);
    CHECK(!connection->output.overflow);
    connection->output_sent = 0;
    worker_watch(worker, connection, true);
}

void connection_write(struct worker *worker, struct connection *connection) {
    struct buffer *output = &connection->output;
    size_t sent;
    while (connection->output_sent < output->len) {
        enum io_result result =
            stream_send(&connection->stream, output->data + connection->output_sent,
                        output->len - connection->output_sent, &sent);
        if (result == IO_FAILED)
            connection_lose(worker, connection, "connection lost", connection->stream.fault);
        if (result != IO_DONE)
            return;
        connection->output_sent += sent;
    }
    buffer_reset(output);
    worker_watch(worker, connection, false);
}

static void send_request(struct worker *worker, struct connection *connection) {
    struct request *request = worker->requests[connection->kind];
    request_fill(request, &worker->filler, &connection->keys);
    if (worker->settings->is_signed)
        request_sign(request, &worker->signer, (int64_t)time(NULL));
    reply_init(&connection->reply);
    connection->state = WAITING;
    connection->since_ns = bench_now_ns();
    connection->start_ns = connection->due_ns == 0 ? connection->since_ns : connection->due_ns;
    connection->due_ns = 0;
    transmit(worker, connection, request->bytes, request->len);
}

static const struct workload_step *choose_step(struct worker *worker) {
    const struct workload *workload = worker->settings->workload;
    if (workload->step_count == 1)
        return &workload->steps[0];
    uint64_t chance = bench_random_below(&worker->filler.random, 100);
    return &workload->steps[chance < workload->steps[0].weight ? 0 : 1];
}

void connection_begin(struct worker *worker, struct connection *connection, uint64_t due_ns) {
    connection->step = choose_step(worker);
    connection->kind = connection->step->first;
    connection->due_ns = due_ns;
    connection->busy = true;
    worker->busy_count++;
    if (worker->settings->keys->order == KEYS_SEQUENTIAL)
        connection->keys.turn =
            key_take_turns(worker->settings->keys, worker->requests[connection->kind]->turns);
    send_request(worker, connection);
}

void connection_go_on(struct worker *worker, struct connection *connection, uint64_t now_ns) {
    uint64_t due_ns = 0;
    if (connection->busy) {
        send_request(worker, connection);
        return;
    }
    connection->state = IDLE;
    bool is_due = worker->timer < 0 || schedule_due_ns(&worker->schedule) <= now_ns;
    if (is_due && worker_may_begin(worker, now_ns)) {
        if (worker->timer >= 0)
            schedule_take(&worker->schedule, now_ns, &due_ns);
        connection_begin(worker, connection, due_ns);
    } else if (worker->timer >= 0) {
        worker->idle[worker->idle_count++] = connection;
    }
}

/* ---- replies ---- */

static bool is_throttling(struct slice type) {
    static const char *const types[] = {"ProvisionedThroughputExceededException",
                                        "ThrottlingException",
                                        "RequestLimitExceeded",
                                        "LimitExceededException",
                                        "InternalServerError",
                                        "ServiceUnavailable"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (slice_is(type, types[i]))
            return true;
    return false;
}

/* Counts an error reply. False: sending it again will not help. */
static bool count_refusal(struct worker *worker, const struct connection *connection,
                          struct slice body) {
    arena_reset(&worker->scratch);
    struct reply_error error = reply_read_error(body, &worker->scratch);
    int status = connection->reply.status;
    if (!slice_present(error.type)) {
        error.type = arena_printf(&worker->scratch, "HTTP status %d", status);
        error.message = body.len == 0 ? SLICE_NONE : body;
    }
    count_error(worker, connection, error.type, error.message);
    return status >= 500 || is_throttling(error.type);
}

/* Counts a good reply. False: a part of a batch was left undone. */
static bool count_reply(struct worker *worker, const struct connection *connection,
                        struct slice body, uint64_t now_ns) {
    const struct workload_kind *kind = &worker->settings->workload->kinds[connection->kind];
    struct kind_tally *tally = &worker->tally->kinds[connection->kind];
    bool undone = kind->is_batch && reply_has_unprocessed(body);
    if (!counts(worker, connection->start_ns)) {
        tally_add(&worker->tally->warmup, 1);
        return !undone;
    }
    histogram_record(&tally->latency, now_ns - connection->start_ns);
    if (undone)
        tally_add(&tally->unprocessed, 1);
    if (kind->is_get && body.len == 2)
        tally_add(&tally->misses, 1);
    return !undone;
}

/* The request is done with: on to the second one of the operation, or to its end. */
static void advance(struct worker *worker, struct connection *connection) {
    int second = connection->step->second;
    if (second >= 0 && connection->kind == connection->step->first)
        connection->kind = second;
    else
        end_operation(worker, connection);
}

static void take_reply(struct worker *worker, struct connection *connection, struct slice body) {
    uint64_t now = bench_now_ns();
    bool good = connection->reply.status == 200;
    bool done = good ? count_reply(worker, connection, body, now)
                     : !count_refusal(worker, connection, body);
    bool again = worker->settings->repeat && !done;
    worker->progress_ns = now;
    if (!good && !again && worker->settings->repeat)
        atomic_store(&worker->shared->stop, RUN_REFUSED);
    if (!again) {
        settle_key(worker, connection);
        advance(worker, connection);
    }
    bool keep_alive = connection->reply.keep_alive;
    buffer_reset(&connection->input);
    if (!keep_alive) {
        close_stream(connection);
        connection_open(worker, connection);
    } else if (again) {
        sleep_in(worker, connection, PAUSED, now);
    } else {
        connection->failures = 0;
        connection_go_on(worker, connection, now);
    }
}

/* Receives to where the reply's bytes are kept: the thread's buffer, which most replies leave as a
 * whole, or the connection's own once it has the beginning of one. */
static enum io_result receive(struct worker *worker, struct connection *connection, char **ret_data,
                              size_t *ret_len) {
    struct buffer *input = &connection->input;
    size_t got = 0;
    if (input->len == 0) {
        *ret_data = worker->input;
        enum io_result result =
            stream_receive(&connection->stream, worker->input, INPUT_BYTES, &got);
        *ret_len = got;
        return result;
    }
    CHECK(buffer_reserve(input, PART_BYTES));
    enum io_result result =
        stream_receive(&connection->stream, input->data + input->len, PART_BYTES, &got);
    input->len += got;
    *ret_data = (char *)input->data;
    *ret_len = input->len;
    return result;
}

/* More bytes of a reply; true when it is still not whole. */
static bool take_bytes(struct worker *worker, struct connection *connection, char *data,
                       size_t len) {
    struct reply *reply = &connection->reply;
    enum reply_result result =
        connection->state == WAITING ? reply_read(reply, data, &len) : REPLY_BROKEN;
    if (result == REPLY_BROKEN) {
        connection_lose(worker, connection, "broken reply",
                        reply->fault == NULL ? "bytes came that nobody asked for" : reply->fault);
        return false;
    }
    if (result == REPLY_COMPLETE) {
        take_reply(worker, connection, slice_of(data + reply->head_len, reply->body_len));
        return false;
    }
    if (data == worker->input)
        buffer_append(&connection->input, data, len);
    else
        connection->input.len = len;
    return true;
}

void connection_read(struct worker *worker, struct connection *connection) {
    char *data;
    size_t len;
    bool more = true;
    while (more) {
        enum io_result result = receive(worker, connection, &data, &len);
        if (result == IO_FAILED)
            connection_lose(worker, connection, "connection lost", connection->stream.fault);
        if (result != IO_DONE)
            return;
        more = take_bytes(worker, connection, data, len);
    }
}
