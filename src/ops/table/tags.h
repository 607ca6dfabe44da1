/* tags.h - tags of tables: what the service checks about them, and the resource that they are on.
 */
#ifndef GRAMME_OPS_TABLE_TAGS_H
#define GRAMME_OPS_TABLE_TAGS_H

#include "ops/op.h"
#include "ops/table/table_input.h"

struct tag_list {
    struct table_tag *tags; /* sorted by key */
    size_t count;
};

/* Of a request: each by itself, and all together (struct tag_input). */
struct error *tags_check(struct arena *arena, const struct field_list *tags);
/* Sorted by key. */
struct table_tag *tags_of(struct arena *arena, const struct field_list *tags);
/* Keys of tags to be removed (struct slice). */
struct error *tag_keys_check(struct arena *arena, const struct field_list *keys);

/* What a table's tags become: with `more`, which win over those of the same key; all together must
 * be within the limits. */
struct error *tags_with(struct arena *arena, const struct table_definition *table,
                        const struct field_list *more, struct tag_list *ret_list);
/* Without those of some keys. */
struct tag_list tags_without(struct arena *arena, const struct table_definition *table,
                             const struct field_list *keys);

/* The ResourceArn member of operations on tags. */
#define TAGGED_ARN_FIELD(request)                                                    \
    {                                                                                \
        NAMED("ResourceArn"), AT(struct request, resource_arn),                      \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .resource = RESOURCE_ARN, \
            LENGTH(1, LIMIT_RESOURCE_ARN_CHARS), .null_error = "Invalid TableArn"    \
    }

/* The table that an ARN means, which must be of this region and account; it need not exist. */
struct error *tagged_table(struct op_call *call, struct slice arn, struct slice *ret_name);
struct error *tagged_not_found(struct arena *arena, struct slice arn);

#endif
