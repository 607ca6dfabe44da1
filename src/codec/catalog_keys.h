/* catalog_keys.h - the keys of the catalog's keyspace: a letter for the kind of record, and what
 * tells its records apart.
 *
 * Of each line of catalog_keys.def there are kind_key(), with the parameters of its shape below,
 * and kind_key_range(), which covers all records of the kind. Memory: the arena that is given. */
#ifndef GRAMME_CODEC_CATALOG_KEYS_H
#define GRAMME_CODEC_CATALOG_KEYS_H

#include "base/timestamp.h"
#include "codec/key.h"
#include "model/limits.h"

/* ---- what follows the letter; numbers are big-endian, so that they sort ---- */

struct slice catalog_key_of_name(struct arena *arena, char letter, struct slice name);
struct slice catalog_key_of_id(struct arena *arena, char letter, uint32_t id);
struct slice catalog_key_of_id_number(struct arena *arena, char letter, uint32_t id,
                                      uint64_t number);
struct slice catalog_key_of_ms_id(struct arena *arena, char letter, int64_t ms, uint32_t id);
/* A name, 0, a label. An absent label: what all keys with the name start with. */
struct slice catalog_key_of_name_label(struct arena *arena, char letter, struct slice name,
                                       struct slice label);
/* These two have three zeros behind the letter, so that what is random, or counts, stands where the
 * hash of an item's key does. An absent hash: what all keys of the ms start with. */
struct slice catalog_key_of_hash(struct arena *arena, char letter, struct slice hash);
struct slice catalog_key_of_ms_hash(struct arena *arena, char letter, uint64_t ms,
                                    struct slice hash);

/* The hash that is the end of such a key. */
struct slice catalog_key_hash(struct slice key);
/* False when the key is not made of a ms and a hash. */
bool catalog_key_read_ms_hash(struct slice key, uint64_t *ret_ms, struct slice *ret_hash);

struct key_range catalog_key_range(struct arena *arena, char letter);

/* ---- by kind ---- */

#define KEY_NOTHING(letter, kind)                 \
    static inline struct slice kind##_key(void) { \
        static const uint8_t key = letter;        \
        return slice_of(&key, 1);                 \
    }
#define KEY_NAME(letter, kind)                                                      \
    static inline struct slice kind##_key(struct arena *arena, struct slice name) { \
        return catalog_key_of_name(arena, letter, name);                            \
    }
#define KEY_ID(letter, kind)                                                  \
    static inline struct slice kind##_key(struct arena *arena, uint32_t id) { \
        return catalog_key_of_id(arena, letter, id);                          \
    }
#define KEY_ID_NUMBER(letter, kind)                                                            \
    static inline struct slice kind##_key(struct arena *arena, uint32_t id, uint64_t number) { \
        return catalog_key_of_id_number(arena, letter, id, number);                            \
    }
#define KEY_MS_ID(letter, kind)                                                           \
    static inline struct slice kind##_key(struct arena *arena, int64_t ms, uint32_t id) { \
        return catalog_key_of_ms_id(arena, letter, ms, id);                               \
    }
#define KEY_NAME_LABEL(letter, kind)                                              \
    static inline struct slice kind##_key(struct arena *arena, struct slice name, \
                                          struct slice label) {                   \
        return catalog_key_of_name_label(arena, letter, name, label);             \
    }
#define KEY_HASH(letter, kind)                                                      \
    static inline struct slice kind##_key(struct arena *arena, struct slice hash) { \
        return catalog_key_of_hash(arena, letter, hash);                            \
    }
#define KEY_MS_HASH(letter, kind)                                                                \
    static inline struct slice kind##_key(struct arena *arena, uint64_t ms, struct slice hash) { \
        return catalog_key_of_ms_hash(arena, letter, ms, hash);                                  \
    }
#define CATALOG_KEY(letter, kind, shape, words, value)                     \
    static inline struct key_range kind##_key_range(struct arena *arena) { \
        return catalog_key_range(arena, letter);                           \
    }                                                                      \
    KEY_##shape(letter, kind)
#include "codec/catalog_keys.def"
#undef KEY_NOTHING
#undef KEY_NAME
#undef KEY_ID
#undef KEY_ID_NUMBER
#undef KEY_MS_ID
#undef KEY_NAME_LABEL
#undef KEY_HASH
#undef KEY_MS_HASH
#undef CATALOG_KEY

/* The longest that stream_definition_key() makes of a table's name and a label. */
enum { STREAM_DEFINITION_KEY_MAX = LIMIT_TABLE_NAME_MAX + TIMESTAMP_CHARS + 2 };

#endif
