/* beside.c - the services besides DynamoDB, the hand by which one of them changes tables, and the
 * users that another one tells of. */
#include "crypto/keyring.h"
#include "pipeline/inside_call.h"
#include "server/access.h"
#include "server/policy_file.h"
#include "server/services.h"
#include "server/state.h"
#include "server/world.h"

static struct slice update_request(struct arena *arena, const struct scaling_change *change) {
    if (!slice_present(change->index))
        return arena_printf(arena,
                            "{\"TableName\":\"%.*s\",\"ProvisionedThroughput\":{"
                            "\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}}",
                            SLICE_ARGS(change->table), (long long)change->read,
                            (long long)change->write);
    return arena_printf(arena,
                        "{\"TableName\":\"%.*s\",\"GlobalSecondaryIndexUpdates\":[{\"Update\":{"
                        "\"IndexName\":\"%.*s\",\"ProvisionedThroughput\":{"
                        "\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}}}]}",
                        SLICE_ARGS(change->table), SLICE_ARGS(change->index),
                        (long long)change->read, (long long)change->write);
}

/* On the thread of auto scaling, which alone has this context. Names have nothing to escape: they
 * are those of tables that are there. */
static struct error *change_capacity(void *user, struct arena *arena,
                                     const struct scaling_change *change) {
    struct world *world = user;
    return inside_call(&world->inside, arena, "UpdateTable", update_request(arena, change));
}

/* ---- whom it knows ---- */

/* One for all worlds: users that are in a snapshot have to be read in the next. */
static const struct keyring *secrets_of(struct server *server) {
    pthread_mutex_lock(&server->worlds_lock);
    if (server->unverified_secrets == NULL)
        server->unverified_secrets = keyring_new_random();
    pthread_mutex_unlock(&server->worlds_lock);
    return server->unverified_secrets;
}

static struct error *open_unverified(struct world *world, struct arena *arena) {
    const struct access_options options = {.engine = world->engine,
                                           .shared = secrets_of(world->server),
                                           .account = slice_text(world->server->config.account)};
    return world->unverified == NULL ? access_open(arena, &options, &world->unverified) : NULL;
}

/* A server in memory that does not verify has users, too, to try things with: from the first
 * request for them on, and as long as it runs. Where data is kept they are left alone, because a
 * key that anybody could make would let them in when the server verifies. */
static struct error *know(void *user, struct arena *arena, struct iam **ret_iam) {
    struct world *world = user;
    const struct server *server = world->server;
    if (server->access != NULL) {
        *ret_iam = access_iam(server->access);
        return NULL;
    }
    if (server->config.data_directory != NULL || server->config.store_url != NULL)
        return error_new(arena, ERROR_IAM_NOT_SUPPORTED,
                         "This server does not verify signatures, and so leaves users, roles and "
                         "keys alone: start it with --auth");
    pthread_mutex_lock(&world->unverified_lock);
    struct error *error = open_unverified(world, arena);
    if (error == NULL)
        *ret_iam = access_iam(world->unverified);
    pthread_mutex_unlock(&world->unverified_lock);
    return error;
}

struct error *world_open_services(struct world *world, struct arena *arena) {
    const struct server *server = world->server;
    struct services_options options = {
        .engine = world->engine,
        .clock = world->clock,
        .region = world->name.region,
        .account = server->config.account,
        .actions = server->config.alarm_actions,
        .hand = {change_capacity, world},
        .identity = {know, world, policy_file_common(server->policy)}};
    world->inside = world_context(world, world->engine);
    TRY(services_open(arena, &options, &world->services));
    world->movable.user = world->services;
    world->movable.moved = services_time_moved;
    return NULL;
}
