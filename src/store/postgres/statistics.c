/* statistics.c - what a store on a PostgreSQL server tells of itself. */
#include "store/postgres/internal.h"

/* A list that is being filled. */
struct list {
    struct store_statistic *statistics;
    size_t count;
};

static void add(struct list *list, const char *name, const char *help, double value) {
    list->statistics[list->count++] = (struct store_statistic){name, help, value};
}

static void add_connections(struct list *list, struct postgres_store *store) {
    struct fetcher_counts counts = fetcher_counts(store->fetcher);
    pthread_mutex_lock(&store->pool.lock);
    double open = store->pool.open;
    pthread_mutex_unlock(&store->pool.lock);
    add(list, "connections", "Connections to the store that are open for reads.", open);
    add(list, "connections_lost_total", "Connections to the store that were lost.",
        (double)atomic_load(&store->losses));
    add(list, "fetches_total", "Reads that went to the store together with others.",
        (double)counts.fetches);
    add(list, "fetch_batches_total", "Statements that those were.", (double)counts.batches);
}

static void add_commits(struct list *list, const struct tally *tally) {
    add(list, "commits_settled_total",
        "Commits whose connection was lost, and whose fate the store was asked for.",
        (double)atomic_load(&tally->settled));
    add(list, "commits_repeated_total",
        "Of these, those that had not happened, and were sent again.",
        (double)atomic_load(&tally->repeated));
    add(list, "commits_conflicted_total",
        "Commits that the store could not do beside others, and that were sent again.",
        (double)atomic_load(&tally->conflicts));
    add(list, "commits_fenced_total", "Commits that were refused because another server leads.",
        (double)atomic_load(&tally->fenced));
}

static void add_lead(struct list *list, const struct tally *tally) {
    add(list, "leads_taken_total", "How often this server began to lead.",
        (double)atomic_load(&tally->taken));
    add(list, "leads_lost_total", "How often it led no more.", (double)atomic_load(&tally->lost));
    add(list, "contact_timestamp_seconds", "When the store answered last who asks about the lead.",
        (double)atomic_load(&tally->contact_ms) / 1000);
}

static void add_standbys(struct list *list, struct standbys *standbys) {
    if (!atomic_load(&standbys->known))
        return;
    add(list, "standbys", "Standbys of the store.", atomic_load(&standbys->count));
    if (!atomic_load(&standbys->seen))
        return;
    add(list, "standbys_waited_for", "Standbys that commits wait for, all or some of them.",
        atomic_load(&standbys->waited_for));
    add(list, "standby_lag_bytes", "What the standby that is furthest behind has yet to apply.",
        (double)atomic_load(&standbys->behind));
    add(list, "standby_lag_seconds", "How long it took lately until the last of them had it.",
        (double)atomic_load(&standbys->late_ms) / 1000);
}

size_t postgres_statistics(struct store *base, struct arena *arena,
                           struct store_statistic ret_list[STORE_STATISTICS_MAX]) {
    (void)arena;
    struct postgres_store *store = postgres_of(base);
    struct list list = {ret_list, 0};
    add_connections(&list, store);
    add_commits(&list, &store->tally);
    add_lead(&list, &store->tally);
    add_standbys(&list, &store->standbys);
    return list.count;
}
