/* keys.h - the condition keys that there are, and what a request has for them.
 *
 * Memory: values are borrowed from whoever makes the request. */
#ifndef GRAMME_POLICY_KEYS_H
#define GRAMME_POLICY_KEYS_H

#include "base/arena.h"

enum policy_key {
#define KEY(symbol, name, form) POLICY_KEY_##symbol,
#define ALIAS(symbol, name, form)
#include "policy/keys.def"
#undef KEY
#undef ALIAS
    POLICY_KEY_COUNT
};

enum policy_key_form { POLICY_KEY_ONE, POLICY_KEY_LIST, POLICY_KEY_NAMED };

/* A key as a document writes it: aws:PrincipalTag/team. */
struct policy_key_use {
    size_t row; /* of keys.def */
    enum policy_key key;
    enum policy_key_form form;
    struct slice name; /* POLICY_KEY_NAMED: what stands behind the slash */
};

/* Case does not matter. False: there is no such key. */
bool policy_key_find(struct slice text, struct policy_key_use *ret_use);
/* As a document writes it. */
struct slice policy_key_text(struct arena *arena, const struct policy_key_use *use);
/* Whether both are the same word. */
bool policy_key_same(const struct policy_key_use *a, const struct policy_key_use *b);

/* The values of a key; none: it is absent. */
struct policy_values {
    struct slice *list;
    size_t count;
    struct slice *names; /* POLICY_KEY_NAMED: of each value */
};

/* What a request has for a key; `values` are by enum policy_key. */
struct policy_values policy_values_of(const struct policy_values *values,
                                      const struct policy_key_use *use);

/* A set of keys. */
static inline uint64_t policy_key_bit(enum policy_key key) {
    return UINT64_C(1) << key;
}

#endif
