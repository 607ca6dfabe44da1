/* resource.c - along a field table. It nests as deep as the shapes do. */
#include "ops/request/resource.h"

struct walk {
    resource_visit *visit;
    void *context;
};

static const void *member_at(const void *request, const struct field *field) {
    return (const char *)request + field->offset;
}

/* The index that is named beside a table. */
static struct slice index_beside(const struct shape *shape, const void *request) {
    for (const struct field *field = shape->fields; field->name != NULL; field++)
        if (field->resource == RESOURCE_INDEX)
            return *(const struct slice *)member_at(request, field);
    return SLICE_NONE;
}

/* A shard iterator begins with the ARN of its stream. */
static struct slice iterator_arn(struct slice iterator) {
    const uint8_t *end = iterator.len == 0 ? NULL : memchr(iterator.data, '|', iterator.len);
    return end == NULL ? iterator : slice_first(iterator, (size_t)(end - iterator.data));
}

static struct error *visit_string(const struct walk *walk, const struct shape *shape,
                                  const void *request, const struct field *field) {
    struct resource resource = {field->resource, *(const struct slice *)member_at(request, field),
                                SLICE_NONE};
    if (!slice_present(resource.given) || field->resource == RESOURCE_INDEX)
        return NULL;
    if (field->resource == RESOURCE_SHARD_ITERATOR) {
        resource.kind = RESOURCE_ARN;
        resource.given = iterator_arn(resource.given);
    } else if (field->resource == RESOURCE_TABLE) {
        resource.index = index_beside(shape, request);
    }
    return walk->visit(walk->context, &resource);
}

/* The elements of a map begin with their key. */
static struct error *visit_keys(const struct walk *walk, const struct field *field,
                                const struct field_list *map, size_t element_size) {
    for (size_t i = 0; i < map->count; i++) {
        const void *element = (const char *)map->items + i * element_size;
        const struct resource resource = {field->resource, *(const struct slice *)element,
                                          SLICE_NONE};
        TRY(walk->visit(walk->context, &resource));
    }
    return NULL;
}

static struct error *visit_shape(const struct walk *walk, const struct shape *shape,
                                 const void *request);

static struct error *visit_elements(const struct walk *walk, const struct field *field,
                                    const struct field_list *list) {
    for (size_t i = 0; i < list->count; i++)
        TRY(visit_shape(walk, field->shape, (const char *)list->items + i * field->shape->size));
    return NULL;
}

static struct error *visit_field(const struct walk *walk, const struct shape *shape,
                                 const void *request, const struct field *field) {
    const void *member = member_at(request, field);
    bool names = field->resource != RESOURCE_NONE;
    const void *nested;
    switch ((int)field->type) {
    case FIELD_STRING:
        return names ? visit_string(walk, shape, request, field) : NULL;
    case FIELD_STRUCT:
        nested = *(const void *const *)member;
        return nested == NULL ? NULL : visit_shape(walk, field->shape, nested);
    case FIELD_STRUCT_MAP:
        return names ? visit_keys(walk, field, member, field->shape->size)
                     : visit_elements(walk, field, member);
    case FIELD_STRUCT_LIST_MAP:
        return names ? visit_keys(walk, field, member, sizeof(struct field_named_list)) : NULL;
    case FIELD_STRUCT_LIST:
        return visit_elements(walk, field, member);
    default:
        return NULL;
    }
}

static struct error *visit_shape(const struct walk *walk, const struct shape *shape,
                                 const void *request) {
    for (const struct field *field = shape->fields; field->name != NULL; field++)
        TRY(visit_field(walk, shape, request, field));
    return NULL;
}

struct error *resources_visit(const struct shape *shape, const void *request, resource_visit *visit,
                              void *context) {
    const struct walk walk = {visit, context};
    return visit_shape(&walk, shape, request);
}
