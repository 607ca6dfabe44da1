/* series_state.c - see series_state.h. */
#include "cloudwatch/series_state.h"

#include <stdlib.h>
#include <time.h>

#include "base/check.h"

enum { GONE_ROOM = 64 };

int64_t series_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static size_t chain_of_key(const struct series_store *store, struct slice key) {
    uint8_t hash[SIPHASH_BYTES];
    siphash128(store->hash_key, key, hash);
    return (hash[0] | (size_t)hash[1] << 8) % ENTRY_CHAINS;
}

struct entry *entry_find(struct series_store *store, struct slice key) {
    struct entry *entry = store->by_key[chain_of_key(store, key)];
    while (entry != NULL && !slice_equal(entry_key(entry), key))
        entry = entry->next_by_key;
    return entry;
}

struct entry *entry_find_id(struct series_store *store, uint32_t id) {
    struct entry *entry = store->by_id[id % ENTRY_CHAINS];
    while (entry != NULL && entry->id != id)
        entry = entry->next_by_id;
    return entry;
}

static void note_gone(struct series_store *store, uint32_t id) {
    if (store->gone_count == store->gone_room) {
        store->gone_room = store->gone_room == 0 ? GONE_ROOM : store->gone_room * 2;
        store->gone = realloc(store->gone, store->gone_room * sizeof(*store->gone));
        CHECK(store->gone != NULL);
    }
    store->gone[store->gone_count++] = id;
}

static void entry_free(struct series_store *store, struct entry *entry) {
    for (uint32_t i = 0; i < entry->pending.count; i++)
        store->pending_bytes -= sizeof(struct point) + sample_bytes(&entry->pending.list[i].sample);
    points_release(&entry->pending);
    free(entry);
    store->entry_count--;
}

void entry_drop(struct series_store *store, struct entry *entry) {
    struct entry **at = &store->by_key[chain_of_key(store, entry_key(entry))];
    while (*at != entry)
        at = &(*at)->next_by_key;
    *at = entry->next_by_key;
    at = &store->by_id[entry->id % ENTRY_CHAINS];
    while (*at != entry)
        at = &(*at)->next_by_id;
    *at = entry->next_by_id;
    if (entry->stored || entry->leaving != NULL)
        note_gone(store, entry->id);
    entry_free(store, entry);
}

static struct entry *find_idlest(struct series_store *store) {
    struct entry *idlest = NULL;
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i]; entry != NULL; entry = entry->next_by_id)
            if (idlest == NULL || entry->last_minute < idlest->last_minute)
                idlest = entry;
    return idlest;
}

struct entry *entry_add(struct series_store *store, struct slice key, uint32_t id) {
    if (store->entry_count >= store->options.series_max)
        entry_drop(store, find_idlest(store));
    struct entry *entry = calloc(1, sizeof(*entry) + key.len);
    CHECK(entry != NULL);
    memcpy(entry->key, key.data, key.len);
    entry->key_len = key.len;
    entry->id = id;
    entry->last_minute = INT32_MIN;
    size_t chain = chain_of_key(store, key);
    entry->next_by_key = store->by_key[chain];
    store->by_key[chain] = entry;
    entry->next_by_id = store->by_id[id % ENTRY_CHAINS];
    store->by_id[id % ENTRY_CHAINS] = entry;
    store->entry_count++;
    if (id >= store->next_id)
        store->next_id = id + 1;
    return entry;
}

void entries_release(struct series_store *store) {
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i], *next; entry != NULL; entry = next) {
            next = entry->next_by_id;
            entry_free(store, entry);
        }
    free(store->gone);
}
