/* keys.c - see keys.h. */
#include "policy/keys.h"

_Static_assert((int)POLICY_KEY_COUNT <= 64, "every key has its bit");

static const struct {
    const char *name;
    enum policy_key key;
    enum policy_key_form form;
} keys[] = {
#define KEY(symbol, name, form) {name, POLICY_KEY_##symbol, POLICY_KEY_##form},
#define ALIAS(symbol, name, form) KEY(symbol, name, form)
#include "policy/keys.def"
#undef KEY
#undef ALIAS
};

bool policy_key_find(struct slice text, struct policy_key_use *ret_use) {
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        struct slice name = slice_text(keys[i].name);
        bool named = keys[i].form == POLICY_KEY_NAMED;
        if (named ? text.len <= name.len : text.len != name.len)
            continue;
        if (!slice_equal_ignoring_case(slice_first(text, name.len), name))
            continue;
        struct slice rest = named ? slice_skip(text, name.len) : SLICE_NONE;
        *ret_use = (struct policy_key_use){i, keys[i].key, keys[i].form, rest};
        return true;
    }
    return false;
}

struct slice policy_key_text(struct arena *arena, const struct policy_key_use *use) {
    return arena_printf(arena, "%s%.*s", keys[use->row].name, SLICE_ARGS(use->name));
}

bool policy_key_same(const struct policy_key_use *a, const struct policy_key_use *b) {
    return a->row == b->row && slice_equal_ignoring_case(a->name, b->name);
}

struct policy_values policy_values_of(const struct policy_values *values,
                                      const struct policy_key_use *use) {
    const struct policy_values *all = &values[use->key];
    if (use->form != POLICY_KEY_NAMED)
        return *all;
    for (size_t i = 0; i < all->count; i++)
        if (slice_equal_ignoring_case(all->names[i], use->name))
            return (struct policy_values){.list = &all->list[i], .count = 1};
    return (struct policy_values){0};
}
