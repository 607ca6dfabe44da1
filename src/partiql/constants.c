/* constants.c - literals are read into flat values, parameters put in their places.
 *
 * Recursion is bounded by the depth that the parser allows. */
#include "partiql/constants.h"

#include "model/key.h"
#include "model/limits.h"
#include "model/value_builder.h"
#include "model/value_fault.h"

/* What a literal may come to while it is read: the statement and all parameters of a request. */
enum { LITERAL_BYTES_MAX = 2 * LIMIT_BODY_BYTES };

struct reading {
    const struct constants *constants;
    struct value_builder out;
};

/* Which part of a literal something is: root, root.name, root[1]. Each attribute of an item is a
 * root of its own. */
struct place {
    const struct place *outer; /* NULL: the root */
    struct slice name;         /* absent: an index */
    size_t index;
    uint32_t level; /* 1: the root */
    bool item;      /* the root is an item */
};

static struct error *read_node(struct reading *r, const struct node *node,
                               const struct place *place);

static struct arena *arena_of(const struct reading *r) {
    return r->constants->arena;
}

static struct slice place_text(struct arena *arena, const struct place *place) {
    if (place->outer == NULL)
        return SLICE_LITERAL("root");
    struct slice outer = place_text(arena, place->outer);
    if (slice_present(place->name))
        return arena_printf(arena, "%.*s.%.*s", SLICE_ARGS(outer), SLICE_ARGS(place->name));
    return arena_printf(arena, "%.*s[%zu]", SLICE_ARGS(outer), place->index);
}

/* ---- scalars ---- */

static struct error *parse_number(const struct reading *r, const struct node *node,
                                  const struct place *place, struct number *ret_number) {
    enum number_status status =
        number_status_older(number_parse(node->text, ret_number), node->text);
    if (status == NUMBER_OK)
        return NULL;
    struct slice where = place_text(arena_of(r), place);
    if (status == NUMBER_INVALID)
        return error_request(arena_of(r), "%s: %.*s under %.*s", number_status_text(status),
                             SLICE_ARGS(node->text), SLICE_ARGS(where));
    return error_request(arena_of(r), "%s under %.*s", number_status_text(status),
                         SLICE_ARGS(where));
}

static struct error *read_number(struct reading *r, const struct node *node,
                                 const struct place *place) {
    struct number number;
    TRY(parse_number(r, node, place, &number));
    value_builder_scalar(&r->out, VALUE_N, number_slice(&number));
    return NULL;
}

/* ---- containers ---- */

static struct error *read_list(struct reading *r, const struct node *list,
                               const struct place *place) {
    struct place inner = {.outer = place, .level = place->level + 1};
    value_builder_open(&r->out, VALUE_L);
    for (const struct node *member = list->first; member != NULL; member = member->next) {
        TRY(read_node(r, member, &inner));
        inner.index++;
    }
    value_builder_close(&r->out);
    return NULL;
}

static struct error *read_tuple(struct reading *r, const struct node *tuple,
                                const struct place *place) {
    value_builder_open(&r->out, VALUE_M);
    for (const struct node *name = tuple->first; name != NULL; name = name->next->next) {
        const struct place inner = {.outer = place->item ? NULL : place,
                                    .name = name->text,
                                    .level = place->item ? 1 : place->level + 1};
        if (name->kind != NODE_STRING)
            return error_request(
                arena_of(r), "Unsupported data type for a key under %.*s at " POSITION_FORMAT,
                SLICE_ARGS(place_text(arena_of(r), place)), POSITION_ARGS(name->at));
        TRY(attribute_name_check(arena_of(r), name->text));
        value_builder_name(&r->out, name->text);
        TRY(read_node(r, name->next, &inner));
    }
    value_builder_close(&r->out);
    return NULL;
}

/* Only literals are members: VALUE_NONE for all others. */
static enum value_type member_type(const struct node *member) {
    return member->kind == NODE_STRING   ? VALUE_S
           : member->kind == NODE_NUMBER ? VALUE_N
                                         : VALUE_NONE;
}

static struct error *read_bag_member(struct reading *r, const struct node *member,
                                     const struct place *place) {
    struct number number;
    if (member->kind == NODE_STRING) {
        value_builder_member(&r->out, member->text);
        return NULL;
    }
    TRY(parse_number(r, member, place, &number));
    value_builder_member(&r->out, number_slice(&number));
    return NULL;
}

static bool written_twice(const struct node *bag) {
    for (const struct node *member = bag->first; member != NULL; member = member->next)
        for (const struct node *other = member->next; other != NULL; other = other->next)
            if (slice_equal(member->text, other->text))
                return true;
    return false;
}

/* Numbers that are equal and written differently are found later by the service, in other words. */
static struct error *duplicates(const struct reading *r, const struct node *bag,
                                const struct place *place) {
    struct buffer text;
    buffer_init(&text, LITERAL_BYTES_MAX);
    for (const struct node *member = bag->first; member != NULL; member = member->next) {
        buffer_append_text(&text, member == bag->first ? "" : ", ");
        buffer_append_slice(&text, member->text);
    }
    struct slice list = buffer_slice(&text);
    struct error *error =
        written_twice(bag)
            ? error_request(arena_of(r), PVI "Input collection [%.*s] contains duplicates.",
                            SLICE_ARGS(list))
            : error_request(arena_of(r),
                            PVI "Input collection [%.*s] contains duplicates! under %.*s",
                            SLICE_ARGS(list), SLICE_ARGS(place_text(arena_of(r), place)));
    buffer_release(&text);
    return error;
}

static struct error *read_bag(struct reading *r, const struct node *bag,
                              const struct place *place) {
    if (bag->count == 0)
        return error_request(arena_of(r), "Empty bags are not supported");
    enum value_type type = member_type(bag->first);
    for (const struct node *member = bag->first; member != NULL; member = member->next)
        if (type == VALUE_NONE || member_type(member) != type)
            return error_request(arena_of(r), "Unsupported data type in Bag. DynamoDB only "
                                              "supports either numbers or strings in bags");
    value_builder_open(&r->out, type == VALUE_S ? VALUE_SS : VALUE_NS);
    for (const struct node *member = bag->first; member != NULL; member = member->next)
        TRY(read_bag_member(r, member, place));
    return value_builder_close_set(&r->out) ? duplicates(r, bag, place) : NULL;
}

/* ---- values ---- */

/* What the service's parser calls it. */
static const char *class_name(const struct node *node) {
    if (node->kind == NODE_PARAMETER)
        return "Parameter";
    if (node->kind == NODE_PATH)
        return "VariableReference";
    return node->op == SIGN_IS || node->op == SIGN_IS_NOT ? "Typed" : "NAry";
}

/* A value by its text, a part of one by its class, a path of several steps without its place. */
static struct error *unsupported(const struct reading *r, const struct node *node,
                                 const struct place *place) {
    struct slice where = place_text(arena_of(r), place);
    bool inside = place->level > 1;
    if (node->kind == NODE_PATH && node->path.count > 1)
        return error_request(arena_of(r), "Unsupported data type: %s under key %.*s",
                             inside ? "Path" : "PATH", SLICE_ARGS(where));
    struct slice what = inside                    ? slice_text(class_name(node))
                        : node->kind == NODE_PATH ? node->path.first->name
                                                  : node->text;
    return error_request(arena_of(r),
                         "Unsupported data type: %.*s under key %.*s at " POSITION_FORMAT,
                         SLICE_ARGS(what), SLICE_ARGS(where), POSITION_ARGS(node->at));
}

/* A parameter is a whole value, never a part of one. */
static struct error *read_parameter(struct reading *r, const struct node *node,
                                    const struct place *place) {
    if (place->level > 1)
        return unsupported(r, node, place);
    value_builder_value(&r->out, r->constants->parameters[node->parameter]);
    return NULL;
}

static struct error *read_node(struct reading *r, const struct node *node,
                               const struct place *place) {
    if (place->level > LIMIT_NESTING)
        return error_request(arena_of(r),
                             "Nesting Levels have exceeded supported limits under %.*s",
                             SLICE_ARGS(place_text(arena_of(r), place)));
    switch (node->kind) {
    case NODE_STRING:
        value_builder_scalar(&r->out, VALUE_S, node->text);
        return NULL;
    case NODE_NUMBER:
        return read_number(r, node, place);
    case NODE_TRUE:
    case NODE_FALSE:
        value_builder_bool(&r->out, node->kind == NODE_TRUE);
        return NULL;
    case NODE_NULL:
        value_builder_null(&r->out);
        return NULL;
    case NODE_PARAMETER:
        return read_parameter(r, node, place);
    case NODE_LIST:
        return read_list(r, node, place);
    case NODE_BAG:
        return read_bag(r, node, place);
    case NODE_TUPLE:
        return read_tuple(r, node, place);
    case NODE_PATH:
    case NODE_CALL:
    case NODE_OPERATOR:
    case NODE_TYPE:
    case NODE_VALUE:
        break;
    }
    return unsupported(r, node, place);
}

static void become(struct node *node, struct value value) {
    node->kind = NODE_VALUE;
    node->value = value;
    node->first = node->last = NULL;
    node->count = 0;
}

static struct error *resolve_from(const struct constants *constants, struct node *node,
                                  const struct place *root) {
    if (node->kind == NODE_PARAMETER) {
        become(node, constants->parameters[node->parameter]);
        return NULL;
    }
    struct buffer bytes;
    buffer_init(&bytes, LITERAL_BYTES_MAX);
    struct reading r = {.constants = constants};
    value_builder_init(&r.out, &bytes, constants->arena);
    struct error *error = read_node(&r, node, root);
    if (error == NULL && bytes.overflow)
        error = item_error_too_large(constants->arena);
    if (error == NULL)
        become(node, value_builder_finish(&r.out, constants->arena));
    buffer_release(&bytes);
    return error;
}

struct error *constant_resolve(const struct constants *constants, struct node *node) {
    const struct place root = {.level = 1};
    return resolve_from(constants, node, &root);
}

struct error *constant_resolve_item(const struct constants *constants, struct node *node) {
    const struct place root = {.level = 1, .item = true};
    return resolve_from(constants, node, &root);
}

static bool is_constant(const struct node *node) {
    return node->kind != NODE_PATH && node->kind != NODE_CALL && node->kind != NODE_OPERATOR &&
           node->kind != NODE_TYPE;
}

struct error *constants_resolve(const struct constants *constants, struct node *node) {
    if (is_constant(node))
        return constant_resolve(constants, node);
    bool in = node->kind == NODE_OPERATOR && (node->op == SIGN_IN || node->op == SIGN_NOT_IN);
    for (struct node *child = node->first; child != NULL; child = child->next) {
        if (!in || child == node->first || child->kind != NODE_LIST) {
            TRY(constants_resolve(constants, child));
            continue;
        }
        for (struct node *member = child->first; member != NULL; member = member->next)
            TRY(constants_resolve(constants, member));
    }
    return NULL;
}
