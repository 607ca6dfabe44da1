/* state.h - a server's parts: for the files that put it together. */
#ifndef GRAMME_SERVER_STATE_H
#define GRAMME_SERVER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "admin/control.h"
#include "admin/data_directory.h"
#include "admin/master_key.h"
#include "base/buffer.h"
#include "console/console.h"
#include "metrics/meters.h"
#include "pipeline/contexts.h"
#include "pipeline/pages.h"
#include "pipeline/pipeline.h"
#include "relay/relay.h"
#include "server/config.h"
#include "server/lookup.h"
#include "server/telemetry.h"
#include "store/postgres/members.h"
#include "store/postgres/peers.h"

struct access;
struct audit_log;
struct certificates;
struct delays;
struct endpoint;
struct kept_snapshot;
struct memory_snapshot;
struct policy_file;
struct reading;
struct thread_world;
struct world;
struct world_opening;

/* A server as one of several on a store: where it hears the others, and whom it hands requests on
 * to while it does not lead. Made, told and ended by the main thread. */
struct server_node {
    struct store *store;       /* that pages tell of while it has no engine; under their lock */
    struct tls_server *tls;    /* by the store's secret; NULL: it has its store for itself */
    struct endpoint *endpoint; /* at which the others hand requests on to it */
    char address[POSTGRES_ADDRESS_CHARS]; /* by which they know it */
    struct relay_tally tally;
    struct relay_leader leader;  /* as all threads know it */
    struct postgres_leader seen; /* likewise, as the store tells it */
    struct lookup *lookup;       /* of its address; NULL: it has none */
    enum lookup_state told;      /* as last sent to all threads */
    atomic_bool reads;           /* server->reading is there, for all threads */
    uint64_t read_at_ns;         /* when it tries to read itself */
    struct buffer counted;       /* what who leads is to hear of; empty: nothing yet */
    uint64_t tell_at_ns;         /* when that is told */
    atomic_bool freed;           /* memory, that is to be given back */
    bool joined;                 /* server->reading writes, too */
    bool lost;                   /* another server has the number that it wrote by */
    atomic_bool serves;          /* threads that start from now on answer themselves */
};

/* Which server writes which groups of keys, and where they are: sharing.c. */
struct sharing {
    struct shares shares;
    struct relay_leader targets[STORE_WRITERS_MAX]; /* by the numbers of servers */
    struct postgres_member members[STORE_WRITERS_MAX];
    struct lookup *lookups[STORE_WRITERS_MAX]; /* of members, by their numbers; 0: of this server */
    size_t count;                              /* of members */
    bool dealt;                                /* what is above is known */
    uint64_t look_at_ns;                       /* not before */
};

struct server {
    struct server_config config;
    struct arena arena; /* lives as long as the server */
    struct worker_task trim_task;
    atomic_flag trims; /* the task is on its way */
    struct data_directory data;
    struct keyring *shared_secrets;     /* seals secrets in a store of several servers; or NULL */
    struct slice place;                 /* of such a store */
    struct world *world;                /* where there are several, worlds.h tells which */
    pthread_mutex_t worlds_lock;        /* of that, and of the next */
    struct keyring *unverified_secrets; /* of users to try things with; NULL: there are none yet */
    struct world *named;                /* those of keys and regions; worlds_lock is theirs, too */
    struct world_opening *openings;     /* of these, under way; likewise */
    struct memory_snapshot *fresh;      /* what another world begins with */
    struct kept_snapshot *snapshots;
    pthread_mutex_t snapshots_lock; /* of these */
    struct access *access;          /* NULL: signatures are not verified */
    struct control_service control_services[2];
    struct control_tally backups;
    struct slice first_key[2]; /* id and secret, until they were told; absent: there is none */
    size_t tables_unencrypted; /* when it started: that ask for what they do not get */
    struct audit_log *audit;   /* NULL: there is none */
    struct pages pages;
    struct console console;
    struct telemetry telemetry;
    const char *operations[METER_OPERATIONS_MAX]; /* by number; NULL: there is none */
    struct endpoint *metrics_endpoint;            /* NULL: it has no port of its own */
    struct certificates *certificates;            /* NULL: plain HTTP */
    struct workers *workers;
    struct endpoint *endpoint;
    struct server_node node; /* of a store that several servers share */
    struct reading *reading; /* likewise; NULL: all is handed on */
    struct contexts reading_contexts;
    struct sharing sharing; /* likewise, where several write */
    struct control *control;
    struct slice endpoint_name; /* host:port */
    struct policy_file *policy; /* NULL: everything is allowed */
    struct delays *delays;      /* for what is to go wrong; NULL: nothing is */
};

/* threads.c: what each I/O thread and worker has. */
struct server_thread {
    struct pipeline_thread pipeline; /* what its handlers see; all of it from `serves` on */
    struct relay *relay;             /* NULL: it hands nothing on */
    struct pipeline_thread *reader;  /* while another server leads; NULL: it does not read itself */
    bool serves;
    struct server *server;
    /* Where several write: what is whose, and the way to those beside the leader (sharing.c). */
    struct shares shares;
    struct relay_leader targets[STORE_WRITERS_MAX];
    struct relay *members[STORE_WRITERS_MAX]; /* NULL: nothing was handed on to it yet */
    struct thread_world *worlds; /* instead of `pipeline`, where there are several (worlds.h) */
};
/* What a thread has of a world, besides pages and console. */
void server_thread_fill(struct world *world, struct pipeline_thread *thread);
void server_thread_empty(struct pipeline_thread *thread);
void *server_io_thread_start(void *user, unsigned index);
/* Of the endpoint where others hand requests on. */
void *server_relayed_thread_start(void *user, unsigned index);
/* On the thread itself: from now on it answers. */
void server_thread_serve(struct server *server, struct server_thread *thread);
/* Likewise: it reads itself, though another server leads. */
void server_thread_read(struct server *server, struct server_thread *thread);
bool server_io_thread_ticked(void *user, void *context);
void server_io_thread_stop(void *user, void *context);
void server_io_thread_sent(void *user, void *context);

/* data.c: the store and the engine on it. */
struct error *server_start_engine(struct server *server, struct arena *arena);
/* Looks for tables that ask for encryption, on a disk where nothing is encrypted. */
void server_count_unencrypted(struct server *server);

/* watched.c: what a server tells of itself. */
void server_open_pages(struct server *server);
/* Until it has an engine they tell of this store; NULL: of none. */
void server_show_store(struct server *server, struct store *store);
/* From here on they tell that requests are served. */
void server_publish_pages(struct server *server);
void server_name_operations(struct server *server);
/* The page of numbers, with a view of its own; of a struct server. Any thread. */
struct slice server_write_metrics(void *user, struct slice accept, struct buffer *out);
/* With a thread of its own, so that it answers when all others have too much to do, and before the
 * store is open, which may take a while. It has no authenticator: who can reach it may read. */
struct error *server_start_metrics_endpoint(struct server *server, struct arena *arena);

/* remote.c: a store that several servers share. Waits until this one leads it. */
struct error *server_open_remote(struct server *server, struct arena *arena,
                                 struct store **ret_store);

/* node.c: one of several servers. */
/* Listens for the others, and tells them where by the store. */
struct error *server_open_node(struct server *server, struct arena *arena, struct store *store);
/* Another server leads: looks for it, and tells all threads when it is another. */
void server_follow(struct server *server, struct arena *arena, struct store *store);
/* Its engine is open: all threads answer themselves, first what waited. */
void server_serve(struct server *server);
/* The endpoint's memory_freed, and what comes of it on the main thread, now and then. */
void node_memory_freed(void *server);
void server_give_back_memory(struct server *server);
/* Whether its options leave it to others what happens. */
bool server_may_share(const struct server_config *config);
/* It leads from now on, and does not write beside a leader. */
void server_leave_members(struct server *server);
/* What waits for a leader is refused. */
void server_end_following(struct server *server);
/* After the last exchange. */
void server_close_node(struct server *server);

/* counted.c: metrics of what it reads and writes itself. */
/* While another server leads: leaves all that was counted for it, also when it stops. */
void server_tell_counts(struct server *server);
/* Likewise, now and then. */
void server_tell_counts_in_time(struct server *server);
/* It leads: takes what others left. */
void server_hear_counts(struct server *server);

/* sharing.c: groups of keys, dealt among the servers of a store. */
/* What a server cannot have that shares its groups with others; NULL: nothing of it was asked for.
 */
struct error *sharing_check(const struct server *server, struct arena *arena,
                            const struct store *store);
/* Reads the list of members from `store`, to which this server writes, every STORE_LEADS_MS, and
 * sends changes to all threads. */
void sharing_look(struct server *server, struct arena *arena, struct store *store);
void sharing_close(struct server *server);

/* What a thread has of it. */
void sharing_thread_end(struct server_thread *thread);
bool sharing_thread_tick(struct server_thread *thread);
void sharing_thread_free(struct server_thread *thread);

/* The handlers of a server with a shared store, as endpoint.h has them. */
void node_handle(struct exchange *exchange);
void node_handle_form(struct exchange *exchange);
bool node_handle_service(struct exchange *exchange);
bool node_handle_own(struct exchange *exchange);
/* pages.find_out: whether the leader answers, or this one reads without it. */
bool node_find_out(void *server, struct exchange *exchange);

/* server.c: NULL ends the texts, or is for none. */
struct guard_names server_names_of(struct arena *arena, const char **texts);
/* Of the main endpoint. */
struct endpoint_config server_endpoint_config(struct server *server, struct arena *arena);
struct error *server_start_endpoint(struct server *server, struct arena *arena);

#endif
