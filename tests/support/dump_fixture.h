/* dump_fixture.h - what the tests of dumps share: stores with known contents, dumps in memory. */
#ifndef GRAMME_TESTS_DUMP_FIXTURE_H
#define GRAMME_TESTS_DUMP_FIXTURE_H

#include "base/buffer.h"
#include "store/dump/dump.h"

enum { DUMP_KEYSPACES = 2, DUMP_NOW_MS = 1234567 };

extern const struct store_keyspace dump_keyspaces[DUMP_KEYSPACES];

struct memory_sink {
    struct dump_sink base;
    struct buffer bytes;
    int fail_at; /* the call that fails, from 1; 0: none */
    int calls;
};

struct memory_source {
    struct dump_source base;
    struct slice bytes;
    size_t step_max; /* bytes per call */
};

struct error *memory_source_read(struct dump_source *base, struct arena *arena, void *bytes,
                                 size_t size, size_t *ret_len);

struct dump_fixture {
    struct arena arena;
    struct memory_sink sink;
    struct dump_progress *progress; /* of dump_try, or NULL */
    char directory[32];             /* of the RocksDB stores */
};

int dump_setup(void **state);
int dump_teardown(void **state);

struct store *dump_memory_store(struct dump_fixture *fixture);
struct store *dump_rocksdb_store(struct dump_fixture *fixture, const char *name);
void dump_put(struct dump_fixture *fixture, struct store *store, uint8_t keyspace, const char *key,
              const char *value);
void dump_fill_small(struct dump_fixture *fixture, struct store *store);
/* Values of the largest items, the longest keys, and enough of all for several blocks. */
void dump_fill_large(struct dump_fixture *fixture, struct store *store);

/* To the fixture's sink. */
struct error *dump_try(struct dump_fixture *fixture, struct store *store,
                       struct dump_summary *ret_summary);
/* One that must succeed, in the arena. */
struct slice dump_of(struct dump_fixture *fixture, struct store *store);
/* A NULL store: the dump is only verified. */
struct error *dump_load(struct dump_fixture *fixture, struct slice dump, struct store *store,
                        struct dump_summary *ret_summary);
/* Of a dump that is only verified: the error's text, or "". */
const char *dump_verdict(struct dump_fixture *fixture, struct slice dump);

#endif
