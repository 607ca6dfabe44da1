/* evaluate.c - whether a condition holds for an item.
 *
 * The machine has one register, the truth value of the last test, and some room to put it by; AND
 * and OR are jumps over the tests that need not run. Nothing is allocated: operands are slices of
 * the item or of the request, and the result of size() is written to the stack. Many paths in a
 * large item are found in one pass over it before the first test. One small function per
 * instruction, named in opcodes.def.
 *
 * An attribute that is not there makes every test false, except <> and attribute_not_exists(). */
#include "base/check.h"
#include "expr/bind.h"
#include "expr/limits.h"

struct machine {
    const struct expr *expr;
    struct value item;
    const uint32_t *places; /* of the paths in the item; NULL: each is looked up */
    const struct instruction *next;
    bool truth;
    uint8_t kept_count;
    uint64_t kept[EXPR_KEPT_MAX / 64]; /* a bit each */
};

typedef void run_function(struct machine *m, const struct instruction *i);

/* ---- operands ---- */

/* Room for a number that is no part of the item. */
struct size_value {
    uint8_t bytes[2 + NUMBER_BYTES_MAX];
};

/* The service counts as Java does: a character outside the first 65,536 counts twice. */
static int64_t utf16_length(struct slice text) {
    int64_t units = 0;
    for (size_t i = 0; i < text.len; i++)
        units += ((text.data[i] & 0xC0) != 0x80) + (text.data[i] >= 0xF0);
    return units;
}

static bool size_of(struct value v, int64_t *ret_size) {
    switch (value_type(v)) {
    case VALUE_S:
        *ret_size = utf16_length(value_scalar(v));
        return true;
    case VALUE_B:
        *ret_size = (int64_t)value_scalar(v).len;
        return true;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        *ret_size = value_count(v);
        return true;
    case VALUE_NONE:
    case VALUE_N:
    case VALUE_BOOL:
    case VALUE_NULL:
        break;
    }
    return false;
}

static struct value size_operand(struct value v, struct size_value *room) {
    int64_t size;
    if (!size_of(v, &size))
        return VALUE_ABSENT;
    struct number number;
    number_from_int(size, &number);
    room->bytes[0] = VALUE_N;
    room->bytes[1] = number.len;
    memcpy(room->bytes + 2, number.bytes, number.len);
    return (struct value){room->bytes, 2 + (size_t)number.len};
}

static inline struct value path_value(const struct machine *m, uint16_t path) {
    return m->places == NULL ? path_find(m->expr->paths[path], m->item)
                             : path_place_value(m->item, m->places[path]);
}

static inline struct value operand_value(const struct machine *m, const struct instruction *i,
                                         uint16_t n, struct size_value *room) {
    const struct operand *operand = &m->expr->program->is.operands[i->a + n];
    struct value v = operand->kind == OPERAND_PATH ? path_value(m, operand->index)
                                                   : m->expr->values[operand->index];
    return operand->sizes == 0 ? v : size_operand(v, room);
}

/* ---- comparisons ---- */

static bool operands_equal(const struct machine *m, const struct instruction *i) {
    struct size_value room[2];
    struct value a = operand_value(m, i, 0, &room[0]);
    if (!value_present(a))
        return false;
    struct value b = operand_value(m, i, 1, &room[1]);
    return value_present(b) && value_equal(a, b);
}

static void run_equal(struct machine *m, const struct instruction *i) {
    m->truth = operands_equal(m, i);
}

static void run_not_equal(struct machine *m, const struct instruction *i) {
    m->truth = !operands_equal(m, i);
}

/* False when the values have no order between them. */
static bool values_order(struct value a, struct value b, int *ret_order) {
    enum value_type type = value_type(a);
    if (type != value_type(b) || (type != VALUE_S && type != VALUE_N && type != VALUE_B))
        return false;
    *ret_order = value_compare(a, b);
    return true;
}

static bool operands_order(const struct machine *m, const struct instruction *i, int *ret_order) {
    struct size_value room[2];
    struct value a = operand_value(m, i, 0, &room[0]);
    struct value b = operand_value(m, i, 1, &room[1]);
    return values_order(a, b, ret_order);
}

static void run_less(struct machine *m, const struct instruction *i) {
    int order;
    m->truth = operands_order(m, i, &order) && order < 0;
}

static void run_less_or_equal(struct machine *m, const struct instruction *i) {
    int order;
    m->truth = operands_order(m, i, &order) && order <= 0;
}

static void run_greater(struct machine *m, const struct instruction *i) {
    int order;
    m->truth = operands_order(m, i, &order) && order > 0;
}

static void run_greater_or_equal(struct machine *m, const struct instruction *i) {
    int order;
    m->truth = operands_order(m, i, &order) && order >= 0;
}

static void run_between(struct machine *m, const struct instruction *i) {
    struct size_value room[3];
    struct value v = operand_value(m, i, 0, &room[0]);
    struct value low = operand_value(m, i, 1, &room[1]);
    struct value high = operand_value(m, i, 2, &room[2]);
    int order;
    m->truth =
        values_order(low, v, &order) && order <= 0 && values_order(v, high, &order) && order <= 0;
}

static void run_in(struct machine *m, const struct instruction *i) {
    struct size_value room[2];
    struct value v = operand_value(m, i, 0, &room[0]);
    m->truth = false;
    for (uint16_t n = 1; n < i->b && value_present(v) && !m->truth; n++)
        m->truth = value_equal(v, operand_value(m, i, n, &room[1]));
}

/* ---- functions ---- */

static void run_exists(struct machine *m, const struct instruction *i) {
    struct size_value room;
    m->truth = value_present(operand_value(m, i, 0, &room));
}

static void run_not_exists(struct machine *m, const struct instruction *i) {
    run_exists(m, i);
    m->truth = !m->truth;
}

static void run_attribute_type(struct machine *m, const struct instruction *i) {
    struct size_value room[2];
    struct value v = operand_value(m, i, 0, &room[0]);
    struct value name = operand_value(m, i, 1, &room[1]);
    m->truth = value_present(v) && value_type(v) == value_type_from_name(value_scalar(name));
}

static void run_begins_with(struct machine *m, const struct instruction *i) {
    struct size_value room[2];
    struct value v = operand_value(m, i, 0, &room[0]);
    struct value prefix = operand_value(m, i, 1, &room[1]);
    enum value_type type = value_type(v);
    m->truth = (type == VALUE_S || type == VALUE_B) && type == value_type(prefix) &&
               slice_starts_with(value_scalar(v), value_scalar(prefix));
}

static bool bytes_contain(struct slice bytes, struct slice part) {
    if (part.len == 0)
        return true;
    return bytes.len >= part.len && memmem(bytes.data, bytes.len, part.data, part.len) != NULL;
}

static bool list_contains(struct value list, struct value wanted) {
    struct value_iter iter;
    value_iter_init(&iter, list);
    while (value_iter_next(&iter))
        if (value_equal(iter.value, wanted))
            return true;
    return false;
}

/* Part of a string or binary, member of a set, element of a list. */
static bool value_contains(struct value v, struct value wanted) {
    enum value_type type = value_type(v);
    if (!value_present(wanted))
        return false;
    if (type == VALUE_S || type == VALUE_B)
        return value_type(wanted) == type && bytes_contain(value_scalar(v), value_scalar(wanted));
    if (value_type_is_set(type))
        return value_type(wanted) == value_member_type(type) &&
               value_set_has(v, value_scalar(wanted));
    return type == VALUE_L && list_contains(v, wanted);
}

static void run_contains(struct machine *m, const struct instruction *i) {
    struct size_value room[2];
    struct value v = operand_value(m, i, 0, &room[0]);
    m->truth = value_present(v) && value_contains(v, operand_value(m, i, 1, &room[1]));
}

/* ---- control ---- */

static void run_not(struct machine *m, const struct instruction *i) {
    (void)i;
    m->truth = !m->truth;
}

static void run_jump_if_false(struct machine *m, const struct instruction *i) {
    if (!m->truth)
        m->next = m->expr->program->is.code + i->target;
}

static void run_jump_if_true(struct machine *m, const struct instruction *i) {
    if (m->truth)
        m->next = m->expr->program->is.code + i->target;
}

static void run_keep(struct machine *m, const struct instruction *i) {
    (void)i;
    CHECK(m->kept_count < EXPR_KEPT_MAX);
    uint64_t bit = 1ull << (m->kept_count % 64), *word = &m->kept[m->kept_count / 64];
    *word = m->truth ? *word | bit : *word & ~bit;
    m->kept_count++;
}

static void run_same(struct machine *m, const struct instruction *i) {
    (void)i;
    m->kept_count--;
    m->truth = m->truth == (m->kept[m->kept_count / 64] >> (m->kept_count % 64) & 1);
}

static run_function *const runs[OPCODE_COUNT] = {
#define CONDITION_OPCODE(symbol, name, check, run) [OP_##symbol] = run,
#include "expr/opcodes.def"
};

/* Jumps go forward only, so this ends. */
static bool run_code(const struct expr *condition, struct value item, const uint32_t *places) {
    const struct program_arrays *is = &condition->program->is;
    struct machine m = {.expr = condition, .item = item, .places = places, .next = is->code};
    const struct instruction *end = is->code + is->code_count;
    while (m.next < end) {
        const struct instruction *i = m.next++;
        runs[i->op](&m, i);
    }
    return m.truth;
}

/* 64 KB of stack, so it stands apart from the usual case. */
__attribute__((noinline)) static bool holds_in_one_pass(const struct expr *condition,
                                                        struct value item) {
    uint32_t places[PROGRAM_PATHS_MAX];
    CHECK(condition->path_set.count <= PROGRAM_PATHS_MAX);
    path_set_find(&condition->path_set, item, (struct path_places){.values = places});
    return run_code(condition, item, places);
}

bool expr_holds(const struct expr *condition, struct value item) {
    enum expr_kind kind = condition->program->kind;
    CHECK(kind != EXPR_UPDATE && kind != EXPR_PROJECTION);
    if (expr_finds_in_one_pass(condition, item))
        return holds_in_one_pass(condition, item);
    return run_code(condition, item, NULL);
}
