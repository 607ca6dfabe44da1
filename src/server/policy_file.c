/* policy_file.c - see policy_file.h. */
#include "server/policy_file.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "policy/policy.h"

struct reading_of_policy {
    struct arena arena;
    struct slice text;
    struct reading_of_policy *next;
};

struct policy_file {
    const char *path;
    struct common_policy common;
    struct reading_of_policy *readings;
};

static void forget(struct reading_of_policy *reading) {
    arena_release(&reading->arena);
    free(reading);
}

/* The error lives in the arena that is given. One that says the same as the last is not kept. */
static struct error *read_policy(struct policy_file *file, struct arena *arena) {
    const struct policy *policy = NULL;
    struct reading_of_policy *reading = calloc(1, sizeof(*reading));
    CHECK(reading != NULL);
    arena_init(&reading->arena);
    struct error *error = policy_load(&reading->arena, file->path, &reading->text, &policy);
    if (error != NULL) {
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
        forget(reading);
        return error;
    }
    if (file->readings != NULL && slice_equal(reading->text, file->readings->text)) {
        forget(reading);
        return NULL;
    }
    reading->next = file->readings;
    file->readings = reading;
    atomic_store_explicit(&file->common.now, policy, memory_order_release);
    return NULL;
}

struct error *policy_file_open(struct arena *arena, const char *path,
                               struct policy_file **ret_file) {
    struct policy_file *file = calloc(1, sizeof(*file));
    CHECK(file != NULL);
    file->path = path;
    struct error *error = read_policy(file, arena);
    if (error != NULL)
        policy_file_close(file);
    else
        *ret_file = file;
    return error;
}

void policy_file_close(struct policy_file *file) {
    if (file == NULL)
        return;
    for (struct reading_of_policy *next; file->readings != NULL; file->readings = next) {
        next = file->readings->next;
        forget(file->readings);
    }
    free(file);
}

const struct common_policy *policy_file_common(const struct policy_file *file) {
    return file == NULL ? NULL : &file->common;
}

void policy_file_reload(struct policy_file *file) {
    struct arena CLEANUP(arena_release) scratch;
    arena_init(&scratch);
    const struct error *error = read_policy(file, &scratch);
    if (error != NULL)
        log_error("the policy stays as it was: %.*s", SLICE_ARGS(error->message));
    else
        log_info("the policy in %s was read again", file->path);
}
