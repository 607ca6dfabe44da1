/* write_throttle.c - see write_throttle.h. What things cost is in model/capacity.h. */
#include "engine/write_throttle.h"

#include "engine/throttled.h"

/* The least that the write can cost, and of a transaction all of its writes up to this one: each of
 * them needs its units. */
static uint64_t least_of_table(const struct write_job *job, const struct item_write *write) {
    uint64_t halves = 0;
    if (job->transaction == NULL)
        return capacity_write(0, 0);
    for (const struct item_write *other = job->writes; other <= write; other++)
        if (other->refused == NULL && other->table->stats == write->table->stats)
            halves += capacity_transact_write(0, 0);
    return halves;
}

static bool touches(const struct item_write *write, uint32_t index_id) {
    for (size_t i = 0; i < write->index_write_count; i++)
        if (write->index_writes[i].id == index_id)
            return true;
    return false;
}

/* Entries are never smaller than one unit, and in transactions cost no more than elsewhere. */
static uint64_t least_of_index(const struct write_job *job, const struct item_write *write,
                               uint32_t index_id) {
    uint64_t halves = capacity_write(0, 0);
    for (const struct item_write *other = job->writes; job->transaction != NULL && other < write;
         other++)
        if (touches(other, index_id))
            halves += capacity_write(0, 0);
    return halves;
}

static struct limits_use use_of_table(const struct group *group, const struct item_write *write) {
    return (struct limits_use){LIMIT_WRITES, true, key_hash_bits(write->store_key),
                               (int64_t)group->now_ms};
}

static struct limits_use use_of_index(const struct group *group, const struct index_write *index) {
    return (struct limits_use){LIMIT_WRITES, index->global, index->partition,
                               (int64_t)group->now_ms};
}

struct error *write_throttle_check(const struct group *group, const struct write_job *job,
                                   const struct item_write *write) {
    struct limits_use use = use_of_table(group, write);
    struct throttled_hit hit = {.direction = LIMIT_WRITES};
    hit.kinds = limits_check(group->owners.options->throttle, write->table->limits, &use,
                             least_of_table(job, write));
    if (hit.kinds == 0)
        return NULL;
    return throttled_error(job->arena, &write->table->definition, &hit, 1);
}

struct error *write_throttle_check_indexes(const struct group *group, const struct write_job *job,
                                           const struct item_write *write,
                                           const struct table *table) {
    struct throttled_hit *hits =
        ARENA_ARRAY(job->arena, struct throttled_hit, write->index_write_count);
    size_t count = 0;
    for (size_t i = 0; i < write->index_write_count; i++) {
        const struct index_write *index = &write->index_writes[i];
        struct limits_use use = use_of_index(group, index);
        unsigned kinds = !index->global
                             ? 0
                             : limits_check(group->owners.options->throttle, index->limits, &use,
                                            least_of_index(job, write, index->id));
        if (kinds != 0)
            hits[count++] = (struct throttled_hit){
                table_find_index(&table->definition, index->name), LIMIT_WRITES, kinds};
    }
    return count == 0 ? NULL : throttled_error(job->arena, &table->definition, hits, count);
}

/* ---- what was taken ---- */

static void take_table(const struct group *group, const struct item_write *write,
                       enum limit_direction direction, uint64_t halves) {
    struct limits_use use = use_of_table(group, write);
    use.direction = direction;
    limits_take(group->owners.options->throttle, write->table->limits, &use, halves);
}

static void take_indexes(const struct group *group, const struct item_write *write) {
    for (size_t i = 0; i < write->index_write_count; i++) {
        const struct index_write *index = &write->index_writes[i];
        struct limits_use use = use_of_index(group, index);
        limits_take(group->owners.options->throttle, index->limits, &use,
                    capacity_index_write(index->change));
    }
}

void write_throttle_take(const struct group *group, const struct item_write *write) {
    if (error_is_throttled(write->error))
        return;
    take_table(group, write, LIMIT_WRITES, capacity_write(write->old_size, write->new_size));
    if (write->error == NULL)
        take_indexes(group, write);
}

static bool any_throttled(const struct write_job *job) {
    for (size_t i = 0; i < job->count; i++)
        if (error_is_throttled(job->writes[i].error))
            return true;
    return false;
}

void write_throttle_take_all(const struct group *group, const struct write_job *job) {
    const struct write_transaction *transaction = job->transaction;
    if (job->error != NULL || (transaction->cancelled && any_throttled(job)))
        return;
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        if (transaction->replayed)
            take_table(group, write, LIMIT_READS,
                       capacity_transact_replay(write->old_size, write->new_size));
        else if (write->refused == NULL)
            take_table(group, write, LIMIT_WRITES,
                       capacity_transact_write(write->old_size, write->new_size));
        if (!transaction->replayed && !transaction->cancelled)
            take_indexes(group, write);
    }
}
