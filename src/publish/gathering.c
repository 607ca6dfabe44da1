/* gathering.c - see gathering.h: what was read last, and what came since. */
#include "publish/gathering.h"

#include <stdlib.h>

#include "base/check.h"
#include "publish/publication.h"

enum { MINUTE_MS = 60000 };

struct gathering {
    struct gathering_options options;
    int64_t sampled_ms; /* when it was asked last, or began */
    struct meter_sums last;
    struct arena arenas[2]; /* of what was read last, and of what is being read */
    unsigned turn;
};

struct gathering *gathering_new(const struct gathering_options *options) {
    struct gathering *gathering = calloc(1, sizeof(*gathering));
    CHECK(gathering != NULL);
    gathering->options = *options;
    arena_init(&gathering->arenas[0]);
    arena_init(&gathering->arenas[1]);
    gathering_begin(gathering);
    return gathering;
}

void gathering_free(struct gathering *gathering) {
    if (gathering == NULL)
        return;
    arena_release(&gathering->arenas[0]);
    arena_release(&gathering->arenas[1]);
    free(gathering);
}

void gathering_begin(struct gathering *gathering) {
    gathering->sampled_ms = clock_now_ms(gathering->options.clock);
}

/* A minute that has just begun gets nothing that was counted before it. */
static int64_t time_of(const struct gathering *gathering, int64_t now_ms) {
    int64_t minute_ms = now_ms - now_ms % MINUTE_MS;
    return gathering->sampled_ms < minute_ms ? minute_ms - 1 : now_ms;
}

void gathering_publish(struct gathering *gathering, struct publication *to) {
    int64_t now_ms = clock_now_ms(gathering->options.clock);
    struct arena *arena = &gathering->arenas[gathering->turn];
    struct meter_sums now;
    to->names = gathering->options.names;
    to->time_ms = time_of(gathering, now_ms);
    arena_reset(arena);
    meters_read(gathering->options.meters, arena, true, &now);
    publish_meters(to, &now, &gathering->last);
    gathering->last = now;
    gathering->turn ^= 1;
    gathering->sampled_ms = now_ms;
}

void gathering_bundle(struct gathering *gathering, struct buffer *bundle) {
    struct publication to = {.bundle = bundle};
    gathering_publish(gathering, &to);
}
