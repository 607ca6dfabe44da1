/* partiql_call.c - statements to reads and writes.
 *
 * WHERE is the condition of an UPDATE as it stands: an item that does not exist has no key that
 * equals anything, so nothing is made; that of an EXISTS likewise. A DELETE of what does not exist
 * is fine, and an INSERT wants just that. */
#include "ops/partiql/partiql_call.h"

#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/item/table_lookup.h"
#include "ops/item/update_check.h"
#include "ops/request/expressions.h"
#include "partiql/parser.h"

/* ---- opening ---- */

struct error *partiql_parameters_check(const struct field_list *parameters) {
    const struct field_item *items = parameters->items;
    for (size_t i = 0; i < parameters->count; i++)
        if (items[i].fault != NULL)
            return items[i].fault;
    return NULL;
}

static struct error *take_parameters(struct op_call *call, const struct field_list *parameters,
                                     struct partiql_call *statement) {
    const struct field_item *items = parameters->items;
    TRY(partiql_parameters_check(parameters));
    struct value *values = ARENA_ARRAY(call->arena, struct value, parameters->count);
    for (size_t i = 0; i < parameters->count; i++)
        values[i] = items[i].value;
    statement->parameters = values;
    statement->parameter_count = parameters->count;
    return NULL;
}

struct error *partiql_call_open(struct op_call *call, struct slice text,
                                const struct field_list *parameters,
                                struct partiql_call *ret_statement) {
    struct statement *parsed;
    struct partiql_call statement = {.text = text};
    TRY(take_parameters(call, parameters, &statement));
    TRY(statement_parse(call->arena, text, &parsed));
    TRY(partiql_bind(call->arena, parsed, statement.parameters, statement.parameter_count,
                     &statement.partiql));
    statement.bound = true;
    *ret_statement = statement;
    return NULL;
}

struct error *partiql_call_find(struct op_call *call, struct partiql_call *statement) {
    struct table *table;
    TRY(table_lookup(call, statement->partiql.table_name, &table));
    statement->table = table_ref(table);
    return NULL;
}

struct error *partiql_call_check_index(struct arena *arena, const struct partiql_call *statement) {
    const struct table_definition *table = &statement->table->definition;
    const struct table_index *index = table_find_index(table, statement->partiql.index_name);
    if (index != NULL && (index->keys.hash_count > 1 || index->keys.range_count > 1))
        return error_validation(arena, "PartiQL statements cannot be executed on tables with "
                                       "multi-attribute HASH keys or multi-attribute RANGE keys.");
    return statement->partiql.refused;
}

void partiql_call_release(struct partiql_call *statement) {
    if (statement->bound)
        partiql_release(&statement->partiql);
    table_unref(statement->table);
    statement->table = NULL;
}

struct error *partiql_call_check_paths(struct arena *arena, const struct partiql_call *statement) {
    const struct partiql *partiql = &statement->partiql;
    const struct expressions all = {
        .list = {{.kind = EXPR_CONDITION, .bound = partiql->where},
                 {.kind = EXPR_UPDATE, .bound = partiql->update}},
        .count = 2,
    };
    return expressions_check_key_paths(arena, &all, &statement->table->definition);
}

/* ---- writes ---- */

static struct error *prepare_insert(struct op_call *call, struct partiql_call *statement,
                                    struct item_write *write) {
    const struct table_definition *table = &statement->table->definition;
    struct expr *condition;
    write->kind = WRITE_PUT;
    write->item = statement->partiql.item;
    TRY(item_check_depth(call->arena, write->item));
    if (item_size(write->item) > LIMIT_ITEM_BYTES)
        return item_error_too_large(call->arena);
    TRY(key_check_item(call->arena, &table->keys, write->item));
    TRY(index_check_put(call->arena, table, write->item));
    TRY(partiql_insert_condition(&statement->partiql, table->keys.hash[0].name, &condition));
    write->condition = condition;
    return NULL;
}

static struct error *prepare_change(struct op_call *call, struct partiql_call *statement,
                                    struct item_write *write) {
    const struct table_definition *table = &statement->table->definition;
    struct partiql *partiql = &statement->partiql;
    enum partiql_key_fit fit;
    enum verb verb = partiql->statement->verb;
    TRY(partiql_key(call->arena, partiql, &table->keys, &write->key, &fit));
    if (fit == PARTIQL_KEY_INCOMPLETE)
        return statement->in_transaction ? key_no_match(call->arena)
                                         : error_validation(call->arena, PARTIQL_KEY_MISSING);
    if (!statement->in_transaction)
        TRY(partiql_key_check_types(call->arena, &table->keys, write->key));
    TRY(key_check(call->arena, &table->keys, write->key));
    TRY(update_check(call->arena, partiql->update, table));
    TRY(partiql_call_check_paths(call->arena, statement));
    write->kind = verb == VERB_UPDATE   ? WRITE_UPDATE
                  : verb == VERB_DELETE ? WRITE_DELETE
                                        : WRITE_CHECK;
    write->update = partiql->update;
    write->condition = verb == VERB_DELETE ? NULL : partiql->where;
    if (verb != VERB_DELETE || fit == PARTIQL_KEY_ONLY)
        return NULL;
    struct expr *condition;
    TRY(partiql_delete_condition(partiql, table->keys.hash[0].name, &condition));
    write->condition = condition;
    return NULL;
}

struct error *partiql_call_write(struct op_call *call, struct partiql_call *statement,
                                 struct item_write *ret_write) {
    enum returning returning = statement->partiql.statement->returning;
    struct item_write write = {
        .table = statement->table,
        .keep_old = returning == RETURNING_ALL_OLD || returning == RETURNING_MODIFIED_OLD,
        .keep_new = returning == RETURNING_ALL_NEW || returning == RETURNING_MODIFIED_NEW,
    };
    if (statement->partiql.statement->verb == VERB_INSERT)
        TRY(prepare_insert(call, statement, &write));
    else
        TRY(prepare_change(call, statement, &write));
    *ret_write = write;
    return NULL;
}

struct error *partiql_call_settle(struct op_call *call, const struct partiql_call *statement,
                                  const struct item_write *write) {
    if (write->error == NULL || write->error->code != ERROR_CONDITIONAL_CHECK_FAILED ||
        statement->partiql.statement->verb != VERB_INSERT)
        return write->error;
    return error_new(call->arena, ERROR_DUPLICATE_ITEM, "Duplicate primary key exists in table");
}

/* ---- reads of one item ---- */

struct error *partiql_call_get(struct op_call *call, struct partiql_call *statement,
                               struct value *ret_key, enum partiql_key_fit *ret_fit) {
    const struct key_schema *keys = &statement->table->definition.keys;
    TRY(partiql_key(call->arena, &statement->partiql, keys, ret_key, ret_fit));
    if (*ret_fit == PARTIQL_KEY_INCOMPLETE)
        return NULL;
    TRY(partiql_key_check_types(call->arena, keys, *ret_key));
    TRY(key_check(call->arena, keys, *ret_key));
    return partiql_call_check_paths(call->arena, statement);
}

/* ---- results ---- */

static struct value touched(struct arena *arena, const struct expr *update, struct value item) {
    struct buffer bytes;
    buffer_init(&bytes, 2 * LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, arena);
    expr_update_touched(update, item, &builder);
    struct value value = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return value_count(value) > 0 ? value : VALUE_ABSENT;
}

struct value partiql_call_returned(struct op_call *call, const struct partiql_call *statement,
                                   const struct item_write *write) {
    enum returning returning = statement->partiql.statement->returning;
    if (returning == RETURNING_NOTHING)
        return VALUE_ABSENT;
    struct value shown = write->keep_old ? write->old_item : write->new_item;
    bool modified = returning == RETURNING_MODIFIED_OLD || returning == RETURNING_MODIFIED_NEW;
    return modified && value_present(shown) ? touched(call->arena, statement->partiql.update, shown)
                                            : shown;
}

struct value partiql_call_selected(struct arena *arena, const struct partiql *partiql,
                                   struct value item) {
    if (partiql->column_count == 0)
        return item;
    struct buffer bytes;
    buffer_init(&bytes, 2 * LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    for (size_t i = 0; i < partiql->column_count; i++) {
        struct value value = path_find(partiql->columns[i].path, item);
        if (!value_present(value))
            continue;
        value_builder_name(&builder, partiql->columns[i].name);
        value_builder_value(&builder, value);
    }
    value_builder_close(&builder);
    struct value selected = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return selected;
}
