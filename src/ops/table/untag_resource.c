/* untag_resource.c - UntagResource: removes tags by their keys; keys that are not there are fine.
 */
#include "model/limits.h"
#include "ops/table/table_change.h"
#include "ops/table/tags.h"

struct untag_resource_request {
    struct slice resource_arn;
    struct field_list tag_keys; /* struct slice */
};

static const struct field untag_resource_fields[] = {
    TAGGED_ARN_FIELD(untag_resource_request),
    {NAMED("TagKeys"), AT(struct untag_resource_request, tag_keys), .type = FIELD_STRING_LIST,
     .flags = FIELD_REQUIRED, ELEMENT_LENGTH(1, LIMIT_TAG_KEY_CHARS)},
    FIELDS_END,
};
static const struct shape untag_resource_shape = {
    "UntagResourceInput", sizeof(struct untag_resource_request), untag_resource_fields};

static struct error *validate(struct op_call *call) {
    const struct untag_resource_request *request = call->request;
    struct slice table;
    TRY(tagged_table(call, request->resource_arn, &table));
    if (request->tag_keys.count == 0)
        return error_validation(call->arena, "Atleast one Tag Key needs to be provided as Input.");
    TRY(tag_keys_check(call->arena, &request->tag_keys));
    return table_change_new(call, table, sizeof(struct table_change));
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct untag_resource_request *request = call->request;
    if (current == NULL)
        return error_new(job->arena, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
    TRY(table_check_active(job->arena, &current->definition));
    struct tag_list left = tags_without(job->arena, &current->definition, &request->tag_keys);
    ret_change->action =
        left.count == current->definition.tag_count ? CATALOG_NOTHING : CATALOG_REPLACE;
    ret_change->definition = current->definition;
    ret_change->definition.tags = left.tags;
    ret_change->definition.tag_count = left.count;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

const struct op op_untag_resource = {
    .name = "UntagResource",
    .action = "dynamodb:UntagResource",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &untag_resource_shape,
    .validate = validate,
    .run = run,
    .finish = table_change_finish,
    .release = table_change_release,
};
