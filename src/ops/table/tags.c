/* tags.c - sets of tags by key, with the service's texts. */
#include "ops/table/tags.h"

#include <stdlib.h>

#include "model/limits.h"
#include "ops/request/arn.h"
#include "ops/request/name_set.h"

/* Letters, digits, spaces and + - = . _ : / @; all of Unicode beyond ASCII passes. */
static bool text_is_good(struct slice text) {
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && c < 0x80 && (c == 0 || strchr(" +-=._:/@", c) == NULL))
            return false;
    }
    return true;
}

static struct error *check_key_text(struct arena *arena, struct slice key) {
    if (text_is_good(key))
        return NULL;
    return error_request(arena, "The Tag Key provided is invalid, Key: %.*s", SLICE_ARGS(key));
}

static struct error *check_key_owner(struct arena *arena, struct slice key) {
    if (!slice_starts_with(key, SLICE_LITERAL("aws:")))
        return NULL;
    return error_request(arena, "Tag Key cannot be prefixed with aws:, Key: %.*s", SLICE_ARGS(key));
}

static struct error *check_keys_differ(struct arena *arena, struct name_set *keys) {
    name_set_sort(keys);
    struct slice key = name_set_duplicate(keys);
    if (!slice_present(key))
        return NULL;
    return error_request(arena,
                         "Duplicate Tag Keys provided as input: Duplicate Tag Key found %.*s",
                         SLICE_ARGS(key));
}

static struct error *check_limits(struct arena *arena, size_t count, size_t bytes) {
    if (count > LIMIT_TAGS)
        return error_request(
            arena, "Number of Tags exceed the current limit for the provided ResourceArn");
    if (bytes > LIMIT_TAG_SET_BYTES)
        return error_request(arena, "Tag set size %zu bytes is above max size limit of %d bytes",
                             bytes, LIMIT_TAG_SET_BYTES);
    return NULL;
}

struct error *tags_check(struct arena *arena, const struct field_list *tags) {
    const struct tag_input *tag = tags->items;
    struct name_set keys = name_set_new(arena, tags->count);
    size_t bytes = 0;
    for (size_t i = 0; i < tags->count; i++) {
        TRY(check_key_text(arena, tag[i].key));
        if (!text_is_good(tag[i].value))
            return error_request(arena, "The Tag Value provided is invalid, Value: %.*s",
                                 SLICE_ARGS(tag[i].value));
        TRY(check_key_owner(arena, tag[i].key));
        keys.names[keys.count++] = tag[i].key;
        bytes += tag[i].key.len + tag[i].value.len;
    }
    TRY(check_keys_differ(arena, &keys));
    return check_limits(arena, tags->count, bytes);
}

struct error *tag_keys_check(struct arena *arena, const struct field_list *keys) {
    const struct slice *key = keys->items;
    struct name_set names = name_set_new(arena, keys->count);
    for (size_t i = 0; i < keys->count; i++) {
        TRY(check_key_text(arena, key[i]));
        TRY(check_key_owner(arena, key[i]));
        names.names[names.count++] = key[i];
    }
    return check_keys_differ(arena, &names);
}

/* ---- sets ---- */

static int compare_tags(const void *a, const void *b) {
    const struct table_tag *x = a, *y = b;
    return slice_compare(x->key, y->key);
}

struct table_tag *tags_of(struct arena *arena, const struct field_list *tags) {
    const struct tag_input *tag = tags->items;
    struct table_tag *sorted = ARENA_ARRAY(arena, struct table_tag, tags->count);
    for (size_t i = 0; i < tags->count; i++)
        sorted[i] = (struct table_tag){tag[i].key, tag[i].value};
    if (tags->count > 0)
        qsort(sorted, tags->count, sizeof(*sorted), compare_tags);
    return sorted;
}

/* Both lists are in order, so is what comes out. */
static struct tag_list merge(struct arena *arena, const struct tag_list *old,
                             const struct tag_list *new) {
    struct tag_list merged = {ARENA_ARRAY(arena, struct table_tag, old->count + new->count), 0};
    size_t o = 0, n = 0;
    while (o < old->count || n < new->count) {
        int order = o == old->count   ? 1
                    : n == new->count ? -1
                                      : compare_tags(&old->tags[o], &new->tags[n]);
        merged.tags[merged.count++] = order < 0 ? old->tags[o] : new->tags[n];
        o += order <= 0;
        n += order >= 0;
    }
    return merged;
}

struct error *tags_with(struct arena *arena, const struct table_definition *table,
                        const struct field_list *more, struct tag_list *ret_list) {
    struct tag_list old = {table->tags, table->tag_count};
    struct tag_list new = {tags_of(arena, more), more->count};
    struct tag_list merged = merge(arena, &old, &new);
    size_t bytes = 0;
    for (size_t i = 0; i < merged.count; i++)
        bytes += merged.tags[i].key.len + merged.tags[i].value.len;
    TRY(check_limits(arena, merged.count, bytes));
    *ret_list = merged;
    return NULL;
}

static bool is_named(const struct field_list *keys, struct slice key) {
    const struct slice *names = keys->items;
    for (size_t i = 0; i < keys->count; i++)
        if (slice_equal(names[i], key))
            return true;
    return false;
}

struct tag_list tags_without(struct arena *arena, const struct table_definition *table,
                             const struct field_list *keys) {
    struct tag_list left = {ARENA_ARRAY(arena, struct table_tag, table->tag_count), 0};
    for (size_t i = 0; i < table->tag_count; i++)
        if (!is_named(keys, table->tags[i].key))
            left.tags[left.count++] = table->tags[i];
    return left;
}

/* ---- the resource ---- */

static struct error *invalid_arn(struct arena *arena, struct slice arn) {
    return error_validation(arena, "Invalid TableArn: Invalid ResourceArn provided as input %.*s",
                            SLICE_ARGS(arn));
}

struct error *tagged_table(struct op_call *call, struct slice given, struct slice *ret_name) {
    struct arn arn;
    if (!slice_starts_with(given, SLICE_LITERAL("arn:")))
        return error_validation(call->arena, PVI "ARNs must start with 'arn:': %.*s",
                                SLICE_ARGS(given));
    bool parsed = arn_parse(given, &arn);
    if (parsed &&
        (!slice_is(arn.service, "dynamodb") || !slice_equal(arn.account, call->context->account)))
        return arn_denied(call, given);
    if (!parsed || arn.kind == ARN_OTHER)
        return error_validation(call->arena,
                                PVI "Provided Arn is not a DynamoDB resource arn: %.*s",
                                SLICE_ARGS(given));
    if (!slice_equal(arn.region, call->context->region) || arn.kind != ARN_TABLE ||
        !field_name_matches(arn.table) || arn.table.len < LIMIT_TABLE_NAME_MIN ||
        arn.table.len > LIMIT_TABLE_NAME_MAX)
        return invalid_arn(call->arena, given);
    *ret_name = arn.table;
    return NULL;
}

struct error *tagged_not_found(struct arena *arena, struct slice arn) {
    return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: ResourceArn: %.*s not found", SLICE_ARGS(arn));
}
