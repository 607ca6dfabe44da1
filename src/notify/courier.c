/* courier.c - see courier.h.
 *
 * A lane is a place with its parcels. Who sends appends, under the lock, to a lane that has some or
 * puts a new one in front of all; everything else is the thread's, which takes parcels off, under
 * the lock too, and removes lanes that have none any more. */
#include "notify/courier.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/random.h"
#include "notify/command.h"
#include "notify/post.h"

enum {
    ATTEMPTS = 4,
    CONNECT_MS = 5000,
    ATTEMPT_MS = 10000,
    PAUSE_MS = 1000,
    GRACE_MS = 2000,
    PAUSE_FACTOR = 4,
    REST_MS = 60 * 60 * 1000, /* when there is nothing to do */
};

struct errand {
    struct errand *next;
    struct arena arena; /* of the parcel */
    struct parcel parcel;
};

/* A place: what is on its way to it. */
struct lane {
    struct lane *next;
    enum parcel_by by;
    struct slice to; /* of its first errand, always */
    struct errand *first;
    struct errand **last;
    unsigned count;    /* under the lock */
    unsigned attempts; /* of the first */
    int64_t due_ms;    /* monotonic: not before; of an attempt under way, not after */
    struct post *post; /* of the attempt under way */
    struct command_run *command;
};

struct courier {
    struct courier_options options;
    CURLM *multi;
    pthread_t thread;
    _Atomic bool stopping;
    pthread_mutex_t lock;
    /* Under the lock: */
    struct lane *lanes; /* they come with parcels, and go on the thread only */
    unsigned parcels;
    /* The thread's: */
    unsigned trips;
};

static int64_t monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- parcels ---- */

static struct errand *errand_new(const struct parcel *parcel) {
    struct errand *errand = calloc(1, sizeof(*errand));
    CHECK(errand != NULL);
    arena_init(&errand->arena);
    struct arena *arena = &errand->arena;
    errand->parcel = *parcel;
    errand->parcel.id = arena_slice(arena, parcel->id);
    errand->parcel.to = arena_slice(arena, parcel->to);
    errand->parcel.body = arena_slice(arena, parcel->body);
    for (size_t i = 0; i < PARCEL_HEADERS_MAX; i++)
        if (slice_present(parcel->headers[i]))
            errand->parcel.headers[i] = arena_slice(arena, parcel->headers[i]);
    return errand;
}

static void errand_free(struct errand *errand) {
    arena_release(&errand->arena);
    free(errand);
}

static struct lane *find_lane(struct courier *courier, const struct parcel *parcel) {
    struct lane *lane = courier->lanes;
    while (lane != NULL &&
           !(lane->count > 0 && lane->by == parcel->by && slice_equal(lane->to, parcel->to)))
        lane = lane->next;
    return lane;
}

static struct lane *add_lane(struct courier *courier, const struct errand *errand) {
    struct lane *lane = calloc(1, sizeof(*lane));
    CHECK(lane != NULL);
    lane->by = errand->parcel.by;
    lane->to = errand->parcel.to;
    lane->last = &lane->first;
    lane->next = courier->lanes;
    courier->lanes = lane;
    return lane;
}

bool courier_send(struct courier *courier, const struct parcel *parcel) {
    pthread_mutex_lock(&courier->lock);
    struct lane *lane = find_lane(courier, parcel);
    bool room =
        courier->parcels < COURIER_PARCELS_MAX && (lane == NULL || lane->count < COURIER_LANE_MAX);
    if (room) {
        struct errand *errand = errand_new(parcel);
        if (lane == NULL)
            lane = add_lane(courier, errand);
        *lane->last = errand;
        lane->last = &errand->next;
        lane->count++;
        courier->parcels++;
    }
    pthread_mutex_unlock(&courier->lock);
    if (room)
        libcurl.multi_wakeup(courier->multi);
    return room;
}

/* The first errand has its outcome. */
static void drop_first(struct courier *courier, struct lane *lane) {
    pthread_mutex_lock(&courier->lock);
    struct errand *errand = lane->first;
    lane->first = errand->next;
    if (lane->first != NULL)
        lane->to = lane->first->parcel.to;
    lane->count--;
    courier->parcels--;
    pthread_mutex_unlock(&courier->lock);
    errand_free(errand);
    lane->attempts = 0;
    lane->due_ms = 0;
}

/* Lanes come while it walks, always in front; they are seen in the next round. */
static struct lane *first_lane(struct courier *courier) {
    pthread_mutex_lock(&courier->lock);
    struct lane *lane = courier->lanes;
    pthread_mutex_unlock(&courier->lock);
    return lane;
}

/* ---- attempts ---- */

/* Up to half as long again, so that all that waited do not come at once. */
static int64_t pause_after(const struct courier *courier, unsigned attempts) {
    uint64_t ms = courier->options.pause_ms;
    for (unsigned i = 1; i < attempts; i++)
        ms *= PAUSE_FACTOR;
    return (int64_t)(ms + random_below(&system_random, ms / 2 + 1));
}

static void settle(struct courier *courier, struct lane *lane, const struct outcome *outcome) {
    lane->attempts++;
    if (outcome->kind == OUTCOME_FAILED && lane->attempts < courier->options.attempts) {
        lane->due_ms = monotonic_ms() + pause_after(courier, lane->attempts);
        return;
    }
    courier->options.done(courier->options.user, &lane->first->parcel, outcome);
    drop_first(courier, lane);
}

static void end_trip(struct courier *courier, struct lane *lane) {
    post_free(lane->post);
    command_free(lane->command);
    lane->post = NULL;
    lane->command = NULL;
    courier->trips--;
}

static bool is_under_way(const struct lane *lane) {
    return lane->post != NULL || lane->command != NULL;
}

static void begin_trip(struct courier *courier, struct lane *lane) {
    const struct courier_options *options = &courier->options;
    const struct parcel *parcel = &lane->first->parcel;
    struct post_limits limits = {options->connect_ms, options->attempt_ms, options->hosts};
    struct outcome outcome;
    if (parcel->by == PARCEL_BY_POST)
        lane->post = post_start(courier->multi, parcel, &limits, &outcome);
    else
        lane->command = command_start(parcel, &outcome);
    if (!is_under_way(lane)) {
        settle(courier, lane, &outcome);
        return;
    }
    lane->due_ms = monotonic_ms() + options->attempt_ms;
    courier->trips++;
}

static void look_at_command(struct courier *courier, struct lane *lane) {
    struct outcome outcome = {.kind = OUTCOME_FAILED, .text = "the command took too long"};
    if (lane->command == NULL)
        return;
    if (!command_ended(lane->command, &outcome) && monotonic_ms() < lane->due_ms)
        return;
    end_trip(courier, lane);
    settle(courier, lane, &outcome);
}

static void look_at_post(struct courier *courier, const CURLMsg *message) {
    struct lane *lane = first_lane(courier);
    struct outcome outcome;
    while (lane->post == NULL || post_handle(lane->post) != message->easy_handle)
        lane = lane->next;
    post_finish(lane->post, message->data.result, &outcome);
    end_trip(courier, lane);
    settle(courier, lane, &outcome);
}

/* ---- the thread ---- */

static void remove_empty(struct courier *courier) {
    pthread_mutex_lock(&courier->lock);
    for (struct lane **at = &courier->lanes; *at != NULL;) {
        struct lane *lane = *at;
        if (lane->first != NULL) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        free(lane);
    }
    pthread_mutex_unlock(&courier->lock);
}

/* All that was due by then, as far as there is room. */
static void begin_trips(struct courier *courier, int64_t now_ms) {
    for (struct lane *lane = first_lane(courier); lane != NULL; lane = lane->next)
        while (lane->first != NULL && !is_under_way(lane) && lane->due_ms <= now_ms &&
               courier->trips < COURIER_TRIPS_MAX && !atomic_load(&courier->stopping))
            begin_trip(courier, lane);
}

static void finish_commands(struct courier *courier) {
    for (struct lane *lane = first_lane(courier); lane != NULL; lane = lane->next)
        look_at_command(courier, lane);
}

static void finish_posts(struct courier *courier) {
    int running, left;
    CURLMsg *message;
    libcurl.multi_perform(courier->multi, &running);
    while ((message = libcurl.multi_info_read(courier->multi, &left)) != NULL)
        if (message->msg == CURLMSG_DONE)
            look_at_post(courier, message);
}

/* Until something is due, a descriptor is ready or somebody calls. What was due at `begun_ms` and
 * is not under way has no room, and waits for one that ends; what became due since is due now. */
static void rest(struct courier *courier, int64_t begun_ms, int64_t latest_ms) {
    struct curl_waitfd waited[COURIER_TRIPS_MAX];
    unsigned count = 0;
    int64_t now_ms = monotonic_ms(), until_ms = now_ms + REST_MS;
    for (struct lane *lane = first_lane(courier); lane != NULL; lane = lane->next) {
        if (lane->command != NULL && command_descriptor(lane->command) >= 0)
            waited[count++] =
                (struct curl_waitfd){command_descriptor(lane->command), CURL_WAIT_POLLIN, 0};
        bool waits = lane->first != NULL && (is_under_way(lane) || lane->due_ms > begun_ms);
        if (waits && lane->due_ms < until_ms)
            until_ms = lane->due_ms;
    }
    if (latest_ms != 0 && latest_ms < until_ms)
        until_ms = latest_ms;
    int timeout_ms = until_ms <= now_ms ? 1 : (int)(until_ms - now_ms);
    libcurl.multi_poll(courier->multi, waited, count, timeout_ms, NULL);
}

static void *courier_main(void *argument) {
    struct courier *courier = argument;
    int64_t latest_ms = 0; /* when it stops, whatever is under way */
    for (;;) {
        finish_posts(courier);
        finish_commands(courier);
        int64_t begun_ms = monotonic_ms();
        begin_trips(courier, begun_ms);
        remove_empty(courier);
        if (atomic_load(&courier->stopping) && latest_ms == 0)
            latest_ms = monotonic_ms() + courier->options.grace_ms;
        if (latest_ms != 0 && (courier->trips == 0 || monotonic_ms() >= latest_ms))
            return NULL;
        rest(courier, begun_ms, latest_ms);
    }
}

/* ---- life ---- */

static uint32_t unless_zero(uint32_t n, uint32_t usual) {
    return n == 0 ? usual : n;
}

static void courier_free(struct courier *courier) {
    while (courier->lanes != NULL) {
        struct lane *lane = courier->lanes;
        courier->lanes = lane->next;
        if (is_under_way(lane))
            end_trip(courier, lane);
        while (lane->first != NULL)
            drop_first(courier, lane);
        free(lane);
    }
    if (courier->multi != NULL)
        libcurl.multi_cleanup(courier->multi);
    pthread_mutex_destroy(&courier->lock);
    free(courier);
}

struct error *courier_start(struct arena *arena, const struct courier_options *options,
                            struct courier **ret_courier) {
    if (!libcurl_load())
        return error_local(arena, "libcurl, by which messages are sent, cannot be loaded");
    struct courier *courier = calloc(1, sizeof(*courier));
    CHECK(courier != NULL);
    courier->options = *options;
    courier->options.attempts = unless_zero(options->attempts, ATTEMPTS);
    courier->options.connect_ms = unless_zero(options->connect_ms, CONNECT_MS);
    courier->options.attempt_ms = unless_zero(options->attempt_ms, ATTEMPT_MS);
    courier->options.pause_ms = unless_zero(options->pause_ms, PAUSE_MS);
    courier->options.grace_ms = unless_zero(options->grace_ms, GRACE_MS);
    pthread_mutex_init(&courier->lock, NULL);
    courier->multi = libcurl.multi_init();
    if (courier->multi == NULL ||
        pthread_create(&courier->thread, NULL, courier_main, courier) != 0) {
        courier_free(courier);
        return error_local(arena, "the thread that sends messages did not start");
    }
    *ret_courier = courier;
    return NULL;
}

void courier_stop(struct courier *courier) {
    if (courier == NULL)
        return;
    atomic_store(&courier->stopping, true);
    libcurl.multi_wakeup(courier->multi);
    pthread_join(courier->thread, NULL);
    courier_free(courier);
}
