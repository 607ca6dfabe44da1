/* list_tags_of_resource.c - ListTagsOfResource: a table's tags in the order of their keys, a page
 * at a time. NextToken is the last key of the page, in base64. */
#include "base/base64.h"
#include "engine/catalog.h"
#include "json/member.h"
#include "model/limits.h"
#include "model/table_json.h"
#include "ops/table/tags.h"

struct list_tags_request {
    struct slice resource_arn;
    struct slice next_token;
};

struct list_tags {
    struct slice table;
    struct slice after; /* the key behind which the page starts; absent: at the first */
};

static const struct field list_tags_fields[] = {
    TAGGED_ARN_FIELD(list_tags_request),
    {NAMED("NextToken"), AT(struct list_tags_request, next_token), .type = FIELD_STRING},
    FIELDS_END,
};
static const struct shape list_tags_shape = {"ListTagsOfResourceInput",
                                             sizeof(struct list_tags_request), list_tags_fields};

static struct error *decode_token(struct arena *arena, struct slice token, struct slice *ret_key) {
    uint8_t *bytes = arena_alloc(arena, base64_decoded_max(token.len) + 1);
    size_t len;
    if (token.len == 0 || base64_decode(token, bytes, &len) != BASE64_OK)
        return error_validation(arena, "Invalid NextToken");
    *ret_key = slice_of(bytes, len);
    return NULL;
}

static struct error *validate(struct op_call *call) {
    const struct list_tags_request *request = call->request;
    struct list_tags *list = ARENA_NEW(call->arena, struct list_tags);
    *list = (struct list_tags){SLICE_NONE, SLICE_NONE};
    TRY(tagged_table(call, request->resource_arn, &list->table));
    if (slice_present(request->next_token))
        TRY(decode_token(call->arena, request->next_token, &list->after));
    call->work = list;
    return NULL;
}

static void write_page(struct json_writer *json, const struct table_definition *table,
                       struct slice after) {
    size_t at = 0;
    while (slice_present(after) && at < table->tag_count &&
           slice_compare(table->tags[at].key, after) <= 0)
        at++;
    size_t left = table->tag_count - at, count = left < LIMIT_LIST_TAGS ? left : LIMIT_LIST_TAGS;
    json_object_begin(json);
    tags_write(json, table->tags + at, count);
    at += count;
    if (at < table->tag_count) {
        JSON_NAME_LITERAL(json, "NextToken");
        json_base64(json, table->tags[at - 1].key);
    }
    json_object_end(json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct list_tags_request *request = call->request;
    const struct list_tags *list = call->work;
    const struct table *table = catalog_find(call->context->catalog, list->table);
    if (table == NULL)
        return tagged_not_found(call->arena, request->resource_arn);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    write_page(&json, &table->definition, list->after);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_list_tags_of_resource = {
    .name = "ListTagsOfResource",
    .action = "dynamodb:ListTagsOfResource",
    .flags = OP_CONTROL,
    .input = &list_tags_shape,
    .validate = validate,
    .run = run,
};
