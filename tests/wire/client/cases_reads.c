/* cases_reads.c - queries, scans and statements, page by page. The table has 30 items with the
 * partition key "q" and the sort keys 0 to 29, where `even` is true for every second one, and an
 * index by `even_key`. */
#include <stdio.h>

#include "cases.h"

static struct ddb_item *values_of(const char *pk) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":p", pk);
    return values;
}

static void query(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *values = values_of("q");
    struct ddb_query all = {
        .table = "table", .key_condition = "pk = :p", .values = values, .page_size = 7};
    print_cursor(db, ddb_query(db, &all), "sk");
    struct ddb_query last = all;
    last.descending = true;
    last.limit = 10;
    last.consistent = true;
    print_cursor(db, ddb_query(db, &last), "sk");
    struct ddb_query nobody = all;
    ddb_item_set_string(values, ":p", "nobody");
    print_cursor(db, ddb_query(db, &nobody), "sk");
    ddb_item_free(values);
}

static void filters(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *values = values_of("q");
    ddb_item_set_bool(values, ":t", true);
    struct ddb_query even = {.table = "table",
                             .key_condition = "pk = :p",
                             .filter = "#e = :t",
                             .projection = "sk, #e",
                             .names = (const char *[]){"#e", "even", NULL},
                             .values = values,
                             .page_size = 4,
                             .limit = 6};
    print_cursor(db, ddb_query(db, &even), "sk");
    even.projection = NULL;
    even.count_only = true;
    even.limit = 0;
    struct ddb_cursor *cursor = ddb_query(db, &even);
    printf("%lld of %lld\n", (long long)ddb_cursor_count(cursor),
           (long long)ddb_cursor_scanned_count(cursor));
    print_cursor(db, cursor, "sk");
    ddb_item_free(values);
}

/* Goes on from a position, as a web page with a "next" link does. */
static void position(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *values = values_of("q"), *start = NULL;
    for (int page = 0; page < 4; page++) {
        struct ddb_query query = {.table = "table",
                                  .key_condition = "pk = :p",
                                  .values = values,
                                  .start_key = start,
                                  .limit = 10};
        struct ddb_cursor *cursor = ddb_query(db, &query);
        ddb_item_free(start);
        const struct ddb_item *end = ddb_cursor_position(cursor);
        start = end == NULL ? NULL : ddb_item_copy(end);
        print_cursor(db, cursor, "sk");
        if (start == NULL)
            break;
    }
    print_item("position", start);
    ddb_item_free(start);
    ddb_item_free(values);
}

static void index_query(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *values = values_of("yes");
    print_cursor(db,
                 ddb_query(db, &(struct ddb_query){.table = "table",
                                                   .index = "by_even",
                                                   .key_condition = "even_key = :p",
                                                   .values = values}),
                 "sk");
    ddb_item_free(values);
}

static void scan(struct ddb_client *db, const char *argument) {
    (void)argument;
    int64_t found = 0;
    for (int segment = 0; segment < 3; segment++) {
        struct ddb_cursor *cursor = ddb_scan(
            db, &(struct ddb_query){
                    .table = "table", .page_size = 5, .segment = segment, .total_segments = 3});
        while (ddb_cursor_next(cursor) != NULL)
            found++;
        report(db, ddb_client_error(db) == NULL);
        ddb_cursor_free(cursor);
    }
    printf("%lld\n", (long long)found);
    report(db, ddb_scan(db, &(struct ddb_query){.table = "nowhere"}) != NULL);
    report(db, ddb_scan(db, &(struct ddb_query){.filter = "x"}) != NULL);
}

static void statement(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_list *parameters = ddb_list_new();
    ddb_list_add_string(parameters, "q");
    struct ddb_statement select = {.text = "SELECT * FROM \"table\" WHERE pk = ?",
                                   .parameters = parameters,
                                   .page_size = 8,
                                   .consistent = true};
    print_cursor(db, ddb_execute_statement(db, &select), "sk");
    ddb_list_free(parameters);
    struct ddb_statement insert = {.text = "INSERT INTO \"table\" VALUE {'pk': 'i', 'sk': 1}"};
    print_cursor(db, ddb_execute_statement(db, &insert), "sk");
    report(db, ddb_execute_statement(db, &insert) != NULL);
    report(db, ddb_execute_statement(db, &(struct ddb_statement){.text = NULL}) != NULL);
}

const struct client_case read_cases[] = {
    {"query", query}, {"filters", filters},     {"position", position}, {"index", index_query},
    {"scan", scan},   {"statement", statement}, {NULL, NULL},
};
