/* list_backups.c - ListBackups: in the order in which they were made, a page at a time.
 *
 * A page ends at its limit, or when many backups were looked at that the request does not want. */
#include "engine/read.h"
#include "json/member.h"
#include "model/limits.h"
#include "ops/backup/backup_description.h"
#include "ops/table/table_input.h"

enum { LOOK_AT_MAX = 10000 };

struct list_backups_request {
    struct slice table_name; /* or ARN */
    struct field_int limit;
    struct field_int lower_bound;
    struct field_int upper_bound;
    struct slice start_arn;
    struct slice backup_type;
};

static const struct field list_backups_fields[] = {
    {NAMED("TableName"), AT(struct list_backups_request, table_name), .type = FIELD_STRING,
     .flags = FIELD_TABLE_NAME, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_ARN_CHARS)},
    {NAMED("Limit"), AT(struct list_backups_request, limit), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_BACKUPS_PAGE)},
    {NAMED("TimeRangeLowerBound"), AT(struct list_backups_request, lower_bound),
     .type = FIELD_TIMESTAMP},
    {NAMED("TimeRangeUpperBound"), AT(struct list_backups_request, upper_bound),
     .type = FIELD_TIMESTAMP},
    {BACKUP_ARN_FIELD("ExclusiveStartBackupArn", list_backups_request, start_arn)},
    {NAMED("BackupType"), AT(struct list_backups_request, backup_type), .type = FIELD_STRING,
     .enum_text = "[USER, SYSTEM, AWS_BACKUP, ALL]"},
    FIELDS_END,
};
static const struct shape list_backups_shape = {
    "ListBackupsInput", sizeof(struct list_backups_request), list_backups_fields};

/* What a request wants, and the page so far. */
struct page {
    struct op_call *call;
    const struct list_backups_request *request;
    struct slice table_name; /* absent: any */
    struct json_writer json;
    size_t count;
    size_t limit;
    struct slice last_arn; /* where the next page begins, after that one */
};

static struct error *validate(struct op_call *call) {
    const struct list_backups_request *request = call->request;
    if (request->lower_bound.present && request->upper_bound.present &&
        request->lower_bound.value > request->upper_bound.value)
        return error_request(call->arena, PVI "Time range lower bound must be less than or equal "
                                              "to upper bound");
    return NULL;
}

static bool type_is_wanted(struct slice filter, enum backup_type type) {
    if (!slice_present(filter))
        return type == BACKUP_USER;
    return slice_is(filter, "ALL") || backup_type_is(filter, type);
}

static bool is_wanted(const struct page *page, const struct backup *backup,
                      struct slice table_name) {
    const struct list_backups_request *request = page->request;
    return (!slice_present(page->table_name) || slice_equal(page->table_name, table_name)) &&
           (!request->lower_bound.present || backup->created_ms >= request->lower_bound.value) &&
           (!request->upper_bound.present || backup->created_ms < request->upper_bound.value) &&
           type_is_wanted(request->backup_type, backup->type);
}

/* *ret_full: it is wanted, and the page has no room for it. */
static struct error *add(struct page *page, const struct backup *backup, bool *ret_full) {
    struct table_definition definition;
    TRY(backup_table(page->call->arena, backup, &definition));
    bool wanted = is_wanted(page, backup, definition.name);
    *ret_full = wanted && page->count == page->limit;
    if (*ret_full)
        return NULL;
    struct backup_id id = {backup->created_ms, backup->id};
    page->last_arn = backup_arn_print(page->call, definition.name, id);
    if (wanted) {
        backup_summary_write(page->call, &page->json,
                             &(struct backup_description){backup, &definition, false});
        page->count++;
    }
    return NULL;
}

/* Looks one further than the page, so that it is known whether there is more. */
static struct error *fill(struct page *page, struct backup_list *list, bool *ret_more) {
    for (size_t looked_at = 0; looked_at < LOOK_AT_MAX; looked_at++) {
        struct backup backup;
        bool full = false;
        *ret_more = false;
        TRY(backup_list_next(list, &backup));
        if (!slice_present(backup.name))
            return NULL;
        *ret_more = true;
        TRY(add(page, &backup, &full));
        if (full)
            return NULL;
    }
    return NULL;
}

static struct error *write_page(struct page *page, struct backup_list *list) {
    bool more = false;
    struct json_writer *json = &page->json;
    json_object_begin(json);
    member_array(json, "BackupSummaries");
    TRY(fill(page, list, &more));
    json_array_end(json);
    if (more)
        member_text(json, "LastEvaluatedBackupArn", page->last_arn);
    json_object_end(json);
    return NULL;
}

static struct error *read_page(struct page *page, const struct backup_id *after) {
    struct reader reader;
    struct backup_list list;
    TRY(reader_begin(page->call->context->engine, page->call->arena, READ_SNAPSHOT, &reader));
    struct error *error = backup_list_open(reader.arena, reader.txn, after, &list);
    if (error == NULL) {
        error = write_page(page, &list);
        backup_list_close(&list);
    }
    reader_end(&reader);
    return error;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct list_backups_request *request = call->request;
    struct page page = {.call = call, .request = request, .limit = LIMIT_BACKUPS_PAGE};
    struct backup_arn start;
    bool starts = slice_present(request->start_arn);
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    if (request->limit.present)
        page.limit = (size_t)request->limit.value;
    if (slice_present(request->table_name))
        TRY(table_name_resolve(call, request->table_name, &page.table_name));
    if (starts)
        TRY(backup_arn_parse(call, request->start_arn, &start));
    json_writer_init(&page.json, call->reply);
    *ret_state = OP_DONE;
    return read_page(&page, starts ? &start.id : NULL);
}

const struct op op_list_backups = {
    .name = "ListBackups",
    .action = "dynamodb:ListBackups",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &list_backups_shape,
    .validate = validate,
    .run = run,
};
