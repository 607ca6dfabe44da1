/* list_tags_of_resource.c - ListTagsOfResource: a table's tags in the order of their keys. All come
 * in one page, as in the service, so no NextToken is a good one. */
#include "engine/catalog.h"
#include "model/limits.h"
#include "model/table_json.h"
#include "ops/table/tags.h"

struct list_tags_request {
    struct slice resource_arn;
    struct slice next_token;
};

static const struct field list_tags_fields[] = {
    TAGGED_ARN_FIELD(list_tags_request),
    {NAMED("NextToken"), AT(struct list_tags_request, next_token), .type = FIELD_STRING},
    FIELDS_END,
};
static const struct shape list_tags_shape = {"ListTagsOfResourceInput",
                                             sizeof(struct list_tags_request), list_tags_fields};

static struct error *validate(struct op_call *call) {
    const struct list_tags_request *request = call->request;
    struct slice *name = ARENA_NEW(call->arena, struct slice);
    TRY(tagged_table(call, request->resource_arn, name));
    if (slice_present(request->next_token))
        return error_validation(call->arena, "Invalid NextToken");
    call->work = name;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct list_tags_request *request = call->request;
    const struct slice *name = call->work;
    const struct table *table = catalog_find(call->context->catalog, *name);
    if (table == NULL)
        return tagged_not_found(call->arena, request->resource_arn);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    tags_write(&json, table->definition.tags, table->definition.tag_count);
    json_object_end(&json);
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
