/* query_keys.c - matching conditions with key attributes. */
#include "ops/read/query_keys.h"

#include "model/key.h"
#include "model/limits.h"
#include "ops/read/index_read.h"

const struct key_schema *query_keys_schema(const struct read_range *range) {
    return range->index != NULL ? &range->index->keys : &range->table->definition.keys;
}

bool query_keys_are_many(const struct key_schema *keys) {
    return keys->hash_count > 1 || keys->range_count > 1;
}

struct error *query_keys_check_start(struct arena *arena, const struct read_range *range) {
    if (range->index != NULL)
        return index_read_check_start(arena, range);
    const struct key_schema *keys = &range->table->definition.keys;
    struct value start = range->start_key;
    if (!value_present(start))
        return NULL;
    bool complete = value_count(start) == key_part_count(keys);
    for (size_t i = 0; i < key_part_count(keys); i++)
        complete = complete && value_present(value_map_find(start, key_part(keys, i)->name));
    if (!complete)
        return error_validation(arena, "The provided starting key is invalid");
    return key_check(arena, keys, start);
}

struct error *query_keys_check_count(struct arena *arena, const struct key_schema *keys,
                                     size_t count) {
    if (count <= key_part_count(keys))
        return NULL;
    return error_validation(arena,
                            "The number of query conditions (%zu) exceeds the number of key "
                            "attributes defined in the schema (%zu)",
                            count, key_part_count(keys));
}

/* ---- conditions ---- */

static const struct key_condition *find_condition(const struct key_condition *conditions,
                                                  size_t count, struct slice name) {
    for (size_t i = 0; i < count; i++)
        if (slice_equal(conditions[i].name, name))
            return &conditions[i];
    return NULL;
}

static struct error *missed(struct arena *arena, const struct key_attribute *attribute) {
    return error_validation(arena, "Query condition missed key schema element: %.*s",
                            SLICE_ARGS(attribute->name));
}

/* Of keys with several attributes: which HASH attributes lack an equality. */
static struct error *check_equalities(struct arena *arena, const struct key_schema *keys,
                                      const struct key_condition *conditions, size_t count) {
    struct slice names = SLICE_NONE;
    for (size_t i = 0; i < keys->hash_count; i++) {
        struct slice name = keys->hash[i].name;
        const struct key_condition *condition = find_condition(conditions, count, name);
        if (condition != NULL && value_present(condition->value) && condition->op == KEY_EQ)
            continue;
        names = !slice_present(names)
                    ? name
                    : arena_printf(arena, "%.*s, %.*s", SLICE_ARGS(names), SLICE_ARGS(name));
    }
    if (!slice_present(names))
        return NULL;
    return error_validation(
        arena, "HASH key attributes %.*s must have equality conditions specified in the query",
        SLICE_ARGS(names));
}

/* The RANGE attributes that have conditions are the first ones, and all but the last of them are
 * equalities. */
static struct error *check_no_gap(struct arena *arena, const struct key_schema *keys,
                                  const struct key_condition *const *sort) {
    for (size_t i = 1; i < keys->range_count; i++) {
        if (sort[i] == NULL || (sort[i - 1] != NULL && sort[i - 1]->op == KEY_EQ))
            continue;
        return error_validation(arena,
                                "RANGE key attributes %.*s must have equality conditions "
                                "specified in the query because a condition is present on key "
                                "attribute %.*s",
                                SLICE_ARGS(keys->range[i - 1].name),
                                SLICE_ARGS(keys->range[i].name));
    }
    return NULL;
}

/* Every HASH attribute has a condition, and no condition is on anything but a key. */
static struct error *check_complete(struct arena *arena, const struct key_schema *keys,
                                    const struct key_condition *conditions, size_t count) {
    for (size_t i = 0; i < keys->hash_count; i++)
        if (find_condition(conditions, count, keys->hash[i].name) == NULL)
            return missed(arena, &keys->hash[i]);
    for (size_t i = 0; i < count; i++) {
        if (key_schema_has(keys, conditions[i].name))
            continue;
        for (size_t k = 0; k < keys->range_count; k++)
            if (find_condition(conditions, count, keys->range[k].name) == NULL)
                return missed(arena, &keys->range[k]);
    }
    return NULL;
}

static struct error *check_values(struct arena *arena, const struct key_attribute *attribute,
                                  bool hash, const struct key_condition *condition) {
    if (!value_present(condition->value))
        return error_validation(arena,
                                "Attempted conditional constraint is not an indexable operation");
    if (value_type(condition->value) != attribute->type ||
        (condition->op == KEY_BETWEEN && value_type(condition->upper) != attribute->type))
        return error_validation(arena, PVI "Condition parameter type does not match schema type");
    if (hash && condition->op != KEY_EQ)
        return error_validation(arena, "Query key condition not supported");
    TRY(key_check_value(arena, attribute, hash, condition->value));
    if (condition->op == KEY_BETWEEN)
        TRY(key_check_value(arena, attribute, hash, condition->upper));
    return NULL;
}

static size_t condition_bytes(const struct key_condition *condition) {
    size_t lower = value_scalar(condition->value).len;
    size_t upper = condition->op == KEY_BETWEEN ? value_scalar(condition->upper).len : 0;
    return lower > upper ? lower : upper;
}

/* The values of several attributes are measured together, as those of an item are. */
static struct error *check_sizes(struct arena *arena, const struct read_range *range,
                                 size_t hash_count) {
    size_t hash = 0, sort = 0;
    for (size_t i = 0; i < hash_count; i++)
        hash += value_scalar(range->hash[i]).len;
    for (size_t i = 0; i < range->sort_count; i++)
        sort += condition_bytes(&range->sort[i]);
    if (hash > LIMIT_HASH_KEY_BYTES)
        return key_error_too_long(arena, true);
    return sort > LIMIT_RANGE_KEY_BYTES ? key_error_too_long(arena, false) : NULL;
}

struct error *query_keys_match(struct arena *arena, const struct key_condition *conditions,
                               size_t count, struct read_range *range) {
    const struct key_schema *keys = query_keys_schema(range);
    const struct key_condition *sort[KEY_PARTS_MAX] = {NULL};
    for (size_t i = 0; i < keys->range_count; i++)
        sort[i] = find_condition(conditions, count, keys->range[i].name);
    if (query_keys_are_many(keys))
        TRY(check_equalities(arena, keys, conditions, count));
    TRY(check_no_gap(arena, keys, sort));
    TRY(check_complete(arena, keys, conditions, count));
    for (size_t i = 0; i < keys->hash_count; i++) {
        const struct key_condition *hash = find_condition(conditions, count, keys->hash[i].name);
        TRY(check_values(arena, &keys->hash[i], true, hash));
        range->hash[i] = hash->value;
    }
    for (size_t i = 0; i < keys->range_count && sort[i] != NULL; i++) {
        TRY(check_values(arena, &keys->range[i], false, sort[i]));
        range->sort[range->sort_count++] = *sort[i];
    }
    return check_sizes(arena, range, keys->hash_count);
}

/* ---- start keys ---- */

static struct error *outside_predicate(struct arena *arena) {
    return error_validation(arena,
                            "The provided starting key does not match the range key predicate");
}

struct error *query_keys_check_bounds(struct arena *arena, const struct read_range *range) {
    const struct key_schema *keys = query_keys_schema(range);
    if (!value_present(range->start_key))
        return NULL;
    bool same_hash = true;
    for (size_t i = 0; i < keys->hash_count; i++)
        same_hash = same_hash && value_equal(value_map_find(range->start_key, keys->hash[i].name),
                                             range->hash[i]);
    if (range->sort_count == 0)
        return same_hash ? NULL
                         : error_validation(arena, "The provided starting key is outside query "
                                                   "boundaries based on provided conditions");
    for (size_t i = 0; i < range->sort_count; i++)
        if (!key_condition_holds(&range->sort[i],
                                 value_map_find(range->start_key, keys->range[i].name)))
            return outside_predicate(arena);
    if (!same_hash)
        return error_validation(arena,
                                "The query can return at most one row and cannot be restarted");
    return NULL;
}

/* What follows the colon is not recorded. */
struct error *query_keys_check_restart(struct arena *arena, const struct read_range *range) {
    if (!value_present(range->start_key) || !read_range_ends_at(range, range->start_key))
        return NULL;
    if (range->sort_count > 0)
        return outside_predicate(arena);
    return error_validation(arena,
                            "The provided exclusive start key is invalid: The query can return at "
                            "most one row and cannot be restarted");
}
