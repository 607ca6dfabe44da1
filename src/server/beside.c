/* beside.c - the services besides DynamoDB, and the hand by which one of them changes tables. */
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

struct error *server_open_services(struct server *server, struct arena *arena) {
    struct services_options options = {.engine = server->engine,
                                       .clock = server->clock,
                                       .region = server->config.region,
                                       .account = server->config.account,
                                       .actions = server->config.alarm_actions,
                                       .hand = {change_capacity, server},
                                       .policy = server->policy,
                                       .iam = server->access == NULL ? NULL
                                                                     : access_iam(server->access)};
    server->inside = server_context_new(server);
    TRY(services_open(arena, &options, &server->services));
    server->movable.user = server->services;
    server->movable.moved = services_time_moved;
    return NULL;
}
