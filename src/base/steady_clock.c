/* steady_clock.c - see steady_clock.h.
 *
 * Reading it is one look at the steady count; ten times a second one of the readers compares with
 * the system's clock. Small steps, as of NTP, are taken over as they are. */
#include "base/steady_clock.h"

#include <stdlib.h>
#include <time.h>

#include "base/container.h"
#include "base/log.h"

enum { LOOK_MS = 100 };

static int64_t read_ms(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t read_system_ms(void) {
    return read_ms(CLOCK_REALTIME);
}

static int64_t read_steady_ms(void) {
    return read_ms(CLOCK_BOOTTIME);
}

static bool is_jump(int64_t ms) {
    return llabs(ms) > STEADY_CLOCK_JUMP_MS;
}

/* The two clocks are read one after the other, so a jump of whole seconds may be a millisecond
 * off either way. */
static long long nearest_seconds(int64_t ms) {
    return (ms + (ms < 0 ? -500 : 500)) / 1000;
}

static void follow(struct steady_clock *clock, int64_t ahead_ms) {
    atomic_store_explicit(&clock->ahead_ms, ahead_ms, memory_order_relaxed);
    clock->doubted = false;
}

static void doubt(struct steady_clock *clock, int64_t jump_ms, int64_t ahead_ms, int64_t now_ms) {
    clock->doubted = true;
    clock->doubted_since_ms = now_ms;
    clock->doubted_ahead_ms = ahead_ms;
    log_error("the system's clock jumped by %+lld seconds: gramme goes on with its own time, so "
              "that nothing expires by mistake, and follows when the jump has lasted %lld seconds; "
              "a restart follows at once; see --clock-hold",
              nearest_seconds(jump_ms), nearest_seconds(clock->hold_ms));
}

static void compare(struct steady_clock *clock, int64_t now_ms) {
    int64_t ahead_ms = clock->system_ms() - now_ms;
    int64_t jump_ms = ahead_ms - atomic_load_explicit(&clock->ahead_ms, memory_order_relaxed);
    if (!is_jump(jump_ms)) {
        if (clock->doubted)
            log_warning("the system's clock is right again; its jump was not followed");
        follow(clock, ahead_ms);
    } else if (clock->hold_ms == 0) {
        log_warning("the system's clock jumped by %+lld seconds; it is followed",
                    nearest_seconds(jump_ms));
        follow(clock, ahead_ms);
    } else if (!clock->doubted || is_jump(ahead_ms - clock->doubted_ahead_ms)) {
        doubt(clock, jump_ms, ahead_ms, now_ms);
    } else if (now_ms - clock->doubted_since_ms >= clock->hold_ms) {
        log_warning("the system's clock kept to its jump of %+lld seconds: it is followed now",
                    nearest_seconds(jump_ms));
        follow(clock, ahead_ms);
    }
}

static int64_t steady_now_ms(const struct clock *base) {
    struct steady_clock *clock =
        container_of((struct clock *)(uintptr_t)base, struct steady_clock, clock);
    int64_t now_ms = clock->steady_ms();
    if (now_ms >= atomic_load_explicit(&clock->next_look_ms, memory_order_relaxed) &&
        !atomic_flag_test_and_set(&clock->looking)) {
        atomic_store_explicit(&clock->next_look_ms, now_ms + LOOK_MS, memory_order_relaxed);
        compare(clock, now_ms);
        atomic_flag_clear(&clock->looking);
    }
    return now_ms + atomic_load_explicit(&clock->ahead_ms, memory_order_relaxed);
}

void steady_clock_init(struct steady_clock *clock, int64_t hold_ms) {
    *clock = (struct steady_clock){
        .clock = {steady_now_ms},
        .hold_ms = hold_ms,
        .system_ms = read_system_ms,
        .steady_ms = read_steady_ms,
        .looking = ATOMIC_FLAG_INIT,
    };
    atomic_init(&clock->ahead_ms, read_system_ms() - read_steady_ms());
}
