/* update_apply.c - the new item, written in one pass over the old one.
 *
 * The targets are a tree whose children are sorted as the entries of a map are, so the old item and
 * the tree are walked side by side: stretches without a change are copied whole, changed entries
 * are replaced, new ones go where they belong in the order. The result is canonical because the old
 * item was. Only targets within a map or list recurse, as deep as the longest path.
 *
 * Memory: one block of the arena, as large as the old item and all new values together. */
#include "base/check.h"
#include "expr/limits.h"
#include "expr/update.h"

struct writer {
    const struct update_run *run;
    uint8_t *next;
    uint8_t *end;
};

static void write_bytes(struct writer *w, const uint8_t *bytes, size_t size) {
    CHECK((size_t)(w->end - w->next) >= size);
    memcpy(w->next, bytes, size);
    w->next += size;
}

static void write_name(struct writer *w, struct slice name) {
    CHECK((size_t)(w->end - w->next) >= VARINT_BYTES_MAX + name.len);
    w->next += varint_encode(w->next, (uint32_t)name.len);
    if (name.len > 0)
        memcpy(w->next, name.data, name.len);
    w->next += name.len;
}

static void write_value(struct writer *w, struct value v) {
    write_bytes(w, v.bytes, v.len);
}

/* The header is filled in by finish_container(). */
static uint8_t *begin_container(struct writer *w, enum value_type type) {
    uint8_t header[CONTAINER_HEADER] = {(uint8_t)type}, *at = w->next;
    write_bytes(w, header, sizeof(header));
    return at;
}

static void finish_container(const struct writer *w, uint8_t *header, uint32_t count) {
    store_u32(header + 1, (uint32_t)(w->next - header - CONTAINER_HEADER));
    store_u32(header + 5, count);
}

static enum outcome leaf_outcome(const struct writer *w, const struct path_node *node) {
    return node->leaf == LEAF_NONE ? OUTCOME_KEEP : w->run->changes[node->leaf].outcome;
}

static void write_container(struct writer *w, const struct path_node *node, struct value old);

/* What becomes of an element that is there: 1 when it stays in some form, 0 when it goes. */
static uint32_t write_changed(struct writer *w, const struct path_node *node, struct value old) {
    if (node->leaf == LEAF_NONE) {
        write_container(w, node, old);
        return 1;
    }
    if (leaf_outcome(w, node) != OUTCOME_WRITE)
        return 0;
    write_value(w, w->run->changes[node->leaf].value);
    return 1;
}

/* ---- maps ---- */

static uint32_t write_new_entry(struct writer *w, const struct path_node *node) {
    if (leaf_outcome(w, node) != OUTCOME_WRITE)
        return 0;
    write_name(w, node->element.name);
    write_value(w, w->run->changes[node->leaf].value);
    return 1;
}

static uint32_t write_old_entry(struct writer *w, const struct path_node *node,
                                const struct value_iter *entry) {
    if (leaf_outcome(w, node) == OUTCOME_REMOVE)
        return 0;
    write_name(w, entry->name);
    return write_changed(w, node, entry->value);
}

/* The entries from `run`, where the writer is behind, to `at`. */
static void copy_run(struct writer *w, const uint8_t *run, const uint8_t *at) {
    if (at > run)
        write_bytes(w, run, (size_t)(at - run));
}

static uint32_t write_map(struct writer *w, const struct path_node *node, struct value old) {
    const struct path_node *child = node->children, *end = child + node->child_count;
    uint32_t count = value_count(old);
    struct value_iter iter;
    value_iter_init(&iter, old);
    const uint8_t *run = iter.next; /* what stands before here is written */
    for (const uint8_t *entry = run; child < end && value_iter_next(&iter); entry = iter.next) {
        int order = 1;
        while (child < end && (order = slice_compare(child->element.name, iter.name)) < 0) {
            copy_run(w, run, entry);
            run = entry;
            count += write_new_entry(w, child++);
        }
        if (child == end || order > 0)
            continue;
        copy_run(w, run, entry);
        run = iter.next;
        count = count - 1 + write_old_entry(w, child++, &iter);
    }
    copy_run(w, run, old.bytes + old.len);
    while (child < end)
        count += write_new_entry(w, child++);
    return count;
}

/* ---- lists ---- */

/* Indexes are those of the old list. What is set past its end is appended, in order. */
static uint32_t write_list(struct writer *w, const struct path_node *node, struct value old) {
    const struct path_node *child = node->children, *end = child + node->child_count;
    uint32_t count = 0, index = 0;
    struct value_iter iter;
    value_iter_init(&iter, old);
    for (; value_iter_next(&iter); index++) {
        if (child < end && child->element.index == index) {
            count += write_changed(w, child++, iter.value);
        } else {
            write_value(w, iter.value);
            count++;
        }
    }
    for (; child < end; child++) {
        if (leaf_outcome(w, child) != OUTCOME_WRITE)
            continue;
        write_value(w, w->run->changes[child->leaf].value);
        count++;
    }
    return count;
}

static void write_container(struct writer *w, const struct path_node *node, struct value old) {
    enum value_type type = value_type(old);
    bool by_index = path_element_is_index(&node->children[0].element);
    if (type != (by_index ? VALUE_L : VALUE_M)) {
        write_value(w, old); /* only REMOVE comes here, when the item is new */
        return;
    }
    uint8_t *header = begin_container(w, type);
    uint32_t count = by_index ? write_list(w, node, old) : write_map(w, node, old);
    finish_container(w, header, count);
}

/* ---- the whole ---- */

/* The old item, and for every value written its own bytes and those of its name. */
static size_t size_bound(const struct update_run *run) {
    const struct program_arrays *is = &run->update->program->is;
    size_t size = run->item.len;
    for (uint16_t i = 0; i < is->action_count; i++) {
        struct path target = run->update->paths[is->actions[i].path];
        if (run->changes[i].outcome == OUTCOME_WRITE)
            size += run->changes[i].value.len;
        size += VARINT_BYTES_MAX + target.elements[target.count - 1].name.len;
    }
    return size;
}

struct error *update_apply(const struct update_run *run, struct value *ret_item) {
    size_t size = size_bound(run);
    if (size > UPDATE_BYTES_MAX)
        return update_too_large(run->arena);
    struct writer w = {.run = run, .next = arena_alloc(run->arena, size)};
    uint8_t *start = w.next;
    w.end = start + size;
    write_container(&w, run->update->tree, run->item);
    *ret_item = (struct value){start, (size_t)(w.next - start)};
    return NULL;
}
