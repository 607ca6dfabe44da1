/* update_table_check.c - which parts of an UpdateTable go together. */
#include "ops/table/table_settings.h"
#include "ops/table/update_table.h"

/* ---- what goes together ---- */

/* The concerns of a request, as bits. */
enum concern {
    CONCERN_THROUGHPUT = 1 << 0,
    CONCERN_BILLING = 1 << 1,
    CONCERN_STREAM = 1 << 2,
    CONCERN_INDEXES = 1 << 3,
    CONCERN_SSE = 1 << 4,
    CONCERN_WARM = 1 << 5,
    CONCERN_REPLICAS = 1 << 6,
    CONCERN_ON_DEMAND = 1 << 7,
    CONCERN_SETTING = 1 << 8, /* the first of the plain settings, and so on */
};

static uint32_t concerns_of(const struct update_table_request *request) {
    bool replicas = request->replica_updates.present ||
                    request->global_table_witness_updates.present ||
                    request->disassociation_protection_enabled.present ||
                    slice_present(request->multi_region_consistency) ||
                    slice_present(request->global_table_settings_replication_mode);
    bool indexes =
        request->global_secondary_index_updates.count > 0 || request->vector_index_updates.present;
    uint32_t concerns = 0;
    concerns |= request->provisioned_throughput != NULL ? CONCERN_THROUGHPUT : 0;
    concerns |= slice_present(request->billing_mode) ? CONCERN_BILLING : 0;
    concerns |= request->stream_specification != NULL ? CONCERN_STREAM : 0;
    concerns |= indexes ? CONCERN_INDEXES : 0;
    concerns |= request->sse_specification != NULL ? CONCERN_SSE : 0;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        concerns |= setting_given(&request->settings[i]) ? (uint32_t)CONCERN_SETTING << i : 0;
    concerns |= request->warm_throughput != NULL ? CONCERN_WARM : 0;
    concerns |= replicas ? CONCERN_REPLICAS : 0;
    concerns |= request->on_demand_throughput != NULL ? CONCERN_ON_DEMAND : 0;
    return concerns;
}

/* Some update makes or removes an index, rather than changing one. */
static bool builds_or_drops_index(const struct update_table_request *request) {
    const struct global_index_update_input *update = request->global_secondary_index_updates.items;
    for (size_t i = 0; i < request->global_secondary_index_updates.count; i++)
        if (update[i].create != NULL || update[i].delete != NULL)
            return true;
    return request->vector_index_updates.count > 0;
}

static bool builds_index(const struct update_table_request *request) {
    const struct global_index_update_input *update = request->global_secondary_index_updates.items;
    for (size_t i = 0; i < request->global_secondary_index_updates.count; i++)
        if (update[i].create != NULL)
            return true;
    return false;
}

/* The table or an index is warmed up. */
static bool warms(const struct update_table_request *request) {
    const struct global_index_update_input *update = request->global_secondary_index_updates.items;
    for (size_t i = 0; i < request->global_secondary_index_updates.count; i++)
        if (update[i].update != NULL && update[i].update->warm_throughput != NULL)
            return true;
    return request->warm_throughput != NULL;
}

static struct error *check_alone(struct arena *arena, uint32_t concerns, uint32_t concern,
                                 const char *what) {
    if ((concerns & concern) == 0 || concerns == concern)
        return NULL;
    return error_request(arena, PVI "%s must be the only operation in the request", what);
}

static struct error *check_all_alone(struct arena *arena, uint32_t concerns) {
    TRY(check_alone(arena, concerns, CONCERN_SSE, "Server-Side Encryption modification"));
    for (size_t i = 0; i < SETTING_COUNT; i++)
        TRY(check_alone(arena, concerns, (uint32_t)CONCERN_SETTING << i, table_settings[i].alone));
    TRY(check_alone(arena, concerns, CONCERN_WARM, "WarmThroughput"));
    return check_alone(arena, concerns, CONCERN_REPLICAS, "Replica modification");
}

static struct error *check_together(struct arena *arena,
                                    const struct update_table_request *request) {
    uint32_t concerns = concerns_of(request);
    uint32_t iops = CONCERN_THROUGHPUT | CONCERN_BILLING;
    bool index = builds_or_drops_index(request);
    if (builds_index(request) && warms(request))
        return error_request(arena, PVI "Create global secondary index cannot be specified when "
                                        "updating WarmThroughput");
    TRY(check_all_alone(arena, concerns));
    if ((concerns & CONCERN_ON_DEMAND) &&
        (concerns & ~(uint32_t)(CONCERN_ON_DEMAND | CONCERN_BILLING)))
        return error_request(arena, PVI "OnDemandThroughput can only be combined with BillingMode "
                                        "in an UpdateTable request");
    if ((concerns & CONCERN_STREAM) && (concerns & iops))
        return error_request(arena,
                             PVI "You cannot modify stream status while updating table IOPS");
    if (index && (concerns & CONCERN_THROUGHPUT)) /* a new billing mode alone is fine */
        return error_request(arena,
                             PVI "You cannot create or delete index while updating table IOPS");
    if (index && (concerns & CONCERN_STREAM))
        return error_request(arena,
                             PVI "You cannot create or delete index while changing stream status");
    return NULL;
}

/* ---- the whole ---- */

static struct error *check_stream(struct arena *arena,
                                  const struct stream_specification_input *stream) {
    if (stream == NULL)
        return NULL;
    bool view = slice_present(stream->stream_view_type);
    if (stream->stream_enabled.value && !view)
        return error_request(arena,
                             PVI "If stream is being enabled then UpdateViewType is required");
    if (!stream->stream_enabled.value && view)
        return error_request(
            arena, PVI "If stream is being disabled, then UpdateViewType must not be specified");
    return NULL;
}

static struct error *check_replicas(struct arena *arena, const struct field_list *updates) {
    const struct replica_update_input *update = updates->items;
    size_t moves = 0;
    for (size_t i = 0; i < updates->count; i++) {
        if (update[i].create == NULL && update[i].update == NULL && update[i].delete == NULL &&
            update[i].disassociate == NULL)
            return error_request(arena, "There are no actions specified in the Replica Update "
                                        "Action of the request.");
        moves += update[i].create != NULL;
        moves += update[i].delete != NULL;
    }
    if (moves > 1)
        return error_request(arena, "Update table operation with more than one create or delete "
                                    "replica actions not allowed");
    return NULL;
}

struct error *update_table_check(struct arena *arena, const struct update_table_request *request) {
    if (concerns_of(request) == 0)
        return error_request(
            arena, "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                   "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
                   "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
                   "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass "
                   "is required");
    const struct field_list *index_updates = &request->global_secondary_index_updates;
    if (index_updates->present && index_updates->count == 0)
        return error_request(arena, PVI "List of GlobalSecondaryIndexUpdates is empty");
    TRY(settings_check(arena, request->settings));
    TRY(check_together(arena, request));
    if (billing_mode_is(request->billing_mode, BILLING_PAY_PER_REQUEST) &&
        request->provisioned_throughput != NULL)
        return error_request(arena, PVI "ProvisionedThroughput cannot be specified when "
                                        "BillingMode is PAY_PER_REQUEST");
    TRY(throughput_check_bounds(arena, request->provisioned_throughput, OWNED_BY_TABLE));
    TRY(check_stream(arena, request->stream_specification));
    TRY(sse_check(arena, request->sse_specification));
    TRY(check_replicas(arena, &request->replica_updates));
    return update_indexes_check(arena, request);
}
