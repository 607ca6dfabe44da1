/* run.c - two stores on the same data, one that reads it, and all that is tried with them. */
#include "store/trial/trial.h"

#include "base/check.h"
#include "store/trial/internal.h"

enum { ATTEMPTS_MAX = 10000, LEAD_WAIT_MS = 10000 };

static const struct store_keyspace keyspaces[] = {{.name = "one", .point_reads = true},
                                                  {.name = "two"}};

static void tell(struct trial *trial, struct trial_line line) {
    trial->observer->line(trial->observer, &line);
}

void trial_verdict(struct trial *trial, const char *name, bool passed, struct slice text) {
    trial->failed += !passed;
    tell(trial, (struct trial_line){name, text, passed ? TRIAL_PASSED : TRIAL_FAILED});
}

void trial_figure(struct trial *trial, const char *name, struct slice text) {
    tell(trial, (struct trial_line){name, text, TRIAL_FIGURE});
}

struct store_key trial_key(struct arena *arena, const char *name, unsigned number) {
    return (struct store_key){0, arena_printf(arena, "%s-%08u", name, number)};
}

static struct error *attempt(struct store *store, struct arena *arena, struct trial_step *step,
                             enum store_durability durability, enum store_outcome *ret_outcome) {
    struct store_txn *txn = NULL;
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    struct error *error = step->run(step, txn);
    if (error == NULL)
        error = store_commit(txn, durability, ret_outcome);
    store_end(txn);
    return error;
}

struct error *trial_commit(struct store *store, struct arena *arena, struct trial_step *step,
                           enum store_durability durability) {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        enum store_outcome outcome = STORE_UNKNOWN;
        bool leads = true;
        TRY(attempt(store, arena, step, durability, &outcome));
        if (outcome == STORE_COMMITTED)
            return NULL;
        if (outcome == STORE_UNKNOWN)
            return error_local(arena, "the store does not know whether it committed");
        if (outcome == STORE_FENCED)
            TRY(store_lead(store, arena, LEAD_WAIT_MS, &leads));
    }
    return error_local(arena, "a transaction was refused %d times", ATTEMPTS_MAX);
}

struct error *store_trial(struct arena *arena, struct trial_opener *opener,
                          struct trial_observer *observer, size_t *ret_failed) {
    struct trial trial = {.arena = arena, .observer = observer};
    struct error *error = NULL;
    struct store **places[] = {&trial.stores[0], &trial.stores[1], &trial.reader};
    for (size_t i = 0; error == NULL && i < 3; i++)
        error = opener->open(opener, arena, keyspaces, sizeof(keyspaces) / sizeof(*keyspaces),
                             places[i]);
    if (error == NULL)
        error = trial_races(&trial);
    if (error == NULL)
        error = trial_figures(&trial);
    for (size_t i = 0; i < 3; i++)
        store_close(*places[i]);
    *ret_failed = trial.failed;
    return error;
}
