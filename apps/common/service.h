/* service.h - a program that runs by itself: an HTTP API of plain JSON, and background work.
 *
 * A service is a table of routes and a table of tasks. service_run() listens, answers requests by
 * their routes, runs every task again and again in a thread of its own, and returns when SIGTERM or
 * SIGINT came and all of that has come to its end. The routes' parameters are checked before their
 * functions are called; /openapi.json tells of all of them, /health that the process lives,
 * /health/ready that it can work, /metrics what it did, in the text form of Prometheus.
 *
 * What a function says with app_fail() and its like is the reply: {"error": "..."}, with status 400
 * for APP_USAGE and 500 for APP_FAILED unless call->status says otherwise. Of a task it goes to
 * stderr.
 *
 * Several copies may run at once: nothing is kept but in the tables.
 * Threads: each request and each task has an app, and so a client, to itself.
 * Limits: SERVICE_BODY_MAX bytes of a request, as many connections as there are threads. */
#ifndef APPS_COMMON_SERVICE_H
#define APPS_COMMON_SERVICE_H

#include <stdatomic.h>

#include "common/app.h"

enum { SERVICE_PATH_MAX = 4, SERVICE_BODY_MAX = 1 << 20 };

struct service_call {
    struct app *app;
    const char *path[SERVICE_PATH_MAX]; /* what stands for the {names} in the route's path */
    const struct ddb_item *body;        /* the JSON object that was sent; without one, empty */
    struct ddb_item *reply;             /* to be filled: the JSON object to send */
    int status;                         /* HTTP's; 0: as told above, 200 for APP_OK */
    int64_t max_age_s;                  /* how long a client may keep the reply; 0: not at all */
    char *text;            /* a reply that is no object, from malloc(): sent in its place, ... */
    size_t text_size;      /* ... and free()d, when the call was fine */
    const char *text_type; /* "text/html; charset=utf-8" */
    void *connection;      /* the frame's own */
};

/* A parameter of the query string, else the default. */
const char *service_query(const struct service_call *call, const char *name, const char *otherwise);

enum service_type { SERVICE_STRING, SERVICE_NUMBER, SERVICE_BOOLEAN, SERVICE_OBJECT, SERVICE_LIST };

struct service_parameter {
    const char *name;
    enum service_place { SERVICE_QUERY, SERVICE_BODY } place;
    enum service_type type; /* of the query string all are strings */
    bool required;
    const char *help;
};

struct service_route {
    const char *method; /* "GET", "POST", "DELETE" */
    const char *path;   /* "/quotes/{symbol}" */
    const char *summary;
    enum app_status (*run)(struct service_call *call);
    const struct service_parameter *parameters; /* ends with one without a name; NULL: none */
};

struct service_task {
    const char *name;  /* "refresh" */
    const char *every; /* the option that says how often: "refresh-every" */
    int64_t every_s;   /* without it; 0: then it does not run at all */
    enum app_status (*run)(struct app *app);
};

struct service_counter {
    const char *name; /* "source_requests_total"; the program's name goes before it */
    const char *help;
    atomic_uint_fast64_t count;
    bool age; /* it counts nothing: it is a time in seconds since 1970, and how long ago is shown */
};

struct service {
    const struct service_route *routes; /* ends with one without a path */
    const struct service_task *tasks;   /* ends with one without a name; NULL: none */
    struct service_counter *counters;   /* likewise: what else is counted */
    /* Whether it can work now: its table can be read; or NULL. */
    bool (*is_ready)(struct app *app);
};

#define SERVICE_OPTIONS                                                                     \
    {"host", "HOST", "address to listen at; 127.0.0.1 when not given", false},              \
        {"port", "N", "port to listen at; 0 picks a free one; 8080 when not given", false}, \
        {"threads", "N", "connections at the same time; 64 when not given", false}, {       \
        "openapi", NULL, "prints what it answers, as OpenAPI, and ends", false              \
    }

/* The `serve` command. */
enum app_status service_run(struct app *app, struct service *service);
/* It is to end: a task that takes long gives up at the next good moment. */
bool service_is_stopping(void);
/* For a task: runs it for each word of a list with commas between. One that fails, which is told at
 * the end, does not keep the others from being run. */
enum { SERVICE_WORD_SIZE = 64 };
enum app_status service_each(struct app *app, const char *list,
                             enum app_status (*run)(struct app *app, const char *word,
                                                    void *context),
                             void *context);

static inline void service_count(struct service_counter *counter) {
    atomic_fetch_add_explicit(&counter->count, 1, memory_order_relaxed);
}

#endif
