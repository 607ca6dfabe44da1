/* op.c - finding an operation by its name. The tables come from ops.def and are constant. */
#include "ops/op.h"

#define OP(name, family, symbol) extern const struct op op_##symbol;
#define MISSING(name)
#include "ops/ops.def"
#undef OP
#undef MISSING

static const struct op_listing listing[] = {
#define OP(name, family, symbol) {#name, &op_##symbol},
#define MISSING(name) {#name, NULL},
#include "ops/ops.def"
#undef OP
#undef MISSING
};

/* The lengths of the names, apart and small, so that memchr finds the few names to compare. */
static const uint8_t name_lengths[] = {
#define OP(name, family, symbol) sizeof(#name) - 1,
#define MISSING(name) sizeof(#name) - 1,
#include "ops/ops.def"
#undef OP
#undef MISSING
};

enum { OP_COUNT = sizeof(listing) / sizeof(*listing) };

const struct op *op_find_numbered(struct slice name, unsigned *ret_number) {
    const uint8_t *at = name_lengths, *end = name_lengths + OP_COUNT;
    if (name.len > UINT8_MAX)
        return NULL;
    while ((at = memchr(at, (int)name.len, (size_t)(end - at))) != NULL) {
        const struct op_listing *entry = &listing[at - name_lengths];
        if (memcmp(entry->name, name.data, name.len) == 0) {
            *ret_number = (unsigned)(at - name_lengths);
            return entry->op;
        }
        at++;
    }
    return NULL;
}

size_t op_list(const struct op_listing **ret_list) {
    *ret_list = listing;
    return OP_COUNT;
}

bool op_is_missing(struct slice name) {
    for (size_t i = 0; i < OP_COUNT; i++)
        if (slice_is(name, listing[i].name))
            return listing[i].op == NULL;
    return false;
}
