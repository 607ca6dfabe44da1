/* test_catalog.c - table definitions to bytes and back, and what damage does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/catalog.h"

#define TEXT(text) \
    { (const uint8_t *)(text), sizeof(text) - 1 }

static struct slice non_keys[] = {TEXT("x"), TEXT("y")};
static struct table_index indexes[] = {
    {
        .name = TEXT("global"),
        .id = 8,
        .global = true,
        .status = TABLE_CREATING,
        .backfilling = true,
        .keys = {.hash_count = 2,
                 .range_count = 1,
                 .hash = {{TEXT("b"), VALUE_N}, {TEXT("a"), VALUE_S}},
                 .range = {{TEXT("c"), VALUE_B}}},
        .projection = PROJECT_INCLUDE,
        .non_key_attributes = non_keys,
        .non_key_attribute_count = 2,
        .throughput = {1, 2, 3, 4, 5},
        .on_demand = {6, -1},
        .warm = {-1, 7},
        .insights = {true, INSIGHTS_THROTTLED_KEYS, 20, 21},
    },
    {
        .name = TEXT("local"),
        .id = 9,
        .status = TABLE_ACTIVE,
        .keys = {.hash_count = 1, .hash = {{TEXT("a"), VALUE_S}}},
        .projection = PROJECT_KEYS_ONLY,
        .on_demand = {-1, -1},
        .warm = {-1, -1},
    },
};
static struct attribute_definition attributes[] = {
    {TEXT("a"), VALUE_S}, {TEXT("b"), VALUE_N}, {TEXT("c"), VALUE_B}};
static struct table_tag tags[] = {{TEXT("env"), TEXT("")}, {TEXT("team"), TEXT("blue")}};

static struct table_definition full(void) {
    return (struct table_definition){
        .name = SLICE_LITERAL("orders"),
        .id = 4000000000,
        .uuid = SLICE_LITERAL("0a1b"),
        .status = TABLE_UPDATING,
        .created_ms = 1715875234567,
        .keys = {.hash_count = 1,
                 .range_count = 1,
                 .hash = {{SLICE_LITERAL("a"), VALUE_S}},
                 .range = {{SLICE_LITERAL("b"), VALUE_N}}},
        .attributes = attributes,
        .attribute_count = 3,
        .billing = BILLING_PAY_PER_REQUEST,
        .billing_shown = true,
        .on_demand_since_ms = 11,
        .throughput = {12, 13, 14, 15, 16},
        .on_demand = {-1, 17},
        .warm = {18, -1},
        .table_class = TABLE_CLASS_INFREQUENT_ACCESS,
        .table_class_changed_ms = 19,
        .deletion_protected = true,
        .sse_kms = true,
        .sse_key_arn = SLICE_LITERAL("arn:key"),
        .stream = STREAM_NEW_AND_OLD,
        .stream_label = SLICE_LITERAL("2024"),
        .stream_id = 10,
        .stream_shards = 3,
        .ttl_attribute = SLICE_LITERAL("expires"),
        .insights = {false, INSIGHTS_THROTTLED_KEYS, 22, 23},
        .policy = {SLICE_LITERAL("{}"), true, 24},
        .stream_policy = {SLICE_NONE, false, 25},
        .indexes = indexes,
        .index_count = 2,
        .tags = tags,
        .tag_count = 2,
    };
}

#define SAME_SLICE(a, b) assert_true(slice_equal((a), (b)) && slice_present(a) == slice_present(b))

static void assert_same_keys(const struct key_schema *a, const struct key_schema *b) {
    assert_int_equal(a->hash_count, b->hash_count);
    assert_int_equal(a->range_count, b->range_count);
    for (size_t i = 0; i < KEY_PARTS_MAX; i++) {
        SAME_SLICE(a->hash[i].name, b->hash[i].name);
        SAME_SLICE(a->range[i].name, b->range[i].name);
        assert_int_equal(a->hash[i].type, b->hash[i].type);
        assert_int_equal(a->range[i].type, b->range[i].type);
    }
}

static void assert_same_insights(const struct contributor_insights *a,
                                 const struct contributor_insights *b) {
    assert_int_equal(a->enabled, b->enabled);
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->since_ms, b->since_ms);
    assert_int_equal(a->changed_ms, b->changed_ms);
}

static void assert_same_policy(const struct attached_policy *a, const struct attached_policy *b) {
    SAME_SLICE(a->document, b->document);
    assert_int_equal(a->unversioned, b->unversioned);
    assert_int_equal(a->revision_ms, b->revision_ms);
}

static void assert_same_index(const struct table_index *a, const struct table_index *b) {
    SAME_SLICE(a->name, b->name);
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->global, b->global);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->backfilling, b->backfilling);
    assert_same_keys(&a->keys, &b->keys);
    assert_int_equal(a->projection, b->projection);
    assert_int_equal(a->non_key_attribute_count, b->non_key_attribute_count);
    for (size_t i = 0; i < a->non_key_attribute_count; i++)
        SAME_SLICE(a->non_key_attributes[i], b->non_key_attributes[i]);
    assert_memory_equal(&a->throughput, &b->throughput, sizeof(a->throughput));
    assert_memory_equal(&a->on_demand, &b->on_demand, sizeof(a->on_demand));
    assert_memory_equal(&a->warm, &b->warm, sizeof(a->warm));
    assert_same_insights(&a->insights, &b->insights);
}

static void assert_same(const struct table_definition *a, const struct table_definition *b) {
    SAME_SLICE(a->name, b->name);
    assert_int_equal(a->id, b->id);
    SAME_SLICE(a->uuid, b->uuid);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->created_ms, b->created_ms);
    assert_same_keys(&a->keys, &b->keys);
    assert_int_equal(a->billing, b->billing);
    assert_int_equal(a->billing_shown, b->billing_shown);
    assert_int_equal(a->on_demand_since_ms, b->on_demand_since_ms);
    assert_memory_equal(&a->throughput, &b->throughput, sizeof(a->throughput));
    assert_memory_equal(&a->on_demand, &b->on_demand, sizeof(a->on_demand));
    assert_memory_equal(&a->warm, &b->warm, sizeof(a->warm));
    assert_int_equal(a->table_class, b->table_class);
    assert_int_equal(a->table_class_changed_ms, b->table_class_changed_ms);
    assert_int_equal(a->deletion_protected, b->deletion_protected);
    assert_int_equal(a->sse_kms, b->sse_kms);
    SAME_SLICE(a->sse_key_arn, b->sse_key_arn);
    assert_int_equal(a->stream, b->stream);
    SAME_SLICE(a->stream_label, b->stream_label);
    assert_int_equal(a->stream_id, b->stream_id);
    assert_int_equal(a->stream_shards, b->stream_shards);
    assert_same_policy(&a->policy, &b->policy);
    assert_same_policy(&a->stream_policy, &b->stream_policy);
    SAME_SLICE(a->ttl_attribute, b->ttl_attribute);
    assert_same_insights(&a->insights, &b->insights);
    assert_int_equal(a->attribute_count, b->attribute_count);
    for (size_t i = 0; i < a->attribute_count; i++) {
        SAME_SLICE(a->attributes[i].name, b->attributes[i].name);
        assert_int_equal(a->attributes[i].type, b->attributes[i].type);
    }
    assert_int_equal(a->tag_count, b->tag_count);
    for (size_t i = 0; i < a->tag_count; i++) {
        SAME_SLICE(a->tags[i].key, b->tags[i].key);
        SAME_SLICE(a->tags[i].value, b->tags[i].value);
    }
    assert_int_equal(a->index_count, b->index_count);
    for (size_t i = 0; i < a->index_count; i++)
        assert_same_index(&a->indexes[i], &b->indexes[i]);
}

static void round_trip(struct table_definition definition) {
    struct arena arena;
    arena_init(&arena);
    struct slice bytes = table_definition_encode(&arena, &definition);
    assert_int_equal(bytes.data[0], 1);
    struct table_definition again;
    assert_null(table_definition_decode(&arena, bytes, &again));
    assert_same(&definition, &again);
    /* The same definition is always the same bytes. */
    assert_true(slice_equal(bytes, table_definition_encode(&arena, &again)));
    arena_release(&arena);
}

static void definitions_round_trip(void **state) {
    (void)state;
    round_trip(full());
    round_trip((struct table_definition){
        .name = SLICE_LITERAL("t"),
        .id = 1,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("k"), VALUE_B}}},
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    });
}

/* clang-format off */
/* Bytes that version 0.1 wrote, kept so that later versions are held to them. */
static const uint8_t yesterday[] =
    "\x01"                                  /* version */
    "\x0a\x65\0\0\0\x06\0\0\0"              /* map of six entries */
    "\x07" "Billing" "\x01\x0bPROVISIONED"  /* S */
    "\x05" "Class" "\x01\x07" "DEFAULT"
    "\x08" "HashKeys" "\x09\x19\0\0\0\x01\0\0\0" /* list of one map */
    "\x0a\x10\0\0\0\x02\0\0\0"
    "\x04" "Name" "\x01\x01k"
    "\x04" "Type" "\x01\x01" "B"
    "\x02" "Id" "\x02\x02\xc1\x08"          /* N 7 */
    "\x04" "Name" "\x01\x01t"
    "\x04" "Note" "\x04\x01";               /* an entry this version does not know */
/* clang-format on */

static void older_bytes_are_read(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct table_definition definition;
    struct error *error =
        table_definition_decode(&arena, slice_of(yesterday, sizeof(yesterday) - 1), &definition);
    if (error != NULL)
        print_error("%.*s\n", SLICE_ARGS(error->message));
    assert_null(error);
    assert_true(slice_is(definition.name, "t"));
    assert_int_equal(definition.id, 7);
    assert_int_equal(definition.keys.hash[0].type, VALUE_B);
    assert_int_equal(definition.on_demand.read, -1);
    assert_int_equal(definition.warm.write, -1);
    arena_release(&arena);
}

static const char *decode_text(struct arena *arena, struct slice bytes) {
    struct table_definition definition;
    struct error *error = table_definition_decode(arena, bytes, &definition);
    if (error == NULL)
        return "ok";
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(error->message)).data;
}

static void damage_is_an_error(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_string_equal(decode_text(&arena, SLICE_LITERAL("")),
                        "the stored definition of a table is damaged: no bytes");
    assert_string_equal(decode_text(&arena, SLICE_LITERAL("\x02")),
                        "the stored definition of a table has version 2, this program reads 1");
    assert_string_equal(decode_text(&arena, SLICE_LITERAL("\x01\x05")),
                        "the stored definition of a table is damaged: not a map");
    uint8_t bytes[sizeof(yesterday) - 1];
    memcpy(bytes, yesterday, sizeof(bytes));
    uint8_t *word = memmem(bytes, sizeof(bytes), "DEFAULT", 7);
    word[0] = 'X';
    assert_string_equal(decode_text(&arena, slice_of(bytes, sizeof(bytes))),
                        "the stored definition of a table is damaged: Class");
    struct table_definition definition = full();
    struct slice good = table_definition_encode(&arena, &definition);
    for (size_t len = 0; len < good.len; len++) {
        uint8_t *cut = arena_copy(&arena, good.data, len); /* apart, so that reading on is seen */
        assert_string_not_equal(decode_text(&arena, slice_of(cut, len)), "ok");
    }
    /* Whatever bit flips, decoding ends in a definition or an error. */
    for (size_t i = 0; i < good.len * 8; i++) {
        uint8_t *flipped = arena_copy(&arena, good.data, good.len);
        flipped[i / 8] ^= (uint8_t)(1 << (i % 8));
        decode_text(&arena, slice_of(flipped, good.len));
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_round_trip),
        cmocka_unit_test(older_bytes_are_read),
        cmocka_unit_test(damage_is_an_error),
    };
    return cmocka_run_group_tests_name("codec catalog", tests, NULL, NULL);
}
