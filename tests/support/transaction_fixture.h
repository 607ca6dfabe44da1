/* transaction_fixture.h - transactions for tests of the engine: actions as text, and what came of
 * them. */
#ifndef GRAMME_TESTS_TRANSACTION_FIXTURE_H
#define GRAMME_TESTS_TRANSACTION_FIXTURE_H

#include "support/engine_fixture.h"

enum { TRANSACTION_ACTIONS_MAX = 20 };

struct transaction_action {
    enum write_kind kind;
    const char *table;
    const char *attributes; /* the item of a put, the key of the others */
    const char *update;     /* NULL: none */
    const char *condition;  /* NULL: none */
    const char *values;     /* of both; NULL: none */
};

struct transact_run {
    struct write_job job;
    struct write_transaction transaction;
    struct item_write writes[TRANSACTION_ACTIONS_MAX];
};

/* Fills the job; the actions end with one that has no table. `token` may be NULL; `request` stands
 * for all that the fingerprint is made of. */
void transact_prepare(struct engine_fixture *fixture, const char *token, const char *request,
                      const struct transaction_action *actions, struct transact_run *run);

/* The same, runs it and waits. Returns what came of it: "done", "replayed", "cancelled: " and the
 * errors of the actions ("-" for none), or the error of the job. */
const char *transact(struct engine_fixture *fixture, const char *token, const char *request,
                     const struct transaction_action *actions, struct transact_run *run);
/* The outcome of a job that is done. */
const char *transact_outcome(struct engine_fixture *fixture, const struct transact_run *run);

#endif
