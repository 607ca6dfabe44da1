/* resource.h - the resources that a request names, found by what its field table says of its
 * members, also those of nested structures and the keys of maps.
 *
 * A statement names its table in its text, not in a member: that is in the call's account. */
#ifndef GRAMME_OPS_REQUEST_RESOURCE_H
#define GRAMME_OPS_REQUEST_RESOURCE_H

#include "ops/request/field.h"

struct resource {
    enum field_resource kind; /* not RESOURCE_INDEX, not RESOURCE_SHARD_ITERATOR */
    struct slice given;       /* as the request gives it */
    struct slice index;       /* of a table: the name of one of its indexes; absent: the table */
};

typedef struct error *resource_visit(void *context, const struct resource *resource);

/* In the order of the field table; a member that is absent names nothing. Ends with the first error
 * of `visit`. */
struct error *resources_visit(const struct shape *shape, const void *request, resource_visit *visit,
                              void *context);

#endif
