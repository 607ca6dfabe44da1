/* net_scene.c - see net_scene.h. */
#include "net_scene.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/container.h"

enum { WAIT_S = 10 };

struct net_scene scene;

/* ---- events ---- */

static struct heard *heard_of(struct net_stream *stream) {
    return container_of(stream, struct heard, stream);
}

static void hear(struct net_stream *stream, char event) {
    struct heard *heard = heard_of(stream);
    pthread_mutex_lock(&scene.mutex);
    size_t len = strlen(heard->log);
    CHECK(len + 1 < HEARD_MAX);
    heard->log[len] = event;
    pthread_cond_broadcast(&scene.changed);
    pthread_mutex_unlock(&scene.mutex);
    if (scene.on != NULL)
        scene.on(heard, event);
}

#define HEARS(name, letter)                       \
    static void name(struct net_stream *stream) { \
        hear(stream, letter);                     \
    }
HEARS(on_opened, 'o')
HEARS(on_ended, 'e')
HEARS(on_written, 'w')
HEARS(on_expired, 'x')
HEARS(on_drain, 'd')
HEARS(on_turn, 't')
HEARS(on_turned, 'T')
HEARS(on_closed, 'c')
#undef HEARS

static struct net_space on_space(struct net_stream *stream) {
    struct heard *heard = heard_of(stream);
    return (struct net_space){heard->input + heard->len, heard->room - heard->len};
}

static void on_arrived(struct net_stream *stream, size_t len) {
    pthread_mutex_lock(&scene.mutex);
    heard_of(stream)->len += len;
    pthread_mutex_unlock(&scene.mutex);
    hear(stream, 'a');
}

static void on_ticked(struct net_stream *stream) {
    pthread_mutex_lock(&scene.mutex);
    heard_of(stream)->ticks++;
    pthread_cond_broadcast(&scene.changed);
    pthread_mutex_unlock(&scene.mutex);
}

const struct net_stream_events scene_events = {
    .opened = on_opened,
    .space = on_space,
    .arrived = on_arrived,
    .ended = on_ended,
    .written = on_written,
    .expired = on_expired,
    .ticked = on_ticked,
    .drain = on_drain,
    .turn = on_turn,
    .turned = on_turned,
    .closed = on_closed,
};

/* ---- the server ---- */

static struct net_stream *accept_one(void *user, struct net_loop *loop) {
    (void)user;
    if (scene.no_memory)
        return NULL;
    struct heard *heard = calloc(1, sizeof(*heard));
    CHECK(heard != NULL);
    net_stream_init(&heard->stream, &scene_events);
    heard->room = scene.room;
    pthread_mutex_lock(&scene.mutex);
    CHECK(scene.count < sizeof(scene.streams) / sizeof(scene.streams[0]));
    scene.loops[scene.count] = net_loop_index(loop);
    scene.streams[scene.count++] = heard;
    pthread_cond_broadcast(&scene.changed);
    pthread_mutex_unlock(&scene.mutex);
    return &heard->stream;
}

static void *thread_start(void *user, struct net_loop *loop) {
    (void)user;
    pthread_mutex_lock(&scene.mutex);
    scene.started++;
    pthread_mutex_unlock(&scene.mutex);
    return loop;
}

static void thread_stop(void *user, void *context) {
    (void)user;
    CHECK(context != NULL);
    pthread_mutex_lock(&scene.mutex);
    scene.stopped++;
    pthread_mutex_unlock(&scene.mutex);
}

struct net_server_options scene_options(unsigned threads) {
    return (struct net_server_options){
        .threads = threads,
        .connections_max = 100,
        .connections_per_peer_max = 100,
        .tick_ms = 5,
        .write_timeout_ms = 60 * 1000,
        .accept = accept_one,
        .thread_start = thread_start,
        .thread_stop = thread_stop,
    };
}

void scene_start(const struct net_server_options *options) {
    struct net_server_options all = *options;
    scene = (struct net_scene){.room = ROOM_MAX};
    arena_init(&scene.arena);
    CHECK(pthread_mutex_init(&scene.mutex, NULL) == 0);
    CHECK(pthread_cond_init(&scene.changed, NULL) == 0);
    CHECK(net_sockets_open(&scene.arena, SLICE_LITERAL("127.0.0.1"), 0, &all.sockets) == NULL);
    scene.port = all.sockets.port;
    CHECK(net_server_start(&scene.arena, &all, &scene.server) == NULL);
}

void scene_stop(uint32_t grace_ms) {
    net_server_stop(scene.server, grace_ms);
    CHECK(scene.started == scene.stopped);
    for (size_t i = 0; i < scene.count; i++) {
        size_t len = strlen(scene.streams[i]->log);
        CHECK(len > 0 && scene.streams[i]->log[len - 1] == 'c');
        free(scene.streams[i]);
    }
    pthread_cond_destroy(&scene.changed);
    pthread_mutex_destroy(&scene.mutex);
    arena_release(&scene.arena);
}

/* ---- waiting ---- */

/* The mutex is held. */
static void wait_for_change(const struct timespec *deadline) {
    CHECK(pthread_cond_timedwait(&scene.changed, &scene.mutex, deadline) == 0);
}

static struct timespec deadline(void) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += WAIT_S;
    return at;
}

static unsigned times_of(const char *log, char event) {
    unsigned times = 0;
    for (; *log != '\0'; log++)
        times += *log == event;
    return times;
}

void scene_await(struct heard *heard, char event, unsigned times) {
    struct timespec until = deadline();
    pthread_mutex_lock(&scene.mutex);
    while (times_of(heard->log, event) < times)
        wait_for_change(&until);
    pthread_mutex_unlock(&scene.mutex);
}

void scene_await_ticks(struct heard *heard, unsigned more) {
    struct timespec until = deadline();
    pthread_mutex_lock(&scene.mutex);
    unsigned reached = heard->ticks + more;
    while (heard->ticks < reached)
        wait_for_change(&until);
    pthread_mutex_unlock(&scene.mutex);
}

void scene_await_refused(uint64_t count) {
    for (int i = 0; i < WAIT_S * 1000 && net_server_stats(scene.server).refused != count; i++)
        usleep(1000);
    CHECK(net_server_stats(scene.server).refused == count);
}

struct heard *scene_connect(struct raw_client *ret_client) {
    struct timespec until = deadline();
    pthread_mutex_lock(&scene.mutex);
    size_t before = scene.count;
    pthread_mutex_unlock(&scene.mutex);
    raw_connect(ret_client, scene.port);
    pthread_mutex_lock(&scene.mutex);
    while (scene.count == before)
        wait_for_change(&until);
    struct heard *heard = scene.streams[before];
    pthread_mutex_unlock(&scene.mutex);
    scene_await(heard, 'o', 1);
    return heard;
}

struct run {
    struct net_task task;
    void (*run)(void *user);
    void *user;
    bool over;
};

static void run_now(struct net_task *task) {
    struct run *run = container_of(task, struct run, task);
    run->run(run->user);
    pthread_mutex_lock(&scene.mutex);
    run->over = true;
    pthread_cond_broadcast(&scene.changed);
    pthread_mutex_unlock(&scene.mutex);
}

void scene_run(unsigned loop, void (*run)(void *user), void *user) {
    struct timespec until = deadline();
    struct run one = {.task = {.run = run_now}, .run = run, .user = user};
    net_loop_post(net_server_loop(scene.server, loop), &one.task);
    pthread_mutex_lock(&scene.mutex);
    while (!one.over)
        wait_for_change(&until);
    pthread_mutex_unlock(&scene.mutex);
}
