/* clock.c - the system's clock, and one that can be moved. */
#include "base/clock.h"
#include "base/container.h"

static int64_t read_ms(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_now_ms(const struct clock *clock) {
    (void)clock;
    return read_ms(CLOCK_REALTIME);
}

const struct clock system_clock = {system_now_ms};

/* ---- the movable one ---- */

static int64_t state_of(int64_t now_ms, int64_t monotonic_ms, bool running) {
    return (running ? now_ms - monotonic_ms : now_ms) * 2 + (running ? 1 : 0);
}

static bool is_running(int64_t state) {
    return (state & 1) != 0;
}

static int64_t time_of(int64_t state, int64_t monotonic_ms) {
    int64_t ms = (state - (state & 1)) / 2;
    return is_running(state) ? ms + monotonic_ms : ms;
}

static int64_t movable_now_ms(const struct clock *clock) {
    const struct movable_clock *movable = container_of(clock, const struct movable_clock, clock);
    return time_of(atomic_load(&movable->state), read_ms(CLOCK_MONOTONIC));
}

void movable_clock_init(struct movable_clock *clock) {
    clock->clock.now_ms = movable_now_ms;
    clock->moved = NULL;
    atomic_init(&clock->state, state_of(read_ms(CLOCK_REALTIME), read_ms(CLOCK_MONOTONIC), true));
}

enum clock_moved movable_clock_move(struct movable_clock *clock, const struct clock_move *move) {
    int64_t before = atomic_load(&clock->state), after;
    do {
        int64_t monotonic_ms = read_ms(CLOCK_MONOTONIC);
        int64_t now_ms = time_of(before, monotonic_ms);
        int64_t start_ms = move->now_ms != 0 ? move->now_ms : now_ms;
        if (start_ms < now_ms || move->advance_ms < 0)
            return CLOCK_WOULD_GO_BACK;
        if (start_ms > CLOCK_MAX_MS || move->advance_ms > CLOCK_MAX_MS - start_ms)
            return CLOCK_TOO_FAR;
        after = state_of(start_ms + move->advance_ms, monotonic_ms,
                         move->set_running ? move->running : is_running(before));
    } while (!atomic_compare_exchange_weak(&clock->state, &before, after));
    if (clock->moved != NULL)
        clock->moved(clock->user);
    return CLOCK_MOVED;
}

bool movable_clock_is_running(const struct movable_clock *clock) {
    return is_running(atomic_load(&clock->state));
}
