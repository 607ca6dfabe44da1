/* net_scene.h - a server whose streams record their events and run a hook of the test.
 *
 * Each event appends a letter to the stream's log: o opened, a arrived, e ended, w written, x
 * expired, d drain, t turn, T turned, c closed. `ticked` events are only counted.
 * Every wait fails after ten seconds. */
#ifndef GRAMME_TESTS_NET_SCENE_H
#define GRAMME_TESTS_NET_SCENE_H

#include <pthread.h>

#include "net/server.h"
#include "unit/endpoint/raw_client.h"

enum { HEARD_MAX = 256, ROOM_MAX = 64 };

struct heard {
    struct net_stream stream;
    size_t room; /* for input, which the test consumes */
    uint8_t input[ROOM_MAX];
    size_t len;
    char log[HEARD_MAX];
    unsigned ticks;
    enum net_write_result result; /* of the last write */
};

struct net_scene {
    struct arena arena;
    struct net_server *server;
    uint16_t port;
    pthread_mutex_t mutex; /* of the members below, and of every stream's log */
    pthread_cond_t changed;
    struct heard *streams[8]; /* in the order of arrival; freed by scene_stop() */
    unsigned loops[8];        /* the loop of each stream */
    size_t count;
    size_t room; /* of new streams */
    unsigned started, stopped;
    bool no_memory;                              /* for new streams */
    void (*on)(struct heard *heard, char event); /* on the loop's thread; or NULL */
};

extern struct net_scene scene;
extern const struct net_stream_events scene_events;

struct net_server_options scene_options(unsigned threads);
void scene_start(const struct net_server_options *options);
void scene_stop(uint32_t grace_ms);

/* Connects and waits until the server has opened its stream. */
struct heard *scene_connect(struct raw_client *ret_client);
/* Waits for the given number of these events. */
void scene_await(struct heard *heard, char event, unsigned times);
void scene_await_ticks(struct heard *heard, unsigned more);
/* Waits until this many connections were refused. */
void scene_await_refused(uint64_t count);
/* Runs a function on the loop's thread and waits until it returned. */
void scene_run(unsigned loop, void (*run)(void *user), void *user);

#endif
