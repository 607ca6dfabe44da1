/* builder.c - the parts that conditions and updates share. Names stand in the trees as they are, so
 * nothing is a reserved word; values get placeholders of their own. */
#include "partiql/builder.h"

#include "expr/compile.h"
#include "model/limits.h"

enum { VALUES_FIRST = 16 };

void builder_init(struct builder *b, struct arena *arena, enum expr_kind kind) {
    *b = (struct builder){.arena = arena};
    ast_init(&b->ast, arena, kind);
    b->ast.distinct_values = true;
}

struct error *builder_path(struct builder *b, const struct steps *steps,
                           struct ast_path **ret_path) {
    struct ast_path *path = ast_path(&b->ast);
    for (const struct step *step = steps->first; step != NULL; step = step->next) {
        if (slice_present(step->name) && step->name.len == 0)
            return statement_empty_component(b->arena);
        if (slice_present(step->name)) {
            ast_path_add_name(&b->ast, path, step->name);
            continue;
        }
        ast_path_add_index(&b->ast, path, step->digits);
        if (path->last->index > LIMIT_LIST_INDEX || (step->negative && path->last->index > 0))
            return error_request(b->arena,
                                 "List index is not within the allowable range; index: [%s%.*s] "
                                 "at " POSITION_FORMAT,
                                 step->negative ? "-" : "", SLICE_ARGS(step->digits),
                                 POSITION_ARGS(step->at));
    }
    *ret_path = path;
    return NULL;
}

static void make_room(struct builder *b) {
    if (b->value_count < b->value_room)
        return;
    size_t room = b->value_room == 0 ? VALUES_FIRST : 2 * b->value_room;
    struct expr_placeholder *values = ARENA_ARRAY(b->arena, struct expr_placeholder, room);
    if (b->value_count > 0)
        memcpy(values, b->values, b->value_count * sizeof(*values));
    b->values = values;
    b->value_room = room;
}

struct ast_node *builder_value(struct builder *b, struct value value) {
    make_room(b);
    struct expr_placeholder *placeholder = &b->values[b->value_count];
    placeholder->key = arena_printf(b->arena, ":%zu", b->value_count++);
    placeholder->value = value;
    return ast_operand_value(&b->ast, placeholder->key);
}

struct ast_node *builder_name_test(struct builder *b, const char *function, struct slice name) {
    struct ast_path *path = ast_path(&b->ast);
    ast_path_add_name(&b->ast, path, name);
    struct ast_list args = {0};
    ast_list_add(&args, ast_operand_path(&b->ast, path));
    return ast_call(&b->ast, slice_text(function), args);
}

/* Errors about expressions begin with the name of a request's member, which statements have not. */
static struct error *without_prefix(struct error *error) {
    if (slice_present(error->detail))
        error->message = error->detail;
    return error;
}

struct error *builder_check_size(const struct builder *b) {
    struct error *error = ast_check_size(&b->ast);
    return error == NULL ? NULL : without_prefix(error);
}

struct error *builder_finish(struct builder *b, struct expr_program **ret_program,
                             struct expr **ret_expr) {
    TRY(builder_check_size(b));
    if (!ast_fits(&b->ast))
        return error_request(b->arena, "The statement has too many names and values");
    struct expr_program *program = ast_compile(&b->ast);
    struct expr_placeholders given = {.values = b->values, .value_count = b->value_count};
    struct error *error = expr_bind(b->arena, program, &given, ret_expr);
    if (error != NULL) {
        expr_program_unref(program);
        return without_prefix(error);
    }
    *ret_program = program;
    return NULL;
}
