/* transaction.c - running a transaction inside a group. */
#include "engine/transaction.h"

#include <inttypes.h>

#include "engine/item_write.h"
#include "model/limits.h"

void transaction_reserve(struct group *group, const struct write_job *job) {
    token_slot(group, job);
}

/* What a slot held before the job. */
struct saved_slot {
    struct slot *slot;
    struct slice current;
};

static size_t save_slots(struct group *group, const struct write_job *job,
                         struct saved_slot *saved) {
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++) {
        struct slot *slots[WRITE_SLOTS_MAX];
        size_t used = item_write_slots(group, &job->writes[i], slots);
        for (size_t k = 0; k < used; k++)
            saved[count++] = (struct saved_slot){slots[k], slots[k]->current};
    }
    return count;
}

struct error *transaction_conflict(struct group *group, const struct write_job *job,
                                   const struct item_write *write) {
    struct slot *slots[WRITE_SLOTS_MAX];
    if (!group->owners.options->transaction_conflicts || item_write_slots(group, write, slots) == 0)
        return NULL;
    if (slots[0]->transaction == NULL || slots[0]->transaction == job)
        return NULL;
    return error_new(job->arena, ERROR_TRANSACTION_CONFLICT, "Transaction is ongoing for the item");
}

/* Tries all writes; false when one of them fails. */
static bool try_all(struct group *group, struct write_job *job) {
    bool fine = true;
    for (size_t i = 0; i < job->count; i++) {
        struct item_write *write = &job->writes[i];
        struct error *conflict = transaction_conflict(group, job, write);
        if (conflict != NULL)
            write->error = conflict;
        else
            item_write_run(group, job, write);
        fine = fine && write->error == NULL;
    }
    return fine;
}

struct error *transaction_check_bytes(struct arena *arena, uint64_t bytes) {
    if (bytes <= LIMIT_TRANSACTION_BYTES)
        return NULL;
    return error_validation(
        arena, "Transaction payload size cannot exceed 4MB. Payload Size: %" PRIu64, bytes);
}

/* Sizes of what is put and of what updates make; what is deleted or only looked at is free. */
static struct error *check_size(const struct write_job *job) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (job->writes[i].kind == WRITE_PUT || job->writes[i].kind == WRITE_UPDATE)
            bytes += job->writes[i].new_size;
        TRY(transaction_check_bytes(job->arena, bytes));
    }
    return NULL;
}

static void run_all(struct group *group, struct write_job *job, struct slot *token) {
    struct saved_slot *saved =
        ARENA_ARRAY(group->arena, struct saved_slot, job->count * WRITE_SLOTS_MAX);
    size_t saved_count = save_slots(group, job, saved);
    struct group_change **changes_end = group->changes_end;
    job->transaction->cancelled = !try_all(group, job);
    job->error = check_size(job);
    bool happens = !job->transaction->cancelled && job->error == NULL;
    for (size_t i = 0; i < saved_count; i++) {
        if (happens)
            saved[i].slot->transaction = job;
        else
            saved[i].slot->current = saved[i].current;
    }
    if (!happens) {
        group->changes_end = changes_end;
        *changes_end = NULL;
    }
    if (happens && token != NULL)
        token_remember(group, job, token);
}

/* The token was used before, for the same request: the writes have happened. */
static void replay(struct write_job *job, const struct token_record *token) {
    job->transaction->replayed = true;
    for (size_t i = 0; i < job->count; i++) {
        struct item_write *write = &job->writes[i];
        write->error = NULL;
        write->index_write_count = 0;
        write->old_size = 0;
        write->new_size = i < token->size_count ? token->sizes[i] : 0;
    }
}

void transaction_run(struct group *group, struct write_job *job) {
    struct write_transaction *transaction = job->transaction;
    struct token_record record = {.end_ms = 0};
    struct slot *token = token_slot(group, job);
    transaction->cancelled = transaction->replayed = false;
    job->error = NULL;
    if (token != NULL)
        job->error = token_decode(job->arena, token->current, &record);
    if (job->error != NULL)
        return;
    if (record.end_ms <= group->now_ms)
        run_all(group, job, token);
    else if (slice_equal(record.fingerprint,
                         slice_of(transaction->fingerprint, TOKEN_FINGERPRINT_BYTES)))
        replay(job, &record);
    else
        job->error = error_new(job->arena, ERROR_IDEMPOTENT_PARAMETER_MISMATCH,
                               "The provided client request token was used with other parameters");
}
