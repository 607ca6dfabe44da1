/* key.c - the key of the one item that a statement is about. */
#include "partiql/partiql.h"

#include "model/key.h"
#include "model/limits.h"
#include "model/value_builder.h"
#include "partiql/terms.h"

/* The equality on the attribute among the parts that AND joins; the first, should there be several.
 */
static const struct node *find_equality(const struct node *where, struct slice name,
                                        struct key_condition *ret_condition) {
    bool list = where->kind == NODE_OPERATOR && where->op == SIGN_AND;
    for (const struct node *part = list ? where->first : where; part != NULL;
         part = list ? part->next : NULL)
        if (term_condition(part, name, ret_condition) && ret_condition->op == KEY_EQ)
            return part;
    return NULL;
}

static struct value make_key(struct arena *arena, const struct key_condition *parts, size_t count) {
    struct buffer bytes;
    buffer_init(&bytes, LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    for (size_t i = 0; i < count; i++) {
        value_builder_name(&builder, parts[i].name);
        value_builder_value(&builder, parts[i].value);
    }
    value_builder_close(&builder);
    struct value key = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return key;
}

struct error *partiql_key(struct arena *arena, const struct partiql *partiql,
                          const struct key_schema *keys, struct value *ret_key,
                          enum partiql_key_fit *ret_fit) {
    const struct node *where = partiql->statement->where;
    struct key_condition parts[2 * KEY_PARTS_MAX];
    size_t count = key_part_count(keys);
    for (size_t i = 0; i < count; i++) {
        if (where == NULL || find_equality(where, key_part(keys, i)->name, &parts[i]) == NULL) {
            *ret_fit = PARTIQL_KEY_INCOMPLETE;
            return NULL;
        }
    }
    for (size_t i = 0; i < count; i++)
        TRY(term_check_type(arena, key_part(keys, i), &parts[i]));
    *ret_key = make_key(arena, parts, count);
    bool list = where->kind == NODE_OPERATOR && where->op == SIGN_AND;
    *ret_fit = (list ? where->count : 1) == count ? PARTIQL_KEY_ONLY : PARTIQL_KEY_AND_MORE;
    return NULL;
}
