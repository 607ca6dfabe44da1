/* program.c - the block that holds a program, and its references. */
#include "expr/program.h"

#include <stdlib.h>

#include "base/check.h"

static const char *const opcode_names[OPCODE_COUNT] = {
#define CONDITION_OPCODE(symbol, name, check, run) name,
#define UPDATE_OPCODE(symbol, name, check, run) name,
#include "expr/opcodes.def"
};

const char *opcode_name(enum opcode op) {
    return opcode_names[op];
}

/* Hands out the parts of the block, or, with no block yet, counts its bytes. */
struct packer {
    uint8_t *block;
    size_t used;
};

static void *pack_bytes(struct packer *packer, const void *data, size_t size, size_t alignment) {
    packer->used = (packer->used + alignment - 1) & ~(alignment - 1);
    void *copy = packer->block == NULL ? NULL : packer->block + packer->used;
    packer->used += size;
    if (copy != NULL && size > 0)
        memcpy(copy, data, size);
    return copy;
}

#define PACK(packer, array, count) \
    pack_bytes((packer), (array), sizeof(*(array)) * (count), _Alignof(struct expr_program))

static void pack_texts(struct packer *packer, struct slice *to, const struct slice *from,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *text = pack_bytes(packer, from[i].data, from[i].len, 1);
        if (to != NULL)
            to[i] = slice_of(text, from[i].len);
    }
}

static void pack_elements(struct packer *packer, struct path_element *to,
                          const struct program_arrays *from) {
    for (size_t i = 0; i < from->element_count; i++) {
        const struct path_element *element = &from->elements[i];
        if (path_element_is_index(element) || from->element_slots[i] != SLOT_NONE)
            continue;
        pack_texts(packer, to == NULL ? NULL : &to[i].name, &element->name, 1);
    }
}

/* Called twice: first to count, then to copy. */
static void pack(struct packer *packer, const struct expr_program *draft) {
    struct expr_program *program = PACK(packer, draft, 1);
    const struct program_arrays *from = &draft->is;
    struct program_arrays to = *from;
    to.names = PACK(packer, from->names, from->name_count);
    to.values = PACK(packer, from->values, from->value_count);
    to.elements = PACK(packer, from->elements, from->element_count);
    to.element_slots = PACK(packer, from->element_slots, from->element_count);
    to.paths = PACK(packer, from->paths, from->path_count);
    to.operands = PACK(packer, from->operands, from->operand_count);
    to.code = PACK(packer, from->code, from->code_count);
    to.actions = PACK(packer, from->actions, from->action_count);
    to.key_conditions = PACK(packer, from->key_conditions, from->key_condition_count);
    pack_texts(packer, to.names, from->names, from->name_count);
    pack_texts(packer, to.values, from->values, from->value_count);
    pack_elements(packer, to.elements, from);
    if (program != NULL)
        program->is = to;
}

struct expr_program *program_pack(const struct expr_program *draft) {
    struct packer counter = {0};
    pack(&counter, draft);
    struct packer packer = {.block = malloc(counter.used)};
    CHECK(packer.block != NULL);
    pack(&packer, draft);
    CHECK(packer.used == counter.used);
    struct expr_program *program = (struct expr_program *)(void *)packer.block;
    program->bytes = packer.used;
    atomic_init(&program->references, 1);
    return program;
}

struct expr_program *program_ref(struct expr_program *program) {
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    return program;
}

void expr_program_unref(struct expr_program *program) {
    if (program == NULL)
        return;
    if (atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel) == 1)
        free(program);
}
