/* partiql.h - PartiQL statements, pure: text and parameters in, what to do out.
 *
 *   statement_parse()  text -> tree (parser.h)
 *   partiql_bind()     tree + parameters -> expressions, item, columns; no table known yet
 *   partiql_ranges()   a bound SELECT + keys of table or index -> ranges of keys
 *   partiql_key()      a bound statement + keys of the table -> the one item it is about
 *
 * What a statement asks of items are expressions (expr.h), built as trees and run by the same
 * machine as any other. Errors are ValidationExceptions in the service's words and order.
 *
 * Memory: the arena given; compiled programs are references, which partiql_release() gives back.
 * Threads: as expr.h; a bound statement is immutable. */
#ifndef GRAMME_PARTIQL_PARTIQL_H
#define GRAMME_PARTIQL_PARTIQL_H

#include "expr/path.h"
#include "model/table.h"
#include "partiql/statement.h"

/* What SELECT shows: the value at a path, under the path's last part as its name. */
struct partiql_column {
    struct slice name;
    struct path path;
};

struct partiql {
    struct arena *arena;
    const struct statement *statement;
    struct slice table_name;
    struct slice index_name; /* absent: none */
    /* SELECT; none: everything. */
    const struct partiql_column *columns;
    size_t column_count;
    /* Of an index: what is wrong with the columns. The service looks at the index first. */
    struct error *refused;
    /* INSERT. */
    struct value item;
    /* The whole WHERE clause: a filter to SELECT, a condition to UPDATE, which so finds no item
     * that does not exist. Of DELETE see partiql_delete_condition(). NULL: there is none. */
    struct expr *where;
    struct expr *update; /* UPDATE */
    struct expr_program *where_program;
    struct expr_program *update_program;
    struct expr_program *condition_program;
};

/* `parameters` are the values for the question marks, checked. Constants are replaced by their
 * values in the statement, so it is bound once. After an error there is nothing to release. */
struct error *partiql_bind(struct arena *arena, struct statement *statement,
                           const struct value *parameters, size_t parameter_count,
                           struct partiql *ret_partiql);
void partiql_release(struct partiql *partiql);

/* True for what only reads: SELECT and EXISTS. */
static inline bool partiql_reads(const struct partiql *partiql) {
    return partiql->statement->verb == VERB_SELECT || partiql->statement->verb == VERB_EXISTS;
}

/* ---- SELECT ---- */

enum {
    /* recorded: how many reads one statement may become */
    PARTIQL_RANGES_MAX = 50,
};

/* One partition, or a part of it. */
struct partiql_range {
    struct key_condition hash;
    bool has_sort;
    struct key_condition sort; /* what it lets through that WHERE does not is filtered */
    bool negated;              /* WHERE says what the sort key shall not be */
};

struct partiql_ranges {
    bool keyed;   /* false: all of the table or index is read */
    bool reverse; /* from the last sort key to the first */
    struct partiql_range list[PARTIQL_RANGES_MAX];
    size_t count;
};

/* `keys` are those of the index, or of the table. Ranges do not overlap. */
struct error *partiql_ranges(struct arena *arena, const struct partiql *partiql,
                             const struct key_schema *keys, struct partiql_ranges *ret_ranges);

/* One of the clauses that OR joins in a keyed WHERE, or all of it. */
struct partiql_branch {
    const struct node *node;
    struct value hash; /* the first value for the partition key; absent: a list has several */
    bool more;         /* it says something besides the key */
};

/* Of a keyed SELECT. 0: some clause inside says which partition and another beside it does not, so
 * that there are no branches to speak of. */
size_t partiql_branches(const struct partiql *partiql, const struct key_schema *keys,
                        struct partiql_branch ret_branches[PARTIQL_RANGES_MAX]);

/* ---- one item ---- */

enum partiql_key_fit {
    PARTIQL_KEY_INCOMPLETE, /* WHERE lacks an equality for some key attribute: there is no key */
    PARTIQL_KEY_AND_MORE,
    PARTIQL_KEY_ONLY, /* WHERE says nothing else */
};

/* The key that WHERE says by equalities, whatever the types of their values. Fails when a write has
 * two values for one attribute; of a read the first counts, and the other is a condition. */
struct error *partiql_key(struct arena *arena, const struct partiql *partiql,
                          const struct key_schema *keys, struct value *ret_key,
                          enum partiql_key_fit *ret_fit);

/* The values of a key have the types of their attributes. */
struct error *partiql_key_check_types(struct arena *arena, const struct key_schema *keys,
                                      struct value key);

/* INSERT: no item has the key. DELETE: none has it, or WHERE holds; NULL when WHERE has only the
 * key. The name is that of the partition key. */
struct error *partiql_insert_condition(struct partiql *partiql, struct slice hash_name,
                                       struct expr **ret_condition);
struct error *partiql_delete_condition(struct partiql *partiql, struct slice hash_name,
                                       struct expr **ret_condition);

#endif
