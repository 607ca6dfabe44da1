/* clock_route.c - {"Now": 1700000000.5, "Running": true} and back.
 *
 * Threads: the exchange's. Memory: the exchange's arena. */
#include "pipeline/clock_route.h"

#include <stdlib.h>

#include "json/reader.h"
#include "pipeline/own_reply.h"

enum { NUMBER_CHARACTERS_MAX = 32 };

static const char body_expected[] =
    "the body must be a JSON object with Now (seconds since 1970), Advance (seconds) or Running "
    "(true or false)";

static const char too_far[] = "the time must be before the year 2200";

static struct error *refused(struct arena *arena, const char *message) {
    return error_new(arena, ERROR_VALIDATION, "%s", message);
}

/* The number just read, seconds, in ms. */
static struct error *take_seconds(struct json_reader *json, struct arena *arena, const char *name,
                                  int64_t *ret_ms) {
    char text[NUMBER_CHARACTERS_MAX + 1] = {0};
    enum json_token token = json_next(json);
    bool number = token == JSON_INTEGER || token == JSON_DECIMAL;
    if (!number || json->text.len > NUMBER_CHARACTERS_MAX)
        return error_validation(arena, "%s must be a number of seconds", name);
    memcpy(text, json->text.data, json->text.len);
    double ms = strtod(text, NULL) * 1000;
    if (!(ms > -(double)CLOCK_MAX_MS && ms < (double)CLOCK_MAX_MS))
        return refused(arena, too_far);
    *ret_ms = (int64_t)(ms + (ms < 0 ? -0.5 : 0.5));
    return NULL;
}

static struct error *take_now(struct json_reader *json, struct arena *arena,
                              struct clock_move *move) {
    TRY(take_seconds(json, arena, "Now", &move->now_ms));
    if (move->now_ms <= 0) /* 0 would mean that it was not given */
        move->now_ms = -1;
    return NULL;
}

static struct error *take_running(struct json_reader *json, struct arena *arena,
                                  struct clock_move *move) {
    enum json_token token = json_next(json);
    if (token != JSON_TRUE && token != JSON_FALSE)
        return refused(arena, "Running must be true or false");
    move->set_running = true;
    move->running = token == JSON_TRUE;
    return NULL;
}

static struct error *take_member(struct json_reader *json, struct arena *arena,
                                 struct clock_move *move) {
    if (slice_is(json->text, "Now"))
        return take_now(json, arena, move);
    if (slice_is(json->text, "Advance"))
        return take_seconds(json, arena, "Advance", &move->advance_ms);
    if (slice_is(json->text, "Running"))
        return take_running(json, arena, move);
    return refused(arena, body_expected);
}

static struct error *read_move(struct arena *arena, struct slice body, struct clock_move *move) {
    struct json_reader json;
    json_reader_init(&json, body, arena);
    if (json_next(&json) != JSON_OBJECT_BEGIN)
        return refused(arena, body_expected);
    while (json_next(&json) == JSON_NAME)
        TRY(take_member(&json, arena, move));
    if (json.token != JSON_OBJECT_END || json_next(&json) != JSON_END)
        return refused(arena, body_expected);
    return NULL;
}

static struct error *move_clock(struct exchange *exchange, struct movable_clock *clock,
                                struct engine *engine, int64_t *ret_now_ms) {
    struct arena *arena = &exchange->arena;
    struct clock_move move = {0};
    TRY(read_move(arena, exchange->request.body, &move));
    publish_now(exchange->thread_context); /* what was counted, at the time it was */
    enum clock_moved moved = engine_move_clock(engine, clock, &move, ret_now_ms);
    publish_now(exchange->thread_context); /* nothing that comes now belongs to a minute before */
    switch (moved) {
    case CLOCK_MOVED:
        break;
    case CLOCK_WOULD_GO_BACK:
        return error_validation(arena, "time only goes forward; it is %.3f now",
                                (double)*ret_now_ms / 1000);
    case CLOCK_TOO_FAR:
        return refused(arena, too_far);
    }
    return NULL;
}

static void reply(struct exchange *exchange, int64_t now_ms, bool running,
                  const struct error *error) {
    struct json_writer json;
    own_reply_begin(exchange, &json);
    if (error == NULL) {
        JSON_NAME_LITERAL(&json, "Now");
        json_timestamp(&json, now_ms);
        member_bool(&json, "Running", running);
    }
    own_reply_end(exchange, &json, error);
}

bool clock_route_handle(struct exchange *exchange, const struct pipeline_thread *thread) {
    const struct http_request *request = &exchange->request;
    struct movable_clock *clock = thread->test_clock;
    bool reads = request->verb == HTTP_VERB_GET || request->verb == HTTP_VERB_HEAD;
    if (clock == NULL || (!reads && request->verb != HTTP_VERB_POST))
        return false;
    int64_t now_ms = clock_now_ms(&clock->clock);
    struct error *error = reads ? NULL : move_clock(exchange, clock, thread->ops.engine, &now_ms);
    reply(exchange, now_ms, movable_clock_is_running(clock), error);
    return true;
}
