/* request.c - see request.h. */
#include "scaling/request.h"

struct error *request_place(const struct service_call *call, struct place *ret_place) {
    struct slice table, index;
    ret_place->resource = input_text(call->input, "ResourceId");
    if (!scaling_dimension_find(input_text(call->input, "ScalableDimension"),
                                &ret_place->dimension) ||
        !scaling_resource_split(ret_place->resource, ret_place->dimension, &table, &index))
        return error_validation(call->arena,
                                "Unsupported service namespace, resource type or scalable "
                                "dimension");
    return NULL;
}

struct error *request_not_found(const struct service_call *call, const char *what,
                                const struct place *place) {
    return error_new(call->arena, ERROR_OBJECT_NOT_FOUND,
                     "No %s found for service namespace: dynamodb, resource ID: %.*s, scalable "
                     "dimension: %s",
                     what, SLICE_ARGS(place->resource), scaling_dimension_word(place->dimension));
}

void request_write_place(struct answer *answer, struct slice resource,
                         enum scaling_dimension dimension) {
    answer_word(answer, "ServiceNamespace", "dynamodb");
    answer_text(answer, "ResourceId", resource);
    answer_word(answer, "ScalableDimension", scaling_dimension_word(dimension));
}

bool request_asks_for(const struct service_call *call, const char *list, struct slice name,
                      enum scaling_dimension dimension) {
    struct slice wanted = input_text(call->input, "ScalableDimension");
    if (slice_present(wanted) && !slice_is(wanted, scaling_dimension_word(dimension)))
        return false;
    const struct json_value *item = input_items(call->input, list);
    if (item == NULL)
        return true;
    while (item != NULL && !slice_equal(item->text, name))
        item = item->next;
    return item != NULL;
}

bool request_asks_for_resource(const struct service_call *call, struct slice resource) {
    struct slice wanted = input_text(call->input, "ResourceId");
    return !slice_present(wanted) || slice_equal(wanted, resource);
}

struct error *page_open(const struct service_call *call, struct page *ret_page) {
    struct slice token = input_text(call->input, "NextToken");
    size_t skip = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9' || token.len > 9)
            return error_new(call->arena, ERROR_INVALID_NEXT_TOKEN, "Invalid next token");
        skip = skip * 10 + (size_t)(token.data[i] - '0');
    }
    *ret_page = (struct page){.skip = skip,
                              .left = (size_t)input_integer(call->input, "MaxResults", PAGE_MAX)};
    return NULL;
}

bool page_takes(struct page *page) {
    size_t place = page->seen++;
    if (place < page->skip)
        return false;
    if (page->left == 0) {
        page->next = page->next == 0 ? place : page->next;
        return false;
    }
    page->left--;
    return true;
}

void page_close(const struct service_call *call, const struct page *page) {
    if (page->next > 0)
        answer_text(call->answer, "NextToken", arena_printf(call->arena, "%zu", page->next));
}

struct scaling_home request_home(const struct service_call *call) {
    return (struct scaling_home){call->region, call->account};
}
