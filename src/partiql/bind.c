/* bind.c - a parsed statement with the values of its parameters: what can be found out before its
 * table is known, in the service's order. */
#include "partiql/partiql.h"

#include "expr/path_tree.h"
#include "model/limits.h"
#include "partiql/builder.h"
#include "partiql/constants.h"

/* ---- constants ---- */

static struct error *resolve_item(const struct constants *constants, struct node *item) {
    TRY(constant_resolve_item(constants, item));
    if (value_type(item->value) == VALUE_M)
        return NULL;
    return error_request(constants->arena,
                         "Unsupported data type in INSERT statement at " POSITION_FORMAT,
                         POSITION_ARGS(item->at));
}

static struct error *resolve(struct arena *arena, struct statement *statement,
                             const struct value *parameters) {
    const struct constants constants = {arena, parameters};
    if (statement->item != NULL)
        TRY(resolve_item(&constants, statement->item));
    for (struct change_clause *change = statement->changes; change != NULL; change = change->next)
        if (change->value != NULL)
            TRY(constants_resolve(&constants, change->value));
    return statement->where == NULL ? NULL : constants_resolve(&constants, statement->where);
}

/* ---- SELECT's columns ---- */

/* The last name and the indexes behind it: m.k[0] is shown as k[0]. */
static struct slice column_name(struct arena *arena, const struct steps *steps) {
    struct slice name = SLICE_NONE;
    for (const struct step *step = steps->first; step != NULL; step = step->next)
        name = slice_present(step->name)
                   ? step->name
                   : arena_printf(arena, "%.*s[%.*s]", SLICE_ARGS(name), SLICE_ARGS(step->digits));
    return name;
}

static struct error *column_of(struct builder *b, const struct steps *steps,
                               struct partiql_column *ret_column) {
    struct ast_path *path;
    TRY(builder_path(b, steps, &path));
    if (path->count > LIMIT_PATH_NESTING)
        return error_request(b->arena,
                             "The document path has too many nesting levels; nesting levels: %u",
                             path->count);
    struct path_element *elements = ARENA_ARRAY(b->arena, struct path_element, path->count);
    uint32_t count = 0;
    for (const struct ast_element *e = path->first; e != NULL; e = e->next)
        elements[count++] = e->kind == ELEMENT_INDEX ? (struct path_element){SLICE_NONE, e->index}
                                                     : (struct path_element){e->text, 0};
    *ret_column = (struct partiql_column){column_name(b->arena, steps), {elements, count}};
    return NULL;
}

/* The last column against those before it. */
static struct error *check_column(struct arena *arena, const struct partiql_column *columns,
                                  size_t count) {
    const struct partiql_column *last = &columns[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        if (slice_equal(columns[i].name, last->name))
            return error_request(arena, "Duplicate identifiers in select clause: %.*s",
                                 SLICE_ARGS(last->name));
        enum path_relation relation = path_relate(columns[i].path, last->path);
        if (relation != PATHS_APART)
            return error_request(arena,
                                 "Two document paths %s with each other; must remove or "
                                 "rewrite one of these paths; path one: %.*s, path two: %.*s",
                                 relation == PATHS_OVERLAP ? "overlap" : "conflict",
                                 SLICE_ARGS(path_text(arena, last->path)),
                                 SLICE_ARGS(path_text(arena, columns[i].path)));
    }
    return NULL;
}

/* The columns twice: what they show, and under which names, which are paths of one element. */
struct column_paths {
    struct path *shown, *names;
};

static struct column_paths column_paths_of(struct arena *arena,
                                           const struct partiql_column *columns, size_t count) {
    struct column_paths paths = {ARENA_ARRAY(arena, struct path, count),
                                 ARENA_ARRAY(arena, struct path, count)};
    struct path_element *elements = ARENA_ARRAY(arena, struct path_element, count);
    for (size_t i = 0; i < count; i++) {
        elements[i] = (struct path_element){columns[i].name, 0};
        paths.shown[i] = columns[i].path;
        paths.names[i] = (struct path){&elements[i], 1};
    }
    return paths;
}

/* A path that excludes any other excludes one next to it in the order. */
static bool some_clash(struct arena *arena, const struct path *paths, size_t count) {
    struct path_set set = path_set_sort(arena, paths, (uint32_t)count);
    for (size_t i = 1; i < count; i++)
        if (path_relate(set.sorted[i - 1].path, set.sorted[i].path) != PATHS_APART)
            return true;
    return false;
}

static bool clash(struct arena *arena, struct column_paths paths, size_t count) {
    return some_clash(arena, paths.names, count) || some_clash(arena, paths.shown, count);
}

/* The first column that clashes with one before it is told. Which one that is takes another look at
 * fewer and fewer of them, for statements that are wrong. */
static struct error *check_columns(struct arena *arena, const struct partiql_column *columns,
                                   size_t count) {
    if (count < 2)
        return NULL;
    struct column_paths paths = column_paths_of(arena, columns, count);
    if (!clash(arena, paths, count))
        return NULL;
    size_t good = 1, bad = count;
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        *(clash(arena, paths, middle) ? &bad : &good) = middle;
    }
    return check_column(arena, columns, bad);
}

/* Up to the first that is none. */
static struct error *read_columns(struct arena *arena, const struct node *list,
                                  struct partiql_column *columns, size_t *ret_count) {
    struct builder b;
    builder_init(&b, arena, EXPR_PROJECTION);
    *ret_count = 0;
    for (const struct node *column = list->first; column != NULL; column = column->next) {
        if (column->kind != NODE_PATH)
            return statement_path_error(arena, column->at);
        TRY(column_of(&b, &column->path, &columns[*ret_count]));
        ++*ret_count;
    }
    return NULL;
}

/* A clash is told before what is wrong behind it. */
static struct error *bind_columns(struct partiql *partiql) {
    const struct node *list = partiql->statement->columns;
    if (list == NULL)
        return NULL;
    struct partiql_column *columns =
        ARENA_ARRAY(partiql->arena, struct partiql_column, list->count);
    partiql->columns = columns;
    struct error *error = read_columns(partiql->arena, list, columns, &partiql->column_count);
    TRY(check_columns(partiql->arena, columns, partiql->column_count));
    return error;
}

/* ---- expressions ---- */

static struct error *bind_where(struct partiql *partiql) {
    if (partiql->statement->where == NULL)
        return NULL;
    struct builder b;
    builder_init(&b, partiql->arena, partiql_reads(partiql) ? EXPR_FILTER : EXPR_CONDITION);
    TRY(builder_condition(&b, partiql->statement->where, &b.ast.condition));
    return builder_finish(&b, &partiql->where_program, &partiql->where);
}

static struct error *bind_update(struct partiql *partiql) {
    if (partiql->statement->verb != VERB_UPDATE)
        return NULL;
    struct builder b;
    builder_init(&b, partiql->arena, EXPR_UPDATE);
    TRY(builder_updates(&b, partiql->statement));
    return builder_finish(&b, &partiql->update_program, &partiql->update);
}

struct error *partiql_insert_condition(struct partiql *partiql, struct slice hash_name,
                                       struct expr **ret_condition) {
    struct builder b;
    builder_init(&b, partiql->arena, EXPR_CONDITION);
    b.ast.condition = builder_name_test(&b, "attribute_not_exists", hash_name);
    return builder_finish(&b, &partiql->condition_program, ret_condition);
}

struct error *partiql_delete_condition(struct partiql *partiql, struct slice hash_name,
                                       struct expr **ret_condition) {
    struct builder b;
    struct ast_node *where;
    builder_init(&b, partiql->arena, EXPR_CONDITION);
    struct ast_node *absent = builder_name_test(&b, "attribute_not_exists", hash_name);
    TRY(builder_condition(&b, partiql->statement->where, &where));
    b.ast.condition = ast_binary(&b.ast, OPERATOR_OR, absent, where);
    return builder_finish(&b, &partiql->condition_program, ret_condition);
}

/* ---- the whole ---- */

static struct error *check_clauses(const struct partiql *partiql) {
    static const char *const names[] = {
        [RETURNING_NOTHING] = "",
        [RETURNING_ALL_OLD] = "ALL OLD",
        [RETURNING_ALL_NEW] = "ALL NEW",
        [RETURNING_MODIFIED_OLD] = "MODIFIED OLD",
        [RETURNING_MODIFIED_NEW] = "MODIFIED NEW",
    };
    const struct statement *statement = partiql->statement;
    bool changes = statement->verb == VERB_UPDATE || statement->verb == VERB_DELETE;
    if (changes && slice_present(partiql->index_name))
        return error_request(partiql->arena, "This operation is not supported on an index");
    if (statement->verb == VERB_DELETE && statement->returning > RETURNING_ALL_OLD)
        return error_request(partiql->arena,
                             "Invalid returning clause: RETURNING %s *. Only RETURNING ALL OLD * "
                             "is allowed in DELETE statements.",
                             names[statement->returning]);
    return NULL;
}

static struct error *bind_parts(struct partiql *partiql) {
    TRY(check_clauses(partiql));
    struct error *refused = bind_columns(partiql);
    if (!slice_present(partiql->index_name))
        TRY(refused);
    partiql->refused = refused;
    TRY(bind_update(partiql));
    return bind_where(partiql);
}

struct error *partiql_bind(struct arena *arena, struct statement *statement,
                           const struct value *parameters, size_t parameter_count,
                           struct partiql *ret_partiql) {
    if (parameter_count < statement->parameter_count)
        return error_request(arena, "Number of parameters in request and statement don't match.");
    TRY(resolve(arena, statement, parameters));
    const struct step *from = statement->from.first;
    struct partiql partiql = {
        .arena = arena,
        .statement = statement,
        .table_name = from->name,
        .index_name = from->next == NULL ? SLICE_NONE : from->next->name,
        .item = statement->item == NULL ? VALUE_ABSENT : statement->item->value,
    };
    struct error *error = bind_parts(&partiql);
    if (error != NULL) {
        partiql_release(&partiql);
        return error;
    }
    *ret_partiql = partiql;
    return NULL;
}

void partiql_release(struct partiql *partiql) {
    struct expr_program **programs[] = {&partiql->where_program, &partiql->update_program,
                                        &partiql->condition_program};
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        if (*programs[i] != NULL)
            expr_program_unref(*programs[i]);
        *programs[i] = NULL;
    }
}
