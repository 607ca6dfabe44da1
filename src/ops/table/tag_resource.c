/* tag_resource.c - TagResource: adds tags to a table; of the same key the new one stands. */
#include "model/limits.h"
#include "ops/table/table_change.h"
#include "ops/table/tags.h"

struct tag_resource_request {
    struct slice resource_arn;
    struct field_list tags; /* struct tag_input */
};

static const struct field tag_resource_fields[] = {
    TAGGED_ARN_FIELD(tag_resource_request),
    {NAMED("Tags"), AT(struct tag_resource_request, tags), .type = FIELD_STRUCT_LIST,
     .flags = FIELD_REQUIRED, .shape = &tag_shape},
    FIELDS_END,
};
static const struct shape tag_resource_shape = {
    "TagResourceInput", sizeof(struct tag_resource_request), tag_resource_fields};

static struct error *validate(struct op_call *call) {
    const struct tag_resource_request *request = call->request;
    struct slice table;
    TRY(tagged_table(call, request->resource_arn, &table));
    if (request->tags.count == 0)
        return error_validation(call->arena, "Atleast one Tag needs to be provided as Input.");
    TRY(tags_check(call->arena, &request->tags));
    return table_change_new(call, table, sizeof(struct table_change));
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct tag_resource_request *request = call->request;
    struct tag_list tags;
    if (current == NULL)
        return tagged_not_found(job->arena, request->resource_arn);
    TRY(table_check_active(job->arena, &current->definition));
    TRY(tags_with(job->arena, &current->definition, &request->tags, &tags));
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    ret_change->definition.tags = tags.tags;
    ret_change->definition.tag_count = tags.count;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

const struct op op_tag_resource = {
    .name = "TagResource",
    .action = "dynamodb:TagResource",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &tag_resource_shape,
    .validate = validate,
    .run = run,
    .finish = table_change_finish,
    .release = table_change_release,
};
