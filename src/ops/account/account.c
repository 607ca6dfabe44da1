/* account.c - adding up. */
#include "ops/account/account.h"

#include "engine/catalog.h"
#include "engine/read.h"
#include "engine/write.h"
#include "model/capacity.h"
#include "ops/op.h"

/* ---- entries ---- */

struct account_table *account_table(struct op_call *call, struct slice name,
                                    const struct table *table) {
    struct account_table *entry = &call->account.first;
    while (entry->table != NULL && !slice_equal(entry->name, name)) {
        if (entry->next == NULL)
            entry->next = ARENA_NEW(call->arena, struct account_table);
        entry = entry->next;
    }
    entry->name = name;
    entry->table = table;
    return entry;
}

void account_touch(struct op_call *call, struct slice name) {
    const struct table *table = catalog_find(call->context->catalog, name);
    if (table != NULL)
        account_table(call, name, table);
}

static struct account_cost *index_cost(struct op_call *call, struct account_table *table,
                                       struct slice name, bool global) {
    struct account_index **at = &table->indexes;
    while (*at != NULL && !slice_equal((*at)->name, name))
        at = &(*at)->next;
    if (*at == NULL) {
        *at = ARENA_NEW(call->arena, struct account_index);
        (*at)->name = name;
        (*at)->global = global;
    }
    return &(*at)->cost;
}

/* ---- reads ---- */

static uint64_t add_item(struct account_table *table, const struct stored_item *item,
                         uint64_t halves) {
    bool found = value_present(item->item);
    table->cost.halves += halves;
    table->cost.examined += found;
    table->cost.returned += found;
    table->cost.bytes += item->size;
    return halves;
}

static void add_access(struct account_table *table, bool consistent) {
    table->access |= ACCOUNT_READ | (consistent ? ACCOUNT_CONSISTENT : 0);
}

uint64_t account_get(struct account_table *table, const struct stored_item *item, bool consistent) {
    add_access(table, consistent);
    return add_item(table, item, capacity_read(item->size, consistent));
}

uint64_t account_transact_get(struct account_table *table, const struct stored_item *item) {
    table->access |= ACCOUNT_TRANSACTION;
    add_access(table, true);
    return add_item(table, item, capacity_transact_read(item->size));
}

uint64_t account_range(struct op_call *call, struct account_table *table,
                       const struct account_range *range) {
    const struct table_index *index = range->index;
    struct account_cost *cost =
        index == NULL ? &table->cost : index_cost(call, table, index->name, index->global);
    uint64_t halves = capacity_read(range->bytes, range->consistent);
    add_access(table, range->consistent);
    table->access |= ACCOUNT_RANGE;
    cost->halves += halves;
    cost->examined += range->examined;
    cost->returned += range->returned;
    cost->bytes += range->bytes;
    return halves;
}

/* ---- writes ---- */

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void add_indexes(struct op_call *call, struct account_table *table,
                        const struct item_write *write) {
    for (size_t i = 0; i < write->index_write_count; i++) {
        const struct index_write *index = &write->index_writes[i];
        struct account_cost *cost = index_cost(call, table, index->name, index->global);
        cost->halves += capacity_index_write(index->change);
        cost->written++;
        cost->bytes += larger(index->change.old_size, index->change.new_size);
    }
}

static void add_write(struct op_call *call, struct account_table *table,
                      const struct item_write *write, uint64_t halves) {
    table->cost.halves += halves;
    table->cost.written++;
    table->cost.bytes += larger(write->old_size, write->new_size);
    add_indexes(call, table, write);
}

static void add_failure(struct account_table *table, const struct error *why, uint64_t halves) {
    table->failed++;
    table->failed_halves += halves;
    if (why != NULL) {
        table->conditions_failed += why->code == ERROR_CONDITIONAL_CHECK_FAILED;
        table->conflicts += why->code == ERROR_TRANSACTION_CONFLICT;
    }
}

static void add_single(struct op_call *call, struct account_table *table,
                       const struct item_write *write) {
    uint64_t halves = capacity_write(write->old_size, write->new_size);
    table->access |= ACCOUNT_WRITE;
    if (write->error == NULL)
        add_write(call, table, write, halves);
    else
        add_failure(table, write->error, halves);
}

static void add_of_transaction(struct op_call *call, struct account_table *table,
                               const struct item_write *write, bool cancelled) {
    uint64_t halves = capacity_transact_write(write->old_size, write->new_size);
    table->access |= ACCOUNT_TRANSACTION | ACCOUNT_WRITE;
    if (cancelled)
        add_failure(table, write->error, halves);
    else
        add_write(call, table, write, halves);
}

static void add_replay(struct account_table *table, const struct item_write *write) {
    table->access |= ACCOUNT_TRANSACTION | ACCOUNT_READ | ACCOUNT_CONSISTENT | ACCOUNT_REPLAY;
    table->cost.halves += capacity_transact_replay(write->old_size, write->new_size);
}

/* True when the job is a transaction that failed because some of it was: nothing is paid for. */
static bool note_throttled(struct op_call *call, const struct write_job *job) {
    bool any = false;
    for (size_t i = 0; i < job->count; i++)
        if (error_is_throttled(job->writes[i].error)) {
            account_throttled(call, job->writes[i].table, job->writes[i].error);
            any = true;
        }
    return any && job->transaction != NULL;
}

void account_writes(struct op_call *call, const struct write_job *job, const struct slice *names) {
    const struct write_transaction *transaction = job->transaction;
    if (job->error != NULL || note_throttled(call, job))
        return;
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        if (error_is_throttled(write->error))
            continue;
        struct account_table *table = account_table(call, names[i], write->table);
        if (transaction == NULL)
            add_single(call, table, write);
        else if (transaction->replayed)
            add_replay(table, write);
        else if (write->refused == NULL)
            add_of_transaction(call, table, write, transaction->cancelled);
    }
}

/* ---- what was throttled ---- */

static struct account_throttle *throttle_of(struct op_call *call, const struct table *table,
                                            const struct throttling_reason *by) {
    struct account_throttle **at = &call->account.throttled;
    while (*at != NULL && ((*at)->table != table || (*at)->by.limit != by->limit ||
                           !slice_equal((*at)->by.index, by->index)))
        at = &(*at)->next;
    if (*at == NULL) {
        *at = ARENA_NEW(call->arena, struct account_throttle);
        (*at)->table = table;
        (*at)->by = *by;
    }
    return *at;
}

void account_throttled(struct op_call *call, const struct table *table, const struct error *error) {
    for (size_t i = 0; i < error->throttled_by_count; i++)
        throttle_of(call, table, &error->throttled_by[i])->events++;
}

/* ---- after the operation's release ---- */

static void with_tables(const struct account *account, void (*visit)(struct table *table)) {
    const struct account_table *entry = &account->first;
    for (; entry != NULL && entry->table != NULL; entry = entry->next)
        visit((struct table *)(uintptr_t)entry->table);
    for (const struct account_throttle *refused = account->throttled; refused != NULL;
         refused = refused->next)
        visit((struct table *)(uintptr_t)refused->table);
}

static void keep(struct table *table) {
    (void)table_ref(table);
}

void account_keep(const struct account *account) {
    with_tables(account, keep);
}

void account_let_go(const struct account *account) {
    with_tables(account, table_unref);
}
