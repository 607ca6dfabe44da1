/* service_frame.h - the parts of a running service, and what they share. Private to the frame. */
#ifndef APPS_COMMON_SERVICE_FRAME_H
#define APPS_COMMON_SERVICE_FRAME_H

#include <microhttpd.h>
#include <pthread.h>

#include "common/service.h"
#include "common/service_metrics.h"

enum { THREADS_MAX = 256 };

struct task_thread;

struct frame {
    struct app *app;
    struct service *service;
    bool loopback; /* only this machine reaches it: then it answers to this machine's names only */
    size_t route_count;
    size_t task_count;
    struct route_metrics *routes; /* and one more, for what has no route */
    struct task_metrics *task_metrics;
    struct task_thread *tasks;
    pthread_mutex_t lock;
    struct app *idle[THREADS_MAX]; /* apps that no request has at the moment */
    int idle_count;
    atomic_int open_requests;
};

/* Zeroed memory; there is always some. */
void *frame_make(size_t count, size_t size);

/* service_http.c: libmicrohttpd's callbacks; their `user` is the frame. */
enum MHD_Result http_handle(void *user, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **state);
void http_forget(void *user, struct MHD_Connection *connection, void **state,
                 enum MHD_RequestTerminationCode code);

/* service_tasks.c. Reads how often each runs; says what is wrong. */
bool tasks_prepare(struct frame *frame);
void tasks_start(struct frame *frame);
/* Tells all that it is to end, and waits for them. */
void tasks_stop(struct frame *frame);

#endif
