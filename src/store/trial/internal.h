/* internal.h - what the parts of a trial share. */
#ifndef GRAMME_STORE_TRIAL_INTERNAL_H
#define GRAMME_STORE_TRIAL_INTERNAL_H

#include "store/trial/trial.h"

struct trial {
    struct arena *arena;
    struct store *stores[2]; /* on the same data */
    struct store *reader;    /* on the same, and never leads */
    struct trial_observer *observer;
    size_t failed;
};

void trial_verdict(struct trial *trial, const char *name, bool passed, struct slice text);
void trial_figure(struct trial *trial, const char *name, struct slice text);

/* What a transaction does: all its reads, then its writes. */
struct trial_step {
    struct error *(*run)(struct trial_step *step, struct store_txn *txn);
};
/* Runs it until it is committed, taking the lead when that is refused. */
struct error *trial_commit(struct store *store, struct arena *arena, struct trial_step *step,
                           enum store_durability durability);

struct store_key trial_key(struct arena *arena, const char *name, unsigned number);

/* races.c */
struct error *trial_races(struct trial *trial);
/* figures.c */
struct error *trial_figures(struct trial *trial);

#endif
