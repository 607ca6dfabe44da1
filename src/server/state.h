/* state.h - a server's parts: for the files that put it together. */
#ifndef GRAMME_SERVER_STATE_H
#define GRAMME_SERVER_STATE_H

#include <stdatomic.h>

#include "admin/control.h"
#include "admin/data_directory.h"
#include "admin/master_key.h"
#include "base/steady_clock.h"
#include "console/console.h"
#include "metrics/meters.h"
#include "pipeline/pages.h"
#include "pipeline/pipeline.h"
#include "server/config.h"
#include "server/telemetry.h"

struct access;
struct audit_log;
struct certificates;
struct delays;
struct endpoint;
struct faults;
struct publisher;
struct services;

struct server {
    struct server_config config;
    struct arena arena; /* lives as long as the server */
    struct worker_task trim_task;
    atomic_flag trims; /* the task is on its way */
    struct data_directory data;
    struct keyring *shared_secrets; /* seals secrets in a store of several servers; or NULL */
    struct slice place;             /* of such a store */
    struct store *store;            /* the engine's */
    struct engine *engine;
    struct access *access; /* NULL: signatures are not verified */
    struct control_service control_services[2];
    struct control_tally backups;
    struct slice first_key[2]; /* id and secret, until they were told; absent: there is none */
    size_t tables_unencrypted; /* when it started: that ask for what they do not get */
    struct audit_log *audit;   /* NULL: there is none */
    struct meters *meters;
    struct pages pages;
    struct console console;
    struct telemetry telemetry;
    const char *operations[METER_OPERATIONS_MAX]; /* by number; NULL: there is none */
    struct publisher *publisher;
    struct meter_thread *commit_meters;
    struct slow_log slow;
    struct endpoint *metrics_endpoint; /* NULL: it has no port of its own */
    struct certificates *certificates; /* NULL: plain HTTP */
    struct services *services;
    struct op_context inside; /* of operations that it asks for itself */
    struct workers *workers;
    struct endpoint *endpoint;
    struct control *control;
    struct slice endpoint_name;  /* host:port */
    const struct policy *policy; /* NULL: everything is allowed */
    const struct clock *clock;   /* DynamoDB's time: one of those below */
    struct steady_clock steady;
    struct movable_clock movable;
    struct throttle *throttle; /* NULL: nothing is limited */
    struct faults *faults;     /* NULL: nothing is to go wrong */
    struct delays *delays;     /* with faults */
};

/* threads.c: what each I/O thread and worker has. */
struct op_context server_context_new(struct server *server);
void server_context_free(struct op_context *context);
void *server_io_thread_start(void *user, unsigned index);
void server_io_thread_stop(void *user, void *context);
void server_io_thread_sent(void *user, void *context);
void *server_worker_start(void *user);
void server_worker_stop(void *user, void *context);

/* data.c: the store and the engine on it. */
struct error *server_start_engine(struct server *server, struct arena *arena);
/* Looks for tables that ask for encryption, on a disk where nothing is encrypted. */
void server_count_unencrypted(struct server *server);

/* watched.c: what a server tells of itself. */
void server_open_pages(struct server *server);
/* From here on they tell that requests are served. */
void server_publish_pages(struct server *server);
void server_name_operations(struct server *server);
struct error *server_start_publisher(struct server *server, struct arena *arena);
/* With a thread of its own, so that it answers when all others have too much to do, and before the
 * store is open, which may take a while. It has no authenticator: who can reach it may read. */
struct error *server_start_metrics_endpoint(struct server *server, struct arena *arena);
/* At the main port, while there is nothing else to answer there. */
struct error *server_start_waiting_endpoint(struct server *server, struct arena *arena,
                                            struct endpoint **ret_endpoint);

/* remote.c: a store that several servers share. Waits until this one leads it. */
struct error *server_open_remote(struct server *server, struct arena *arena,
                                 struct store **ret_store);

/* server.c: NULL ends the texts, or is for none. */
struct guard_names server_names_of(struct arena *arena, const char **texts);

/* beside.c: the services besides DynamoDB. */
struct error *server_open_services(struct server *server, struct arena *arena);

#endif
