/* world.h - a database and all that goes with it: its clock, its engine, the services beside it,
 * what was counted of it and what is to go wrong in it.
 *
 * A server has one; where tests reset it, one after another (worlds.h). What does not depend on the
 * data is the server's: sockets, workers, the audit log, whom it lets in. Threads: made and closed
 * by one thread; contexts are each thread's own. */
#ifndef GRAMME_SERVER_WORLD_H
#define GRAMME_SERVER_WORLD_H

#include <pthread.h>

#include "base/steady_clock.h"
#include "pipeline/contexts.h"
#include "pipeline/slow_log.h"
#include "pipeline/workers.h"

struct access;
struct faults;
struct gathering;
struct keyring;
struct meters;
struct publisher;
struct server;
struct services;
struct store;

/* Whose it is, where each access key has its own in each region. */
enum { WORLD_KEY_MAX = 128, WORLD_REGION_MAX = 64 };

struct world_name {
    char key[WORLD_KEY_MAX + 1];
    char region[WORLD_REGION_MAX + 1];
};

/* False: these are no names. */
bool world_name_read(struct slice key, struct slice region, struct world_name *ret_name);
bool world_name_equal(const struct world_name *a, const struct world_name *b);

struct world {
    struct server *server;
    struct world_name name;    /* with an empty key: the server's own */
    const struct clock *clock; /* DynamoDB's time: one of those below */
    struct steady_clock steady;
    struct movable_clock movable;
    struct throttle *throttle; /* NULL: nothing is limited */
    struct faults *faults;     /* NULL: nothing is to go wrong */
    struct meters *meters;
    struct meter_thread *commit_meters;
    struct slow_log slow;
    struct keyring *keyring; /* of its own directory; NULL: the server's, or none */
    struct store *store;     /* the engine's */
    struct engine *engine;
    struct access *unverified; /* users to try things with; NULL: none yet */
    pthread_mutex_t unverified_lock;
    struct services *services;
    struct op_context inside;    /* of operations that it asks for itself */
    struct gathering *gathering; /* of the meters */
    struct publisher *publisher;
    struct contexts contexts; /* of calls on workers */
    /* worlds.h: */
    atomic_size_t holders;
    atomic_size_t watchers; /* of them, who only read metrics, and are done in a moment */
    atomic_bool left;
    atomic_size_t calls;       /* under way in it, of all threads */
    atomic_uint_fast64_t used; /* ticks: when the last one came */
    struct worker_task closing;
    struct world *next; /* of those with names */
};

/* Its clock goes from here on; there is nothing yet. Its maker holds it.
 * Without a name it is the server's own. */
struct world *world_new(struct server *server, const struct world_name *name);
/* Takes the store over, also on failure. Then what stands on the engine, once whom the server lets
 * in is known. */
struct error *world_open(struct world *world, struct arena *arena, struct store *store);
struct error *world_start(struct world *world, struct arena *arena);
/* After the last call. */
void world_close(struct world *world);

/* On an engine, mostly the world's. */
struct op_context world_context(struct world *world, struct engine *engine);
void world_context_end(struct op_context *context);

/* data.c: the store of one that has a name, in a directory of its own below the server's. */
struct error *server_open_named(struct world *world, struct arena *arena, struct store **ret_store);
/* What that is called, and metrics call it: another text for each, of plain letters. */
const char *world_name_text(struct arena *arena, const struct world_name *name);

/* beside.c: the services besides DynamoDB. */
struct error *world_open_services(struct world *world, struct arena *arena);

#endif
