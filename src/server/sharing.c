/* sharing.c - groups of keys dealt among the servers of a store (ADR 22).
 *
 * Every server deals them by itself, from who leads and whose lease is current, and all of them
 * deal alike as long as they see the same. Threads: the main thread; hand_on on I/O threads. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/state.h"

#define LOOK_NS (STORE_LEADS_MS * UINT64_C(1000000))

struct error *sharing_check(const struct server *server, struct arena *arena,
                            const struct store *store) {
    if (store->groups == 1 || server_may_share(&server->config))
        return NULL;
    return error_local(arena,
                       "%.*s has %u groups of keys, which several servers write: --throttle, "
                       "--audit, --transaction-conflicts and options for tests cannot be had there",
                       SLICE_ARGS(server->place), store->groups);
}

/* ---- dealing ---- */

/* Who leads has number 0, and is the first. */
static void deal(struct sharing *sharing, uint32_t groups) {
    for (uint32_t group = 0; group < groups; group++) {
        size_t at = group * (sharing->count + 1) / groups;
        sharing->shares.owners[group] = at == 0 ? 0 : sharing->members[at - 1].writer;
    }
}

static const struct postgres_member *find(const struct sharing *sharing, uint8_t writer) {
    for (size_t i = 0; i < sharing->count; i++)
        if (sharing->members[i].writer == writer)
            return &sharing->members[i];
    return NULL;
}

/* What waits for a server that is gone goes to who leads, which may be this one. */
static struct relay_leader target_of(const struct server *server, uint8_t writer) {
    const struct sharing *sharing = &server->sharing;
    const struct lookup *lookup = sharing->lookups[writer];
    struct relay_leader target = {.known = false};
    if (lookup == NULL && sharing->shares.here != 0)
        return server->node.leader;
    target.known =
        lookup_look(lookup == NULL ? sharing->lookups[0] : lookup, &target.address) == LOOKUP_FOUND;
    return target;
}

/* Whether a target is another one. */
static bool aim(struct server *server) {
    bool another = false;
    for (uint8_t writer = 1; writer < STORE_WRITERS_MAX; writer++) {
        struct relay_leader *known = &server->sharing.targets[writer];
        struct relay_leader target = target_of(server, writer);
        target.number = known->number + 1;
        if (target.known == known->known &&
            memcmp(&target.address, &known->address, sizeof(target.address)) == 0)
            continue;
        *known = target;
        another = true;
    }
    return another;
}

static void tell_shares(const struct sharing *sharing, uint32_t groups) {
    uint32_t first = groups, count = 0;
    for (uint32_t group = groups; group-- > 0;)
        if (sharing->shares.owners[group] == sharing->shares.here) {
            first = group;
            count++;
        }
    if (count == 0)
        log_info("this server writes no group of keys, of %u", groups);
    else
        log_info("this server writes groups %u to %u of %u, and %zu others the rest", first + 1,
                 first + count, groups, sharing->count);
}

/* ---- what threads do with it ---- */

static void hand_on(struct exchange *exchange, uint8_t owner) {
    const struct pipeline_thread *pipeline = exchange->thread_context;
    struct server_thread *thread = pipeline->owner;
    struct relay_request request = {.here = node_handle};
    exchange->thread_context = thread;
    struct relay *relay = owner == 0 ? thread->relay : thread->members[owner];
    if (relay == NULL) {
        struct relay_options options = {.tls = thread->server->node.tls,
                                        .tally = &thread->server->node.tally};
        relay = thread->members[owner] = relay_new(&options);
        relay_follow(relay, &thread->targets[owner]);
    }
    relay_hand_on(relay, exchange, &request);
}

static void take_shares(void *user, void *context) {
    struct server *server = user;
    struct server_thread *thread = context;
    const struct sharing *sharing = &server->sharing;
    thread->shares = sharing->shares;
    thread->shares.hand_on = hand_on;
    memcpy(thread->targets, sharing->targets, sizeof(thread->targets));
    for (uint8_t writer = 1; writer < STORE_WRITERS_MAX; writer++)
        if (thread->members[writer] != NULL)
            relay_follow(thread->members[writer], &thread->targets[writer]);
    struct pipeline_thread *pipeline = thread->serves ? &thread->pipeline : thread->reader;
    if (pipeline == NULL)
        return;
    pipeline->shares = &thread->shares;
    pipeline->ops.defers = true;
}

/* ---- looking ---- */

static void look_up(struct lookup **lookup, const struct postgres_member *before,
                    const struct postgres_member *now) {
    if (before != NULL && now != NULL && strcmp(before->address, now->address) == 0)
        return;
    lookup_end(*lookup);
    *lookup = now == NULL ? NULL : lookup_start(now->address);
}

static void look_all_up(struct server *server, const struct sharing *before) {
    struct sharing *sharing = &server->sharing;
    for (uint8_t writer = 1; writer < STORE_WRITERS_MAX; writer++)
        look_up(&sharing->lookups[writer], find(before, writer), find(sharing, writer));
    if (sharing->shares.here == 0 && sharing->lookups[0] == NULL)
        sharing->lookups[0] = lookup_start(server->node.address);
}

/* Whether others are there than before. */
static bool look(struct server *server, struct arena *arena, struct store *store) {
    struct sharing *sharing = &server->sharing, before = *sharing, now = before;
    struct arena_mark mark = arena_mark(arena);
    memset(now.members, 0, sizeof(now.members));
    struct error *error = postgres_store_members(store, arena, now.members, &now.count);
    if (error != NULL)
        log_repeated_error("%.*s", SLICE_ARGS(error->message));
    arena_rewind(arena, mark);
    now.shares.here = store->writer;
    now.dealt = true;
    if (error != NULL ||
        (before.dealt && now.count == before.count && now.shares.here == before.shares.here &&
         memcmp(now.members, before.members, sizeof(now.members)) == 0))
        return false;
    *sharing = now;
    deal(sharing, store->groups);
    look_all_up(server, &before);
    tell_shares(sharing, store->groups);
    return true;
}

void sharing_look(struct server *server, struct arena *arena, struct store *store) {
    struct sharing *sharing = &server->sharing;
    if (store->groups == 1 || monotonic_ns() < sharing->look_at_ns)
        return;
    sharing->look_at_ns = monotonic_ns() + LOOK_NS;
    bool another = look(server, arena, store);
    if (sharing->dealt && (aim(server) || another))
        endpoint_visit(server->endpoint, take_shares, server);
}

void sharing_close(struct server *server) {
    for (size_t i = 0; i < STORE_WRITERS_MAX; i++)
        lookup_end(server->sharing.lookups[i]);
}

/* ---- the life of a thread ---- */

void sharing_thread_end(struct server_thread *thread) {
    for (size_t i = 0; i < STORE_WRITERS_MAX; i++)
        if (thread->members[i] != NULL)
            relay_end(thread->members[i]);
}

bool sharing_thread_tick(struct server_thread *thread) {
    bool again = false;
    for (size_t i = 0; i < STORE_WRITERS_MAX; i++)
        if (thread->members[i] != NULL)
            again = relay_tick(thread->members[i]) || again;
    return again;
}

void sharing_thread_free(struct server_thread *thread) {
    for (size_t i = 0; i < STORE_WRITERS_MAX; i++)
        relay_free(thread->members[i]);
}
