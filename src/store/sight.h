/* sight.h - a store as it looks to who reads all of it: records that its servers keep in parts, as
 * the one that they are together.
 *
 * What is to be seen depends on what records mean, so whoever knows that makes the sight, for one
 * read transaction, in whose arena it lives. */
#ifndef GRAMME_STORE_SIGHT_H
#define GRAMME_STORE_SIGHT_H

#include "store/store.h"

struct store_sight {
    /* The record as it is seen, in place of itself; its key is the same, or lies between the ones
     * before and after it. False: it is not seen. */
    struct error *(*see)(struct store_sight *sight, struct store_key *key, struct slice *value,
                         bool *ret_seen);
};

/* Before anything else is read there. */
typedef struct error *store_look(struct store_txn *txn, struct store_sight **ret_sight);

/* A NULL look: a NULL sight, by which everything is as it is. */
static inline struct error *store_sight_open(store_look *look, struct store_txn *txn,
                                             struct store_sight **ret_sight) {
    *ret_sight = NULL;
    return look == NULL ? NULL : look(txn, ret_sight);
}

/* As store_scan_next(), of what is seen. */
static inline struct error *store_sight_next(struct store_sight *sight, struct store_scan *scan,
                                             bool *ret_found, struct store_key *key,
                                             struct slice *ret_value) {
    for (bool seen = false; !seen;) {
        TRY(store_scan_next(scan, ret_found, &key->key, ret_value));
        if (!*ret_found || sight == NULL)
            return NULL;
        TRY(sight->see(sight, key, ret_value, &seen));
    }
    return NULL;
}

#endif
