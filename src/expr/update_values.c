/* update_values.c - the values that an update writes, computed from the item as it was.
 *
 * Each action's code runs on a stack of values; an absent value on it is an attribute that does not
 * exist, and what is computed from it is absent too. One small function per instruction, named in
 * opcodes.def. Memory: computed values are in the run's arena, the others belong to the item or the
 * request. */
#include "base/check.h"
#include "expr/limits.h"
#include "expr/update.h"

struct machine {
    struct update_run *run;
    struct change *change;
    struct value *stack;
    uint16_t count;
    const struct instruction *next;
};

typedef struct error *run_function(struct machine *m, const struct instruction *i);

static struct error *wrong_type(struct arena *arena) {
    return error_validation(arena,
                            "An operand in the update expression has an incorrect data type");
}

/* ADD or DELETE does not go with what the attribute holds. */
static struct error *mismatch(const struct update_run *run) {
    if (run->update->program->attribute_updates)
        return error_validation(run->arena, "Type mismatch for attribute to update");
    return wrong_type(run->arena);
}

struct error *update_too_large(struct arena *arena) {
    return error_validation(arena, "Item size to update has exceeded the maximum allowed size");
}

static struct value number_value(struct arena *arena, const struct number *number) {
    uint8_t *bytes = arena_alloc(arena, 2 + (size_t)number->len);
    bytes[0] = VALUE_N;
    bytes[1] = number->len;
    memcpy(bytes + 2, number->bytes, number->len);
    return (struct value){bytes, 2 + (size_t)number->len};
}

/* ---- instructions ---- */

static void push(struct machine *m, struct value v) {
    CHECK(m->count < m->run->update->program->stack_max);
    m->stack[m->count++] = v;
}

static struct error *run_nothing(struct machine *m, const struct instruction *i) {
    (void)m;
    (void)i;
    return NULL;
}

static struct error *run_load_path(struct machine *m, const struct instruction *i) {
    struct value v = update_find(m->run, i->a);
    if (!value_present(v))
        m->change->missing = true;
    push(m, v);
    return NULL;
}

static struct error *run_load_value(struct machine *m, const struct instruction *i) {
    push(m, m->run->update->values[i->a]);
    return NULL;
}

static struct error *run_if_not_exists(struct machine *m, const struct instruction *i) {
    struct value v = update_find(m->run, i->a);
    if (!value_present(v))
        return NULL;
    push(m, v);
    m->next = m->run->update->program->is.code + i->target;
    return NULL;
}

/* Takes two operands of one type. The second is looked at only when the first is there. */
static struct error *pop_pair(struct machine *m, enum value_type type, struct value ret_pair[2],
                              bool *ret_present) {
    CHECK(m->count >= 2);
    m->count = (uint16_t)(m->count - 2);
    bool present = true;
    for (int n = 0; n < 2 && present; n++) {
        ret_pair[n] = m->stack[m->count + n];
        present = value_present(ret_pair[n]);
        if (present && value_type(ret_pair[n]) != type)
            return wrong_type(m->run->arena);
    }
    *ret_present = present;
    return NULL;
}

typedef enum number_status number_operation(struct slice a, struct slice b, struct number *ret);

static struct error *arithmetic(struct machine *m, number_operation *operation) {
    struct value pair[2], result = VALUE_ABSENT;
    bool present;
    TRY(pop_pair(m, VALUE_N, pair, &present));
    if (present) {
        struct number number;
        enum number_status status =
            operation(value_scalar(pair[0]), value_scalar(pair[1]), &number);
        if (status == NUMBER_OK)
            result = number_value(m->run->arena, &number);
        else
            m->change->number_status = status;
    }
    push(m, result);
    return NULL;
}

static struct error *run_plus(struct machine *m, const struct instruction *i) {
    (void)i;
    return arithmetic(m, number_add);
}

static struct error *run_minus(struct machine *m, const struct instruction *i) {
    (void)i;
    return arithmetic(m, number_subtract);
}

/* Nothing grows without limit here: each call may copy what the one within it copied. */
static struct error *concatenate(struct update_run *run, const struct value pair[2],
                                 struct value *ret_list) {
    size_t first = pair[0].len - CONTAINER_HEADER, second = pair[1].len - CONTAINER_HEADER;
    run->appended += first + second;
    if (run->appended > UPDATE_BYTES_MAX)
        return update_too_large(run->arena);
    uint8_t *bytes = arena_alloc(run->arena, CONTAINER_HEADER + first + second);
    bytes[0] = VALUE_L;
    store_u32(bytes + 1, (uint32_t)(first + second));
    store_u32(bytes + 5, value_count(pair[0]) + value_count(pair[1]));
    memcpy(bytes + CONTAINER_HEADER, pair[0].bytes + CONTAINER_HEADER, first);
    memcpy(bytes + CONTAINER_HEADER + first, pair[1].bytes + CONTAINER_HEADER, second);
    *ret_list = (struct value){bytes, CONTAINER_HEADER + first + second};
    return NULL;
}

static struct error *run_list_append(struct machine *m, const struct instruction *i) {
    (void)i;
    struct value pair[2], result = VALUE_ABSENT;
    bool present;
    TRY(pop_pair(m, VALUE_L, pair, &present));
    if (present)
        TRY(concatenate(m->run, pair, &result));
    push(m, result);
    return NULL;
}

static run_function *const runs[OPCODE_COUNT] = {
#define UPDATE_OPCODE(symbol, name, check, run) [OP_##symbol] = run,
#include "expr/opcodes.def"
};

static struct error *run_code(struct machine *m, const struct action *action) {
    const struct instruction *code = m->run->update->program->is.code;
    const struct instruction *end = code + action->code_first + action->code_count;
    m->count = 0;
    m->next = code + action->code_first;
    while (m->next < end) {
        const struct instruction *i = m->next++;
        TRY(runs[i->op](m, i));
    }
    CHECK(m->count == 1);
    return NULL;
}

/* ---- sets ---- */

struct set_writer {
    uint8_t *bytes;
    size_t len;
    uint32_t count;
};

static void write_member(struct set_writer *w, struct slice member) {
    w->len += varint_encode(w->bytes + w->len, (uint32_t)member.len);
    if (member.len > 0)
        memcpy(w->bytes + w->len, member.data, member.len);
    w->len += member.len;
    w->count++;
}

static struct value finish_set(struct set_writer *w, enum value_type type) {
    w->bytes[0] = (uint8_t)type;
    store_u32(w->bytes + 1, (uint32_t)(w->len - CONTAINER_HEADER));
    store_u32(w->bytes + 5, w->count);
    return (struct value){w->bytes, w->len};
}

/* Both sets are sorted. With `both`, the union; else what only the first has. */
static struct value merge_sets(struct arena *arena, struct value first, struct value second,
                               bool both) {
    struct set_writer w = {.bytes = arena_alloc(arena, first.len + second.len),
                           .len = CONTAINER_HEADER};
    struct value_iter a, b;
    value_iter_init(&a, first);
    value_iter_init(&b, second);
    bool has_a = value_iter_next(&a), has_b = value_iter_next(&b);
    while (has_a || has_b) {
        int order = !has_a ? 1 : !has_b ? -1 : slice_compare(a.member, b.member);
        if (order < 0 || (order == 0 && both))
            write_member(&w, a.member);
        else if (order > 0 && both)
            write_member(&w, b.member);
        if (order <= 0)
            has_a = value_iter_next(&a);
        if (order >= 0)
            has_b = value_iter_next(&b);
    }
    return finish_set(&w, value_type(first));
}

/* ---- actions ---- */

static void add_numbers(struct update_run *run, struct value old, struct change *change) {
    struct number sum;
    change->number_status = number_add(value_scalar(old), value_scalar(change->value), &sum);
    if (change->number_status == NUMBER_OK)
        change->value = number_value(run->arena, &sum);
}

/* The operand of ADD and DELETE is in change->value. */
static struct error *add(struct update_run *run, struct value old, struct change *change) {
    change->outcome = OUTCOME_WRITE;
    if (!value_present(old))
        return NULL;
    if (value_type(old) != value_type(change->value))
        return mismatch(run);
    if (value_type(old) == VALUE_L)
        return concatenate(run, (const struct value[2]){old, change->value}, &change->value);
    if (value_type(old) == VALUE_N)
        add_numbers(run, old, change);
    else
        change->value = merge_sets(run->arena, old, change->value, true);
    return NULL;
}

/* A set that has lost its last member goes. */
static struct error *delete (struct update_run *run, struct value old, struct change *change) {
    if (!value_present(old))
        return NULL;
    if (value_type(old) != value_type(change->value))
        return mismatch(run);
    change->value = merge_sets(run->arena, old, change->value, false);
    change->outcome = value_count(change->value) > 0 ? OUTCOME_WRITE : OUTCOME_REMOVE;
    return NULL;
}

static struct error *compute(struct machine *m, const struct action *action) {
    struct update_run *run = m->run;
    struct change *change = m->change;
    if (action->section == SECTION_REMOVE) {
        change->outcome = OUTCOME_REMOVE;
        return NULL;
    }
    TRY(run_code(m, action));
    change->value = m->stack[0];
    if (action->section == SECTION_SET) {
        change->outcome = OUTCOME_WRITE;
        return NULL;
    }
    struct value old = update_find(run, action->path);
    return action->section == SECTION_ADD ? add(run, old, change) : delete (run, old, change);
}

struct error *update_compute(struct update_run *run) {
    const struct expr_program *program = run->update->program;
    struct machine m = {.run = run};
    m.stack = arena_alloc(run->arena, program->stack_max * sizeof(*m.stack));
    run->changes = ARENA_ARRAY(run->arena, struct change, program->is.action_count);
    for (uint16_t i = 0; i < program->is.action_count; i++) {
        m.change = &run->changes[i];
        TRY(compute(&m, &program->is.actions[i]));
    }
    return NULL;
}
