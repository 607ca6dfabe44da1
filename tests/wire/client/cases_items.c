/* cases_items.c - single items: every type, conditions, return values, sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static void fill_every_type(struct ddb_item *item) {
    ddb_item_set_string(item, "string", "Zénobe \"Gramme\" 🚀\n");
    ddb_item_set_string(item, "empty", "");
    ddb_item_set_text(item, "text", "a\0b", 3);
    ddb_item_set_number(item, "number", "12345678901234567890123456789012345678");
    ddb_item_set_number(item, "small", "-0.00000000000000000000000000000000000001");
    ddb_item_set_int(item, "int", INT64_MIN);
    ddb_item_set_binary(item, "binary", "\x00\xff\x10", 3);
    ddb_item_set_bool(item, "true", true);
    ddb_item_set_bool(item, "false", false);
    ddb_item_set_null(item, "null");
    ddb_item_set_strings(item, "strings", (const char *[]){"b", "a", "é"}, 3);
    ddb_item_set_numbers(item, "numbers", (const char *[]){"2", "1.5"}, 2);
    ddb_item_set_binaries(item, "binaries", (struct ddb_bytes[]){{"x", 1}, {"", 0}}, 2);
    struct ddb_item *map = ddb_item_set_map(item, "map");
    ddb_item_set_string(map, "city", "Liège");
    ddb_item_set_map(map, "empty");
    struct ddb_list *list = ddb_item_set_list(item, "list");
    ddb_list_add_int(list, 1);
    ddb_list_add_string(list, "two");
    ddb_list_add_bool(list, true);
    ddb_list_add_null(list);
    ddb_list_add_binary(list, "\x01", 1);
    ddb_list_add_number(list, "3.25");
    ddb_item_set_string(ddb_list_add_map(list), "deep", "yes");
    ddb_list_add_string(ddb_list_add_list(list), "inner");
}

static struct ddb_item *get(struct ddb_client *db, const char *pk, int64_t sk) {
    struct ddb_item *key = make_key(pk, sk), *item = NULL;
    report(db, ddb_get_item(db, &(struct ddb_get){.table = "table", .key = key, .consistent = true},
                            &item));
    ddb_item_free(key);
    return item;
}

static void every_type(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *item = make_key("types", 1);
    fill_every_type(item);
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "table", .item = item}, NULL));
    struct ddb_item *back = get(db, "types", 1);
    print_item("item", back);
    size_t size = 0;
    const unsigned char *bytes = ddb_item_need_binary(back, "binary", &size);
    printf("%zu bytes: %02x %02x %02x\n", size, bytes[0], bytes[1], bytes[2]);
    printf("%s %lld %d %zu %s %s\n", ddb_item_need_number(back, "number"),
           (long long)ddb_item_need_int(back, "int"), ddb_item_need_bool(back, "true"),
           ddb_list_count(ddb_item_need_list(back, "strings")),
           ddb_item_string(ddb_item_map(back, "map"), "city", "?"),
           ddb_value_string(ddb_list_at(ddb_item_list(back, "list"), 1), "?"));
    ddb_item_need_int(back, "number");
    printf("%s\n", ddb_item_error(back));
    ddb_item_free(back);
    ddb_item_free(item);
}

static void absent(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *item = get(db, "nobody", 0);
    print_item("item", item);
    printf("%s\n", ddb_item_error(item));
}

static void conditions(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *item = make_key("c", 1), *values = ddb_item_new(), *old = NULL;
    ddb_item_set_string(item, "name", "first");
    struct ddb_write put = {.table = "table",
                            .item = item,
                            .condition = "attribute_not_exists(pk)",
                            .return_item_on_failure = true};
    report(db, ddb_put_item(db, &put, NULL));
    report(db, ddb_put_item(db, &put, NULL));
    printf("%d\n", ddb_client_failed_with(db, "ConditionalCheckFailedException"));
    ddb_item_set_string(values, ":n", "first");
    put.condition = "#n = :n";
    put.names = (const char *[]){"#n", "name", NULL};
    put.values = values;
    put.return_values = DDB_RETURN_ALL_OLD;
    ddb_item_set_string(item, "name", "second");
    report(db, ddb_put_item(db, &put, &old));
    print_item("old", old);
    ddb_item_free(old);
    ddb_item_free(values);
    ddb_item_free(item);
}

static void updates(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *key = make_key("u", 1), *values = ddb_item_new();
    ddb_item_set_int(values, ":one", 1);
    ddb_item_set_string(values, ":x", "x");
    struct ddb_write update = {.table = "table",
                               .key = key,
                               .update = "ADD plays :one SET #x = :x",
                               .names = (const char *[]){"#x", "x", NULL},
                               .values = values};
    for (int kind = DDB_RETURN_NOTHING; kind <= DDB_RETURN_UPDATED_NEW; kind++) {
        struct ddb_item *attributes = NULL;
        update.return_values = (enum ddb_return)kind;
        report(db, ddb_update_item(db, &update, &attributes));
        print_item("attributes", attributes);
        ddb_item_free(attributes);
    }
    struct ddb_item *old = NULL;
    struct ddb_write deletion = {.table = "table", .key = key, .return_values = DDB_RETURN_ALL_OLD};
    report(db, ddb_delete_item(db, &deletion, &old));
    print_item("deleted", old);
    ddb_item_free(old);
    ddb_item_free(values);
    ddb_item_free(key);
}

/* An item of exactly 400 KB: the key takes 2 + 3 and 2 + 2 bytes, the attribute's name 4. */
static void largest(struct ddb_client *db, const char *argument) {
    size_t size = 400 * 1024 - 13 + (size_t)atoi(argument);
    char *text = malloc(size);
    memset(text, 'x', size);
    struct ddb_item *item = make_key("big", 1);
    ddb_item_set_text(item, "text", text, size);
    bool ok =
        report(db, ddb_put_item(db, &(struct ddb_write){.table = "table", .item = item}, NULL));
    struct ddb_item *back = ok ? get(db, "big", 1) : NULL;
    size_t back_size = 0;
    const void *bytes = ddb_value_bytes(ddb_item_value(back, "text"), &back_size);
    printf("%zu %d\n", back_size, ok && back_size == size && memcmp(bytes, text, size) == 0);
    ddb_item_free(back);
    ddb_item_free(item);
    free(text);
}

static void wrong(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *item = make_key("w", 1);
    ddb_item_set_number(item, "price", "19,99");
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "table", .item = item}, NULL));
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "table"}, NULL));
    report(db, ddb_put_item(db, &(struct ddb_write){.item = item}, NULL));
    report(db, ddb_delete_item(db, &(struct ddb_write){.table = "table"}, NULL));
    ddb_item_clear(item);
    ddb_item_set_string(item, "pk", "w");
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "table", .item = item}, NULL));
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "nowhere", .item = item}, NULL));
    ddb_item_free(item);
}

const struct client_case item_cases[] = {
    {"types", every_type}, {"absent", absent},   {"conditions", conditions},
    {"updates", updates},  {"largest", largest}, {"wrong", wrong},
    {NULL, NULL},
};
