/* echo_server.h - an endpoint for tests whose handler does what the query string says.
 *
 * POST / replies with the body at once, /?late from another thread, /?held from another thread once
 * echo_server_let_go() was called, /?big=N with N bytes, /?close with "Connection: close". GET
 * /other is answered by the second handler. */
#ifndef GRAMME_TESTS_ECHO_SERVER_H
#define GRAMME_TESTS_ECHO_SERVER_H

#include <pthread.h>

#include "endpoint/endpoint.h"

struct echo_server {
    struct arena arena;
    struct endpoint *endpoint;
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct net_task *late; /* exchanges' tasks, to be posted */
    struct net_task *held;
    unsigned held_count;
    bool ended;
    unsigned threads_started, threads_stopped;
};

/* Answers to the name "h", too, and to pages of every origin. */
struct endpoint_config echo_server_config(void);
/* The config's handlers and user are filled in here. */
void echo_server_start(struct echo_server *server, struct endpoint_config config);
void echo_server_stop(struct echo_server *server, uint32_t grace_ms);
void echo_server_let_go(struct echo_server *server);
unsigned echo_server_held(struct echo_server *server);
void echo_server_wait_held(struct echo_server *server, unsigned count);
/* Waits until so many connections are open. */
void echo_server_wait_connections(struct echo_server *server, unsigned count);
/* Waits until the budgets are as if nobody had used them: a reply may arrive a moment before. */
void echo_server_wait_no_memory(struct echo_server *server);

#endif
