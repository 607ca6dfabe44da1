/* partiql_call.h - one statement of a request, from its text to the read or write that it asks for.
 *
 *   partiql_call_open       parses and binds: what is wrong with the statement, whatever the table
 *   partiql_call_find       its table
 *   partiql_call_write      INSERT, UPDATE, DELETE, EXISTS: a write for the one write path
 *   partiql_call_get        SELECT that names one item: its key
 *   partiql_call_settle     after the write: its error in the words of statements
 *   partiql_call_release    gives everything back; fine at any point, also twice */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_CALL_H
#define GRAMME_OPS_PARTIQL_PARTIQL_CALL_H

#include "engine/write.h"
#include "json/writer.h"
#include "ops/op.h"
#include "partiql/partiql.h"

struct partiql_call {
    struct slice text;
    const struct value *parameters;
    size_t parameter_count;
    bool bound;          /* `partiql` is there */
    bool in_transaction; /* wrong keys are told as TransactWriteItems tells them */
    struct partiql partiql;
    struct table *table; /* referenced once found */
};

/* What the service says of an UPDATE or DELETE whose WHERE does not name one item. */
#define PARTIQL_KEY_MISSING \
    "Where clause does not contain a mandatory equality on all key attributes"

/* Of an EXISTS anywhere else. */
#define PARTIQL_EXISTS_ALONE "EXISTS can only be used in ExecuteTransaction write requests."

/* The first parameter that is no value. `parameters`: struct field_item. */
struct error *partiql_parameters_check(const struct field_list *parameters);
struct error *partiql_call_open(struct op_call *call, struct slice text,
                                const struct field_list *parameters,
                                struct partiql_call *ret_statement);
struct error *partiql_call_find(struct op_call *call, struct partiql_call *statement);
/* SELECT: the index, if there is one of that name, can be read by statements, and so can the
 * columns that are wanted of it. */
struct error *partiql_call_check_index(struct arena *arena, const struct partiql_call *statement);
/* Fills table, kind, key or item, condition, update and what is to be kept; the caller prepares the
 * write. The table's reference stays the statement's. */
struct error *partiql_call_write(struct op_call *call, struct partiql_call *statement,
                                 struct item_write *ret_write);
/* Without a key, when WHERE does not say it. */
struct error *partiql_call_get(struct op_call *call, struct partiql_call *statement,
                               struct value *ret_key, enum partiql_key_fit *ret_fit);
struct error *partiql_call_settle(struct op_call *call, const struct partiql_call *statement,
                                  const struct item_write *write);
void partiql_call_release(struct partiql_call *statement);

/* What RETURNING shows of a finished write, in the arena; absent: nothing. */
struct value partiql_call_returned(struct op_call *call, const struct partiql_call *statement,
                                   const struct item_write *write);
/* An item as SELECT shows it, in the arena. */
struct value partiql_call_selected(struct arena *arena, const struct partiql *partiql,
                                   struct value item);

/* No path of the statement leads into a key of the table or of an index. */
struct error *partiql_call_check_paths(struct arena *arena, const struct partiql_call *statement);

#endif
