/* beside.c - the services besides DynamoDB, the hand by which one of them changes tables, and the
 * users that another one tells of. */
#include "pipeline/inside_call.h"
#include "server/access.h"
#include "server/services.h"
#include "server/state.h"

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
    struct server *server = user;
    return inside_call(&server->inside, arena, "UpdateTable", update_request(arena, change));
}

/* ---- whom it knows ---- */

static struct error *open_unverified(struct server *server, struct arena *arena) {
    const struct access_options options = {.engine = server->engine,
                                           .account = slice_text(server->config.account)};
    return server->unverified == NULL ? access_open(arena, &options, &server->unverified) : NULL;
}

/* A server in memory that does not verify has users, too, to try things with: from the first
 * request for them on, and as long as it runs. Where data is kept they are left alone, because a
 * key that anybody could make would let them in when the server verifies. */
static struct error *know(void *user, struct arena *arena, struct iam **ret_iam) {
    struct server *server = user;
    if (server->access != NULL) {
        *ret_iam = access_iam(server->access);
        return NULL;
    }
    if (server->config.data_directory != NULL || server->config.store_url != NULL)
        return error_new(arena, ERROR_IAM_NOT_SUPPORTED,
                         "This server does not verify signatures, and so leaves users, roles and "
                         "keys alone: start it with --auth");
    pthread_mutex_lock(&server->unverified_lock);
    struct error *error = open_unverified(server, arena);
    if (error == NULL)
        *ret_iam = access_iam(server->unverified);
    pthread_mutex_unlock(&server->unverified_lock);
    return error;
}

struct error *server_open_services(struct server *server, struct arena *arena) {
    struct services_options options = {.engine = server->engine,
                                       .clock = server->clock,
                                       .region = server->config.region,
                                       .account = server->config.account,
                                       .actions = server->config.alarm_actions,
                                       .hand = {change_capacity, server},
                                       .identity = {know, server, server->policy}};
    server->inside = server_context_new(server);
    TRY(services_open(arena, &options, &server->services));
    server->movable.user = server->services;
    server->movable.moved = services_time_moved;
    return NULL;
}
