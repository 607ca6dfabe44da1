/* world_room.c - see world_room.h.
 *
 * A request says first that it is in a world, and then looks whether that was left, in
 * world_threads.c; here it is left first, and then looked whether there is a request. So one of the
 * two sees the other, and nothing is answered in a world that goes. */
#include "server/world_room.h"

#include "engine/record.h"
#include "server/state.h"
#include "server/world.h"

/* Metrics are not missed: the server counts in every world. What clients put there by PutMetricData
 * is among the same records, and goes with them. */
#define OWN_RECORDS "metric"

static bool keeps_nothing(const struct world *world) {
    struct arena CLEANUP(arena_release) scratch;
    bool nothing = false;
    arena_init(&scratch);
    const struct error *error =
        engine_keeps_nothing(world->engine, &scratch, SLICE_LITERAL(OWN_RECORDS), &nothing);
    return error == NULL && nothing;
}

/* On disk it is closed by who takes it out: threads that still have it would keep it open. Holders
 * are counted first: a watcher that goes meanwhile is one too many, and never one too few. */
static bool may_go(const struct world *world) {
    if (world->server->config.data_directory != NULL) {
        size_t holders = atomic_load(&world->holders);
        return holders - atomic_load(&world->watchers) == 1;
    }
    return atomic_load(&world->calls) == 0 && keeps_nothing(world);
}

/* Its place in the list, or NULL. */
static struct world **find_oldest(struct server *server) {
    struct world **oldest = NULL;
    for (struct world **link = &server->named; *link != NULL; link = &(*link)->next)
        if ((oldest == NULL || atomic_load(&(*link)->used) < atomic_load(&(*oldest)->used)) &&
            may_go(*link))
            oldest = link;
    return oldest;
}

struct world *world_room_make(struct server *server) {
    for (struct world **link; (link = find_oldest(server)) != NULL;) {
        struct world *world = *link;
        atomic_store(&world->left, true);
        if (may_go(world)) {
            *link = world->next;
            world->next = NULL;
            return world;
        }
        atomic_store(&world->left, false); /* a request came meanwhile: another may go */
    }
    return NULL;
}
