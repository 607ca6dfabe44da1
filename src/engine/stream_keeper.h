/* stream_keeper.h - when streams need to be looked at (stream_keep.h), and how far a look has come
 * that takes several steps. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_STREAM_KEEPER_H
#define GRAMME_ENGINE_STREAM_KEEPER_H

#include "codec/catalog_keys.h"

struct stream_keeper {
    int64_t due_ms;      /* INT64_MAX: there are no streams */
    int64_t next_due_ms; /* of what the present look has seen so far */
    bool changed;        /* a stream came or ended meanwhile */
    struct slice cursor; /* the key of the last one that was looked at; absent: none */
    uint8_t cursor_bytes[STREAM_DEFINITION_KEY_MAX];
};

/* All streams are looked at, from the first one on, whatever was known. */
static inline void stream_keeper_look_again(struct stream_keeper *keeper) {
    *keeper = (struct stream_keeper){.due_ms = 0};
}

/* A stream that comes or ends is being committed. */
static inline void stream_keeper_expect(struct stream_keeper *keeper) {
    keeper->due_ms = 0;
    keeper->changed = true;
}

#endif
