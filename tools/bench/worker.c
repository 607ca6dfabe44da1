/* worker.c - the loop of a thread; see worker.h. */
#include "bench/worker.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/check.h"

enum {
    EVENTS_MAX = 256,
    CHECK_MS = 100,         /* between looks at time-outs and at the end */
    CHECK_SLEEPING_MS = 10, /* when a connection waits to go on */
    LATE_MS = 100,          /* after the end, to send what was due before it */
    STALL_S = 30,
    INTERRUPTED_WAIT_MS = 1000, /* for replies that are under way */
    OUTPUT_MAX = REQUEST_BODY_MAX + 64 * 1024,
};

#define MS UINT64_C(1000000)

/* ---- beginning and end ---- */

static void init_connections(struct worker *worker) {
    worker->connections = ARENA_ARRAY(&worker->arena, struct connection, worker->connection_count);
    worker->idle = ARENA_ARRAY(&worker->arena, struct connection *, worker->connection_count);
    for (unsigned i = 0; i < worker->connection_count; i++) {
        struct connection *connection = &worker->connections[i];
        connection->stream.fd = -1;
        buffer_init(&connection->output, OUTPUT_MAX);
        buffer_init(&connection->input, REPLY_HEAD_MAX + REPLY_BODY_MAX + INPUT_BYTES);
    }
}

static struct error *build_requests(struct worker *worker, struct arena *arena) {
    const struct run_settings *settings = worker->settings;
    const struct request_settings request = {.host = settings->endpoint->host_header,
                                             .credentials = &settings->credentials,
                                             .payload_bytes = settings->payload_bytes,
                                             .group = settings->group};
    for (size_t i = 0; i < settings->workload->kind_count; i++) {
        struct error *error = request_build(&worker->arena, &settings->workload->kinds[i].text,
                                            &request, &worker->requests[i]);
        if (error != NULL)
            return error_new(arena, error->code, "%.*s", SLICE_ARGS(error->message));
    }
    return settings->is_signed ? signer_init(&worker->signer, arena, &settings->credentials) : NULL;
}

static int open_timer(struct worker *worker) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    CHECK(timer >= 0 && epoll_ctl(worker->epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    return timer;
}

static void init_schedule(struct worker *worker, unsigned index) {
    const struct run_settings *settings = worker->settings;
    double rate = settings->rate / settings->threads;
    uint64_t begin = worker->shared->begin_ns - (uint64_t)(settings->warmup_s * 1e9);
    worker->timer = open_timer(worker);
    /* The threads take turns: together they keep the rate evenly. */
    schedule_init(&worker->schedule, begin + (uint64_t)(1e9 / settings->rate * index), rate);
}

struct error *worker_new(struct arena *arena, const struct run_settings *settings,
                         struct run_shared *shared, unsigned index, struct worker **ret_worker) {
    struct worker *worker = calloc(1, sizeof(*worker));
    CHECK(worker != NULL);
    *worker = (struct worker){.settings = settings, .shared = shared, .timer = -1};
    arena_init(&worker->arena);
    arena_init(&worker->scratch);
    worker->tally = ARENA_NEW(&worker->arena, struct tally);
    tally_init(worker->tally);
    worker->filler = (struct filler){.keys = settings->keys,
                                     .random = bench_random_seeded(settings->seed + index),
                                     .pool = shared->pool,
                                     .payload_bytes = settings->payload_bytes,
                                     .group = settings->group};
    worker->connection_count = settings->connections / settings->threads +
                               (index < settings->connections % settings->threads);
    worker->input = arena_alloc(&worker->arena, INPUT_BYTES);
    worker->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(worker->epoll >= 0);
    init_connections(worker);
    struct error *error = build_requests(worker, arena);
    if (error != NULL) {
        worker_free(worker);
        return error;
    }
    if (settings->rate > 0)
        init_schedule(worker, index);
    *ret_worker = worker;
    return NULL;
}

void worker_free(struct worker *worker) {
    if (worker == NULL)
        return;
    for (unsigned i = 0; i < worker->connection_count; i++) {
        stream_close(&worker->connections[i].stream);
        buffer_release(&worker->connections[i].output);
        buffer_release(&worker->connections[i].input);
    }
    if (worker->timer >= 0)
        close(worker->timer);
    close(worker->epoll);
    signer_release(&worker->signer);
    arena_release(&worker->scratch);
    arena_release(&worker->arena);
    free(worker);
}

/* ---- epoll ---- */

void worker_watch(struct worker *worker, struct connection *connection, bool output) {
    struct epoll_event event = {.events = EPOLLIN | (output ? (uint32_t)EPOLLOUT : 0),
                                .data.ptr = connection};
    if (connection->registered && connection->events == event.events)
        return;
    int action = connection->registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    CHECK(epoll_ctl(worker->epoll, action, connection->stream.fd, &event) == 0);
    connection->registered = true;
    connection->events = event.events;
}

static void handle(struct worker *worker, const struct epoll_event *event) {
    struct connection *connection = event->data.ptr;
    if (connection == NULL || connection->state == CLOSED)
        return; /* the timer; or closed since epoll spoke of it */
    if (connection->state == OPENING) {
        connection_finish_open(worker, connection);
        return;
    }
    if (connection->output.len > 0)
        connection_write(worker, connection);
    if ((event->events & ~(uint32_t)EPOLLOUT) != 0 && connection->state != CLOSED)
        connection_read(worker, connection);
}

/* ---- time ---- */

/* At a fixed rate what is due before the end is also sent, if only a little later. */
static bool time_is_over(const struct worker *worker, uint64_t now_ns) {
    uint64_t end_ns = worker->shared->end_ns;
    if (worker->timer < 0 || now_ns < end_ns)
        return now_ns >= end_ns;
    return schedule_due_ns(&worker->schedule) >= end_ns || now_ns >= end_ns + LATE_MS * MS;
}

/* A reply or an error: until then a worker goes on, however slow the machine or the server is. */
static bool has_result(const struct worker *worker) {
    return tally_replies(worker->tally) > 0 || worker->tally->first_error[0] != '\0';
}

static bool is_over(struct worker *worker, uint64_t now_ns) {
    return worker->exhausted || (time_is_over(worker, now_ns) && has_result(worker)) ||
           atomic_load_explicit(&worker->shared->stop, memory_order_relaxed) != RUN_GOES_ON;
}

bool worker_may_begin(struct worker *worker, uint64_t now_ns) {
    if (is_over(worker, now_ns))
        return false;
    if (worker->settings->count == 0)
        return true;
    int64_t left = atomic_fetch_sub_explicit(&worker->shared->tickets, 1, memory_order_relaxed);
    worker->exhausted = left <= 0;
    return left > 0;
}

/* Without anyone to send it, the next one has to wait for a reply and not for its time. */
static void arm_timer(struct worker *worker, uint64_t now_ns) {
    bool waits = worker->idle_count > 0 && !is_over(worker, now_ns);
    uint64_t next = waits ? schedule_due_ns(&worker->schedule) : 0;
    struct itimerspec at = {.it_value = {(time_t)(next / 1000000000), (long)(next % 1000000000)}};
    if (next != worker->armed_ns)
        timerfd_settime(worker->timer, TFD_TIMER_ABSTIME, &at, NULL);
    worker->armed_ns = next;
}

static void begin_due(struct worker *worker, uint64_t now_ns) {
    uint64_t due_ns = 0;
    while (worker->idle_count > 0 && schedule_due_ns(&worker->schedule) <= now_ns &&
           worker_may_begin(worker, now_ns)) {
        schedule_take(&worker->schedule, now_ns, &due_ns);
        connection_begin(worker, worker->idle[--worker->idle_count], due_ns);
    }
    arm_timer(worker, now_ns);
}

static void check(struct worker *worker, struct connection *connection, uint64_t now_ns) {
    uint64_t patience = worker->settings->timeout_ms * MS;
    bool waits = connection->state == WAITING || connection->state == OPENING;
    bool sleeps = connection->state == CLOSED || connection->state == PAUSED;
    if (waits && now_ns > connection->since_ns + patience) {
        connection_lose(worker, connection, "timeout", "no reply in time");
    } else if (sleeps && now_ns >= connection->wake_ns) {
        worker->sleeping--;
        if (connection->state == CLOSED)
            connection_open(worker, connection);
        else
            connection_go_on(worker, connection, now_ns);
    }
}

static void check_all(struct worker *worker, uint64_t now_ns) {
    worker->check_ns = now_ns + (worker->sleeping > 0 ? CHECK_SLEEPING_MS : CHECK_MS) * MS;
    for (unsigned i = 0; i < worker->connection_count; i++)
        check(worker, &worker->connections[i], now_ns);
    if (worker->settings->count > 0 && now_ns > worker->progress_ns + STALL_S * 1000 * MS)
        atomic_store(&worker->shared->stop, RUN_STALLED);
}

/* ---- the loop ---- */

/* Operations that have begun are finished, unless the user is in a hurry. */
static bool is_finished(struct worker *worker, uint64_t now_ns, uint64_t *hurry_ns) {
    if (!is_over(worker, now_ns))
        return false;
    if (worker->busy_count == 0)
        return true;
    if (atomic_load_explicit(&worker->shared->stop, memory_order_relaxed) == RUN_GOES_ON)
        return false;
    if (*hurry_ns == 0)
        *hurry_ns = now_ns + INTERRUPTED_WAIT_MS * MS;
    return now_ns >= *hurry_ns;
}

static int wait_ms(const struct worker *worker, uint64_t now_ns) {
    int longest = worker->sleeping > 0 ? CHECK_SLEEPING_MS : CHECK_MS;
    uint64_t end_ns = worker->shared->end_ns;
    if (end_ns <= now_ns || end_ns - now_ns >= (uint64_t)longest * MS)
        return longest;
    return (int)((end_ns - now_ns) / MS) + 1;
}

static void loop(struct worker *worker) {
    struct epoll_event events[EVENTS_MAX];
    uint64_t now = bench_now_ns(), hurry = 0;
    while (!is_finished(worker, now, &hurry)) {
        int count = epoll_wait(worker->epoll, events, EVENTS_MAX, wait_ms(worker, now));
        for (int i = 0; i < count; i++)
            handle(worker, &events[i]);
        now = bench_now_ns();
        if (worker->timer >= 0)
            begin_due(worker, now);
        if (now >= worker->check_ns)
            check_all(worker, now);
    }
}

void worker_run(struct worker *worker) {
    worker->progress_ns = bench_now_ns();
    for (unsigned i = 0; i < worker->connection_count; i++)
        connection_open(worker, &worker->connections[i]);
    loop(worker);
    for (unsigned i = 0; i < worker->connection_count; i++)
        if (worker->connections[i].busy)
            connection_lose(worker, &worker->connections[i], "unanswered",
                            "stopped before the reply");
    uint64_t now = bench_now_ns(), end = worker->shared->end_ns;
    if (worker->timer >= 0 && worker->settings->count == 0)
        worker->tally->behind = schedule_behind(&worker->schedule, now < end ? now : end);
}
