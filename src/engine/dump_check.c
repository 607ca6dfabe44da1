/* dump_check.c - see dump_check.h. */
#include "engine/dump_check.h"

#include "base/container.h"
#include "engine/keyspaces.h"
#include "engine/whole.h"

static struct error *check_catalog(struct dump_checker *checker, struct slice key,
                                   struct slice value) {
    struct arena *arena = &checker->scratch;
    if (checker->owners.settled)
        return error_local(arena, "the catalog comes after what it tells of");
    TRY(catalog_record_check(arena, key, value));
    TRY(whole_record_check(arena, key, value));
    return owners_learn(&checker->owners, arena, key, value);
}

static struct error *check_other(struct dump_checker *checker, const struct store_key *key,
                                 struct slice value) {
    struct arena *arena = &checker->scratch;
    if (!checker->owners.settled)
        TRY(owners_settle(&checker->owners, arena));
    return owned_record_check(arena, &checker->owners, key, value);
}

static struct error *check(struct dump_check *base, struct arena *arena,
                           const struct store_key *key, struct slice value) {
    struct dump_checker *checker = container_of(base, struct dump_checker, base);
    struct error *error = key->keyspace == KEYSPACE_CATALOG
                              ? check_catalog(checker, key->key, value)
                              : check_other(checker, key, value);
    if (error != NULL)
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
    arena_reset(&checker->scratch);
    return error;
}

void dump_checker_init(struct dump_checker *checker) {
    checker->base.check = check;
    owners_init(&checker->owners);
    arena_init(&checker->scratch);
}

void dump_checker_release(struct dump_checker *checker) {
    owners_release(&checker->owners);
    arena_release(&checker->scratch);
}
