/* worlds.c - see worlds.h. */
#include "server/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/container.h"
#include "base/log.h"
#include "server/state.h"
#include "server/world.h"
#include "server/world_room.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"

enum { WATCHERS_WAIT_US = 1000 };

struct world_opening {
    struct server *server;
    struct world_name name;
    struct world_wait *waiting;
    struct world *leaves;           /* closed first, to make room; or NULL */
    struct world_name leaving;      /* its name, until it is closed; empty: none */
    struct world_wait *waiting_for; /* who asked for that meanwhile */
    struct worker_task task;
    struct world_opening *next;
};

struct kept_snapshot {
    struct snapshot_entry entry;
    struct memory_snapshot *snapshot;
    struct kept_snapshot *next;
};

/* ---- who holds a world ---- */

static void hold(struct world *world) {
    atomic_fetch_add_explicit(&world->holders, 1, memory_order_relaxed);
}

struct world *worlds_take(struct server *server) {
    pthread_mutex_lock(&server->worlds_lock);
    struct world *world = server->world;
    hold(world);
    pthread_mutex_unlock(&server->worlds_lock);
    return world;
}

static struct world *watch(struct world *world) {
    atomic_fetch_add(&world->watchers, 1);
    hold(world);
    return world;
}

size_t worlds_watch_all(struct server *server, struct world *ret_worlds[WORLDS_MAX + 1]) {
    size_t count = 0;
    pthread_mutex_lock(&server->worlds_lock);
    ret_worlds[count++] = watch(server->world);
    for (struct world *world = server->named; world != NULL; world = world->next) {
        CHECK(count <= WORLDS_MAX);
        ret_worlds[count++] = watch(world);
    }
    pthread_mutex_unlock(&server->worlds_lock);
    return count;
}

static void close_world(struct worker_task *task) {
    world_close(container_of(task, struct world, closing));
}

void worlds_give(struct world *world) {
    if (atomic_fetch_sub_explicit(&world->holders, 1, memory_order_acq_rel) > 1)
        return;
    world->closing.run = close_world;
    workers_submit(world->server->workers, &world->closing);
}

void worlds_unwatch(struct world *world) {
    atomic_fetch_sub(&world->watchers, 1);
    worlds_give(world);
}

/* ---- another world ---- */

bool worlds_are_many(const struct server *server) {
    return server->config.test_reset || server->config.name_spaces;
}

/* On disk it is what is there of that name; in memory it begins as the snapshot. */
static struct error *open_world(struct world *world, struct arena *arena,
                                struct memory_snapshot *snapshot) {
    struct store *store = NULL;
    if (snapshot != NULL)
        return world_open(world, arena, memory_store_fork(snapshot));
    TRY(server_open_named(world, arena, &store));
    TRY(world_open(world, arena, store));
    rocksdb_store_settle(store);
    return NULL;
}

static struct error *make(struct server *server, struct arena *arena, const struct world_name *name,
                          struct memory_snapshot *snapshot, struct world **ret_world) {
    struct world *world = world_new(server, name);
    struct error *error = open_world(world, arena, snapshot);
    if (error == NULL)
        error = world_start(world, arena);
    if (error != NULL)
        world_close(world);
    else
        *ret_world = world;
    return error;
}

/* The lock is held. Where such a world is, or would be. */
static struct world **place_of(struct server *server, const struct world_name *name,
                               size_t *ret_before) {
    struct world **link = &server->named;
    *ret_before = 0;
    if (name == NULL)
        return &server->world;
    for (; *link != NULL; link = &(*link)->next, ++*ret_before)
        if (world_name_equal(&(*link)->name, name))
            break;
    return link;
}

/* The lock is held. Likewise of one that is being opened. */
static struct world_opening **opening_of(struct server *server, const struct world_name *name,
                                         size_t *ret_before) {
    struct world_opening **link = &server->openings;
    for (*ret_before = 0; *link != NULL; link = &(*link)->next, ++*ret_before)
        if (world_name_equal(&(*link)->name, name))
            break;
    return link;
}

/* The lock is held. One that leaves to make room for another; NULL: it does not. */
static struct world_opening *leaving_of(struct server *server, const struct world_name *name) {
    struct world_opening *opening = server->openings;
    while (opening != NULL && !world_name_equal(&opening->leaving, name))
        opening = opening->next;
    return opening;
}

static size_t most(const struct server *server) {
    unsigned wanted = server->config.name_spaces_max;
    return wanted == 0 ? WORLDS_MAX : wanted;
}

/* The lock is held. `before` are open. Room for one that is not may cost another its place. */
static bool has_room(struct server *server, const struct world_name *name, size_t before,
                     struct world **ret_leaves) {
    size_t under_way = 0;
    *ret_leaves = NULL;
    if (*opening_of(server, name, &under_way) != NULL || before + under_way < most(server))
        return true;
    *ret_leaves = world_room_make(server);
    return *ret_leaves != NULL;
}

static struct error *too_many(const struct server *server, struct arena *arena) {
    return error_new(
        arena, ERROR_LIMIT_EXCEEDED,
        "This server has %zu name spaces in use, each for an access key in a region, and takes "
        "no more: --name-spaces-max allows up to %d",
        most(server), WORLDS_MAX);
}

/* Changes have numbers that are times. Whoever has read a stream in the world that was left, and
 * goes on in this one, is behind all changes there and before those that follow the answer. */
static void wait_for_later(void) {
    int64_t now_ms = clock_now_ms(&system_clock);
    while (clock_now_ms(&system_clock) <= now_ms)
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000}, NULL);
}

/* A list of them, or one that is in none. */
static void leave_all(struct world *list) {
    for (struct world *next; list != NULL; list = next) {
        next = list->next;
        atomic_store(&list->left, true);
        worlds_give(list);
    }
}

/* The lock is held. */
static struct world *take_out_of(struct world **place) {
    struct world *world = *place;
    if (world != NULL) {
        *place = world->next;
        world->next = NULL;
    }
    return world;
}

/* The lock is held. False: there is no room for it. */
static bool put_in_place(struct server *server, struct world *world, const struct world_name *name,
                         struct world **ret_old) {
    size_t before = 0;
    struct world **place = place_of(server, name, &before);
    if (*place != NULL)
        *ret_old = take_out_of(place);
    else if (!has_room(server, name, before, ret_old))
        return false;
    else
        place = place_of(server, name, &before);
    world->next = *place;
    *place = world;
    return true;
}

static struct error *replace(struct server *server, struct arena *arena,
                             const struct world_name *name, struct memory_snapshot *snapshot) {
    struct world *world = NULL, *old = NULL;
    TRY(make(server, arena, name, snapshot, &world));
    pthread_mutex_lock(&server->worlds_lock);
    bool fits = put_in_place(server, world, name, &old);
    pthread_mutex_unlock(&server->worlds_lock);
    leave_all(fits ? old : world);
    wait_for_later();
    return fits ? NULL : too_many(server, arena);
}

/* The database is still the one that it was: it knows the texts that it gave to clients. */
void worlds_open(struct server *server) {
    if (worlds_are_many(server) && server->config.data_directory == NULL)
        server->fresh = memory_store_snapshot(server->world->store);
}

/* Those with names are gone, and the next request opens them anew: their places are free. */
struct error *worlds_reset(struct server *server, struct arena *arena,
                           const struct world_name *name) {
    size_t before = 0;
    pthread_mutex_lock(&server->worlds_lock);
    struct world *named = server->named;
    if (name == NULL)
        server->named = NULL;
    else
        named = take_out_of(place_of(server, name, &before));
    pthread_mutex_unlock(&server->worlds_lock);
    leave_all(named);
    if (name == NULL)
        return replace(server, arena, NULL, server->fresh);
    wait_for_later();
    return NULL;
}

/* ---- one that is not open yet ---- */

/* What of it is ours is told to the log, once. */
static struct error *could_not_open(struct arena *arena, struct error *error) {
    if (error == NULL || error->code == ERROR_VALIDATION)
        return error;
    log_error("a name space cannot be opened: %.*s", SLICE_ARGS(error->message));
    return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                     "The tables of this access key and region cannot be opened: the server's log "
                     "tells why");
}

/* One that was put there meanwhile, by a reset for one, is later than this. */
static struct world_wait *end_opening(struct world_opening *opening, struct world *world,
                                      struct world **ret_surplus) {
    struct server *server = opening->server;
    size_t before = 0;
    pthread_mutex_lock(&server->worlds_lock);
    struct world **place = place_of(server, &opening->name, &before);
    *ret_surplus = *place == NULL ? NULL : world;
    if (*place == NULL)
        *place = world;
    *opening_of(server, &opening->name, &before) = opening->next;
    struct world_wait *waiting = opening->waiting;
    pthread_mutex_unlock(&server->worlds_lock);
    return waiting;
}

static void tell_all(struct world_wait *waiting, const struct error *error) {
    for (struct world_wait *next; waiting != NULL; waiting = next) {
        next = waiting->next;
        if (error != NULL)
            waiting->error =
                error_new(waiting->arena, error->code, "%.*s", SLICE_ARGS(error->message));
        waiting->opened(waiting);
    }
}

/* Nobody comes any more to look at it. */
static void wait_for_watchers(const struct world *world) {
    while (atomic_load(&world->holders) > 1)
        usleep(WATCHERS_WAIT_US);
}

/* One on disk is closed here, before anybody opens its directory again: only the list had it, and
 * who looks at its metrics. */
static void make_room(struct world_opening *opening) {
    struct server *server = opening->server;
    if (opening->leaves == NULL)
        return;
    if (server->config.data_directory != NULL) {
        wait_for_watchers(opening->leaves);
        world_close(opening->leaves);
    } else {
        leave_all(opening->leaves);
    }
    pthread_mutex_lock(&server->worlds_lock);
    opening->leaving = (struct world_name){.key = ""};
    struct world_wait *waiting = opening->waiting_for;
    opening->waiting_for = NULL;
    pthread_mutex_unlock(&server->worlds_lock);
    tell_all(waiting, NULL);
}

static void open_elsewhere(struct worker_task *task) {
    struct world_opening *opening = container_of(task, struct world_opening, task);
    struct world *world = NULL, *surplus = NULL;
    struct arena CLEANUP(arena_release) scratch;
    arena_init(&scratch);
    make_room(opening);
    struct error *error = could_not_open(
        &scratch, make(opening->server, &scratch, &opening->name, opening->server->fresh, &world));
    struct world_wait *waiting = end_opening(opening, world, &surplus);
    leave_all(surplus);
    free(opening);
    tell_all(waiting, error);
}

/* The lock is held. `leaves`: NULL, or one whose room it takes. */
static void wait_for(struct server *server, const struct world_name *name, struct world *leaves,
                     struct world_wait *wait) {
    size_t before = 0;
    struct world_opening **place = opening_of(server, name, &before);
    if (*place == NULL) {
        struct world_opening *opening = calloc(1, sizeof(*opening));
        CHECK(opening != NULL);
        opening->server = server;
        opening->name = *name;
        opening->leaves = leaves;
        if (leaves != NULL)
            opening->leaving = leaves->name;
        opening->task.run = open_elsewhere;
        *place = opening;
        workers_submit(server->workers, &opening->task);
    }
    wait->next = (*place)->waiting;
    (*place)->waiting = wait;
}

/* The lock is held. It comes anew then. */
static void wait_until_it_left(struct world_opening *leaving, struct world_wait *wait) {
    wait->next = leaving->waiting_for;
    leaving->waiting_for = wait;
}

struct error *worlds_find(struct server *server, const struct world_name *name,
                          struct world_wait *wait, struct world **ret_world) {
    size_t before = 0;
    struct error *error = NULL;
    struct world *leaves = NULL;
    pthread_mutex_lock(&server->worlds_lock);
    struct world *world = *place_of(server, name, &before);
    struct world_opening *leaving = world == NULL ? leaving_of(server, name) : NULL;
    if (world != NULL)
        hold(world);
    else if (leaving != NULL)
        wait_until_it_left(leaving, wait);
    else if (has_room(server, name, before, &leaves))
        wait_for(server, name, leaves, wait);
    else
        error = too_many(server, wait->arena);
    pthread_mutex_unlock(&server->worlds_lock);
    *ret_world = world;
    return error;
}

/* ---- snapshots ---- */

/* The list's lock is held. NULL's place is its end. */
static struct kept_snapshot **find(struct server *server, struct slice name) {
    struct kept_snapshot **link = &server->snapshots;
    while (*link != NULL && !slice_equal(slice_text((*link)->entry.name), name))
        link = &(*link)->next;
    return link;
}

static struct kept_snapshot *take_out(struct kept_snapshot **link) {
    struct kept_snapshot *kept = *link;
    if (kept != NULL)
        *link = kept->next;
    return kept;
}

/* Freeing may take a while: not under the lock. */
static void free_kept(struct kept_snapshot *kept) {
    if (kept == NULL)
        return;
    memory_snapshot_unref(kept->snapshot);
    free(kept);
}

static size_t count_kept(const struct server *server) {
    size_t count = 0;
    for (const struct kept_snapshot *kept = server->snapshots; kept != NULL; kept = kept->next)
        count++;
    return count;
}

/* One that nobody has asked for yet has what all begin with. */
static struct memory_snapshot *snapshot_of(struct server *server, const struct world_name *name) {
    size_t before = 0;
    pthread_mutex_lock(&server->worlds_lock);
    struct world *world = *place_of(server, name, &before);
    if (world != NULL)
        hold(world);
    pthread_mutex_unlock(&server->worlds_lock);
    if (world == NULL)
        return memory_snapshot_ref(server->fresh);
    struct memory_snapshot *snapshot = memory_store_snapshot(world->store);
    worlds_give(world);
    return snapshot;
}

static struct kept_snapshot *keep_now(struct server *server, struct slice name,
                                      const struct world_name *of) {
    struct kept_snapshot *kept = calloc(1, sizeof(*kept));
    CHECK(kept != NULL && name.len < sizeof(kept->entry.name));
    snprintf(kept->entry.name, sizeof(kept->entry.name), "%.*s", SLICE_ARGS(name));
    kept->entry.made_ms = clock_now_ms(&system_clock);
    kept->snapshot = snapshot_of(server, of);
    return kept;
}

struct error *worlds_keep(struct server *server, struct arena *arena, struct slice name,
                          const struct world_name *of) {
    struct kept_snapshot *kept = keep_now(server, name, of);
    pthread_mutex_lock(&server->snapshots_lock);
    struct kept_snapshot *before = take_out(find(server, name));
    bool room = count_kept(server) < SNAPSHOTS_MAX;
    if (room)
        *find(server, name) = kept;
    pthread_mutex_unlock(&server->snapshots_lock);
    free_kept(room ? before : kept);
    return room ? NULL
                : error_validation(arena, "there are %d snapshots already, and no more may be kept",
                                   SNAPSHOTS_MAX);
}

static struct error *no_snapshot(struct arena *arena, struct slice name) {
    return error_validation(arena, "there is no snapshot %.*s", SLICE_ARGS(name));
}

struct error *worlds_restore(struct server *server, struct arena *arena, struct slice name,
                             const struct world_name *to) {
    pthread_mutex_lock(&server->snapshots_lock);
    const struct kept_snapshot *kept = *find(server, name);
    struct memory_snapshot *snapshot = kept == NULL ? NULL : memory_snapshot_ref(kept->snapshot);
    pthread_mutex_unlock(&server->snapshots_lock);
    if (snapshot == NULL)
        return no_snapshot(arena, name);
    struct error *error = replace(server, arena, to, snapshot);
    memory_snapshot_unref(snapshot);
    return error;
}

struct error *worlds_drop(struct server *server, struct arena *arena, struct slice name) {
    pthread_mutex_lock(&server->snapshots_lock);
    struct kept_snapshot *kept = take_out(find(server, name));
    pthread_mutex_unlock(&server->snapshots_lock);
    if (kept == NULL)
        return no_snapshot(arena, name);
    free_kept(kept);
    return NULL;
}

size_t worlds_list(struct server *server, struct arena *arena, struct snapshot_entry **ret_list) {
    size_t count = 0;
    pthread_mutex_lock(&server->snapshots_lock);
    *ret_list = ARENA_ARRAY(arena, struct snapshot_entry, count_kept(server));
    for (const struct kept_snapshot *kept = server->snapshots; kept != NULL; kept = kept->next)
        (*ret_list)[count++] = kept->entry;
    pthread_mutex_unlock(&server->snapshots_lock);
    return count;
}

void worlds_close(struct server *server) {
    for (struct world *next; server->named != NULL; server->named = next) {
        next = server->named->next;
        world_close(server->named);
    }
    world_close(server->world);
    while (server->snapshots != NULL)
        free_kept(take_out(&server->snapshots));
    memory_snapshot_unref(server->fresh);
    pthread_mutex_destroy(&server->worlds_lock);
    pthread_mutex_destroy(&server->snapshots_lock);
}
