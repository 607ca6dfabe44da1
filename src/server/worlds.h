/* worlds.h - a server whose world tests may replace, by a new one or by one that begins as a
 * snapshot; and one that has a world for each access key and region.
 *
 * Each request is of the world that is there when it comes, to its end; what it does in one that
 * was left meanwhile happened before. A world that was left is closed when the last who holds it
 * lets go, by a worker: its threads end then, and its memory is freed, for which nobody waits. One
 * that is opened, which takes a while on disk, is opened by a worker, too: who asked for it waits,
 * and nobody else does.
 *
 * Threads: any. */
#ifndef GRAMME_SERVER_WORLDS_H
#define GRAMME_SERVER_WORLDS_H

#include "base/error.h"

struct server;
struct world;
struct world_name;

/* The world that is there now, held until it is given back. Of every server. */
struct world *worlds_take(struct server *server);
void worlds_give(struct world *world);

enum { WORLDS_MAX = 1000 };

/* That, and all that have names, to look at what they counted; each is to be given back. How many.
 */
size_t worlds_watch_all(struct server *server, struct world *ret_worlds[WORLDS_MAX + 1]);
void worlds_unwatch(struct world *world);

/* The server's world was opened, and nothing has happened in it. */
void worlds_open(struct server *server);
/* Whether there may be others than the one that it starts with. */
bool worlds_are_many(const struct server *server);

/* Who waits for a world that is being opened. */
struct world_wait {
    struct arena *arena; /* for the error; the worker's until it calls `opened` */
    struct error *error; /* NULL: the world is there, unless it was left at once */
    void (*opened)(struct world_wait *wait); /* on a worker */
    struct world_wait *next;
};

/* The world of that name, held. Without one it is the server's own, which is always there. NULL:
 * it is not open; a worker opens it, once for all who ask meanwhile, and calls `wait` then. An
 * error: there are too many. */
struct error *worlds_find(struct server *server, const struct world_name *name,
                          struct world_wait *wait, struct world **ret_world);

/* A world that is as new. Without a name all are. */
struct error *worlds_reset(struct server *server, struct arena *arena,
                           const struct world_name *name);

/* Snapshots have names. One that is there already is replaced. `of` and `to` are NULL for the
 * server's own world. */
enum { SNAPSHOTS_MAX = 100, SNAPSHOT_NAME_MAX = 64 };

struct error *worlds_keep(struct server *server, struct arena *arena, struct slice name,
                          const struct world_name *of);
struct error *worlds_restore(struct server *server, struct arena *arena, struct slice name,
                             const struct world_name *to);
struct error *worlds_drop(struct server *server, struct arena *arena, struct slice name);

struct snapshot_entry {
    char name[SNAPSHOT_NAME_MAX + 1];
    int64_t made_ms; /* by the system's clock */
};
/* In the order of their making, in the arena. */
size_t worlds_list(struct server *server, struct arena *arena, struct snapshot_entry **ret_list);

/* At the server's end, when no thread has a context any more. */
void worlds_close(struct server *server);

#endif
