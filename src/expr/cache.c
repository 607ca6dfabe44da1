/* cache.c - the programs that one thread has compiled lately.
 *
 * The entries form sets of a few, as in a processor's cache: a text's hash chooses the set, and
 * within it the least recently used entry makes room. So lookups compare a bounded number of
 * entries whatever texts a client sends, and the memory is bounded by the number of entries and
 * CACHED_PROGRAM_BYTES_MAX.
 *
 * Threads: one per cache. The programs are shared by their references. */
#include "expr/cache.h"

#include <stdlib.h>

#include "base/check.h"
#include "expr/limits.h"

enum { WAYS = 8 };

struct entry {
    struct expr_program *program; /* NULL: free */
    uint8_t *text;
    uint32_t len;
    enum expr_kind kind;
    uint64_t hash;
    uint64_t used; /* when, in lookups */
};

struct expr_cache {
    size_t set_mask;
    uint64_t lookups;
    struct entry entries[];
};

struct expr_cache *expr_cache_new(size_t entries_max) {
    size_t sets = 1;
    while (sets * 2 * WAYS <= entries_max)
        sets *= 2;
    struct expr_cache *cache = calloc(1, sizeof(*cache) + sets * WAYS * sizeof(struct entry));
    CHECK(cache != NULL);
    cache->set_mask = sets - 1;
    return cache;
}

static void entry_release(struct entry *entry) {
    expr_program_unref(entry->program);
    free(entry->text);
    *entry = (struct entry){0};
}

void expr_cache_free(struct expr_cache *cache) {
    if (cache == NULL)
        return;
    for (size_t i = 0; i < (cache->set_mask + 1) * WAYS; i++)
        entry_release(&cache->entries[i]);
    free(cache);
}

/* Eight bytes at a time; it only has to spread. */
static uint64_t hash_text(enum expr_kind kind, struct slice text) {
    uint64_t hash = (uint64_t)kind + text.len * UINT64_C(0x9E3779B97F4A7C15);
    for (; text.len >= 8; text = slice_skip(text, 8))
        hash = (hash ^ load_u64(text.data)) * UINT64_C(0xFF51AFD7ED558CCD), hash ^= hash >> 32;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ text.data[i]) * UINT64_C(0xFF51AFD7ED558CCD);
    return hash ^ hash >> 29;
}

static struct entry *set_of(struct expr_cache *cache, uint64_t hash) {
    return &cache->entries[(hash & cache->set_mask) * WAYS];
}

static bool entry_matches(const struct entry *entry, uint64_t hash, enum expr_kind kind,
                          struct slice text) {
    return entry->program != NULL && entry->hash == hash && entry->kind == kind &&
           slice_equal(slice_of(entry->text, entry->len), text);
}

struct expr_program *cache_find(struct expr_cache *cache, enum expr_kind kind, struct slice text) {
    uint64_t hash = hash_text(kind, text);
    struct entry *set = set_of(cache, hash);
    cache->lookups++;
    for (int way = 0; way < WAYS; way++) {
        if (!entry_matches(&set[way], hash, kind, text))
            continue;
        set[way].used = cache->lookups;
        return program_ref(set[way].program);
    }
    return NULL;
}

void cache_add(struct expr_cache *cache, enum expr_kind kind, struct slice text,
               struct expr_program *program) {
    if (program->bytes > CACHED_PROGRAM_BYTES_MAX)
        return;
    uint64_t hash = hash_text(kind, text);
    struct entry *set = set_of(cache, hash), *oldest = &set[0];
    for (int way = 1; way < WAYS; way++)
        if (set[way].used < oldest->used)
            oldest = &set[way];
    entry_release(oldest);
    uint8_t *copy = malloc(text.len);
    CHECK(copy != NULL);
    memcpy(copy, text.data, text.len);
    *oldest =
        (struct entry){program_ref(program), copy, (uint32_t)text.len, kind, hash, cache->lookups};
}
