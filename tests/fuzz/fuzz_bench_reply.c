/* fuzz_bench_reply.c - whatever a server answers, in one part or in two, is read the same way and
 * within its bytes. The first byte tells where the second part begins. */
#include <stdlib.h>

#include "bench/reply.h"
#include "fuzz.h"

struct outcome {
    enum reply_result result;
    struct reply reply;
    char *data;
    size_t len;
};

/* In two parts unless `first` is all of it; ends early when the first one is enough. */
static struct outcome read_parts(struct slice input, size_t first) {
    struct outcome outcome = {.data = malloc(input.len + 1), .len = first};
    CHECK(outcome.data != NULL);
    memcpy(outcome.data, input.data, first);
    reply_init(&outcome.reply);
    outcome.result = reply_read(&outcome.reply, outcome.data, &outcome.len);
    if (outcome.result != REPLY_MORE || first == input.len)
        return outcome;
    memcpy(outcome.data + outcome.len, input.data + first, input.len - first);
    outcome.len += input.len - first;
    outcome.result = reply_read(&outcome.reply, outcome.data, &outcome.len);
    return outcome;
}

static void look_at(const struct outcome *outcome) {
    struct arena arena;
    if (outcome->result != REPLY_COMPLETE)
        return;
    CHECK(outcome->reply.head_len + outcome->reply.body_len == outcome->len);
    struct slice body = slice_of(outcome->data + outcome->reply.head_len, outcome->reply.body_len);
    arena_init(&arena);
    reply_read_error(body, &arena);
    reply_has_unprocessed(body);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct slice input = slice_of(data + 1, size - 1);
    struct outcome whole = read_parts(input, input.len);
    struct outcome parts = read_parts(input, input.len * data[0] / 256);
    look_at(&whole);
    look_at(&parts);
    /* What follows a whole reply is a fault only when it is there already. */
    CHECK(parts.result == whole.result || parts.result == REPLY_COMPLETE);
    if (parts.result == REPLY_COMPLETE && whole.result == REPLY_COMPLETE) {
        CHECK(parts.reply.status == whole.reply.status && parts.len == whole.len);
        CHECK(memcmp(parts.data, whole.data, whole.len) == 0);
    }
    free(whole.data);
    free(parts.data);
    return 0;
}
