/* directory.c - see directory.h. */
#include "iam/directory.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/secret.h"

static const char *const stored_kinds[] = {
    [PRINCIPAL_USER] = STORED_USER,
    [PRINCIPAL_ROLE] = STORED_ROLE,
};

/* ---- reading ---- */

static struct error *read_policy(struct arena *arena, enum policy_kind kind,
                                 const struct principal *owner, struct named_policy *policy) {
    struct slice name =
        arena_printf(arena, "policy '%.*s' of %s '%.*s'", SLICE_ARGS(policy->name),
                     owner->kind == PRINCIPAL_USER ? "user" : "role", SLICE_ARGS(owner->name));
    struct policy_document document = {kind, (const char *)name.data, policy->document};
    return policy_parse(arena, &document, &policy->policy);
}

static struct error *read_policies(struct arena *arena, struct principal *principal) {
    principal->identity = ARENA_ARRAY(arena, const struct policy *, principal->policy_count + 1);
    for (size_t i = 0; i < principal->policy_count; i++) {
        TRY(read_policy(arena, POLICY_OF_IDENTITY, principal, &principal->policies[i]));
        principal->identity[i] = principal->policies[i].policy;
    }
    if (slice_present(principal->boundary.document)) {
        principal->boundary.name = SLICE_LITERAL("boundary");
        TRY(read_policy(arena, POLICY_OF_IDENTITY, principal, &principal->boundary));
    }
    if (slice_present(principal->trust.document)) {
        principal->trust.name = SLICE_LITERAL("trust");
        TRY(read_policy(arena, POLICY_OF_TRUST, principal, &principal->trust));
    }
    return NULL;
}

static struct error *load_principals(struct arena *arena, const struct directory_options *options,
                                     enum principal_kind kind, struct principal **ret_list,
                                     size_t *ret_count) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(options->engine, arena, slice_text(stored_kinds[kind]), &records,
                            &count));
    struct principal *list = ARENA_ARRAY(arena, struct principal, count + 1);
    for (size_t i = 0; i < count; i++) {
        TRY(principal_of_record(arena, kind, &records[i], &list[i]));
        list[i].arn = arena_printf(arena, "arn:aws:iam::%.*s:%s/%.*s", SLICE_ARGS(options->account),
                                   stored_kinds[kind], SLICE_ARGS(list[i].name));
        TRY(read_policies(arena, &list[i]));
    }
    *ret_list = list;
    *ret_count = count;
    return NULL;
}

static struct error *load_keys(struct directory *directory,
                               const struct directory_options *options) {
    struct record *records;
    size_t count;
    struct arena *arena = &directory->arena;
    TRY(engine_read_records(options->engine, arena, SLICE_LITERAL(STORED_KEY), &records, &count));
    directory->keys = ARENA_ARRAY(arena, struct access_key, count + 1);
    for (; directory->key_count < count; directory->key_count++)
        TRY(key_of_record(arena, options->seal, &records[directory->key_count],
                          &directory->keys[directory->key_count]));
    return NULL;
}

static struct error *load(struct directory *directory, const struct directory_options *options) {
    for (enum principal_kind kind = PRINCIPAL_USER; kind <= PRINCIPAL_ROLE; kind++)
        TRY(load_principals(&directory->arena, options, kind, &directory->principals[kind],
                            &directory->counts[kind]));
    return load_keys(directory, options);
}

struct error *directory_load(struct arena *arena, const struct directory_options *options,
                             struct directory **ret_directory) {
    struct directory *directory = calloc(1, sizeof(*directory));
    CHECK(directory != NULL);
    atomic_init(&directory->references, 1);
    arena_init(&directory->arena);
    struct error *error = load(directory, options);
    if (error != NULL) {
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
        directory_unref(directory);
        return error;
    }
    *ret_directory = directory;
    return NULL;
}

/* ---- life ---- */

struct directory *directory_ref(struct directory *directory) {
    atomic_fetch_add_explicit(&directory->references, 1, memory_order_relaxed);
    return directory;
}

static void wipe_keys(struct directory *directory) {
    for (size_t i = 0; i < directory->key_count; i++) {
        struct slice secret = directory->keys[i].secret;
        if (slice_present(secret)) /* it is the arena's, and nobody else reads it any more */
            secret_wipe((uint8_t *)(uintptr_t)secret.data, secret.len);
    }
}

void directory_unref(struct directory *directory) {
    if (directory == NULL ||
        atomic_fetch_sub_explicit(&directory->references, 1, memory_order_acq_rel) != 1)
        return;
    wipe_keys(directory);
    arena_release(&directory->arena);
    free(directory);
}

/* ---- looking up ---- */

const struct principal *directory_find(const struct directory *directory, enum principal_kind kind,
                                       struct slice name) {
    size_t low = 0, high = directory->counts[kind];
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct principal *found = &directory->principals[kind][middle];
        int order = slice_compare(found->name, name);
        if (order == 0)
            return found;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct access_key *directory_find_key(const struct directory *directory, struct slice id) {
    size_t low = 0, high = directory->key_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(directory->keys[middle].id, id);
        if (order == 0)
            return &directory->keys[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

size_t directory_count_keys(const struct directory *directory, struct slice user) {
    size_t count = 0;
    for (size_t i = 0; i < directory->key_count; i++)
        count += slice_equal(directory->keys[i].user, user);
    return count;
}
