/* value_builder.h - writing flat values.
 *
 * A builder appends to a buffer. Containers are opened, filled and closed; closing sorts a map's
 * entries and a set's members, so the result is canonical. Open containers nest.
 *
 *     struct value_builder b;
 *     value_builder_init(&b, &buffer, scratch);
 *     value_builder_open(&b, VALUE_M);
 *     value_builder_name(&b, SLICE_LITERAL("pk"));
 *     value_builder_scalar(&b, VALUE_S, text);
 *     value_builder_close(&b);
 *
 * When a map gets a name twice, the later entry wins. Duplicate set members are the caller's
 * business: see value_builder_close_set(). Scratch memory is used while closing and given back. */
#ifndef GRAMME_MODEL_VALUE_BUILDER_H
#define GRAMME_MODEL_VALUE_BUILDER_H

#include "base/arena.h"
#include "model/value.h"

/* An open container needs no memory of its own: until it closes, its header in the buffer holds
 * where the next outer one starts. */
struct value_builder {
    struct buffer *out;
    struct arena *scratch;
    size_t start;   /* of the innermost open container's tag, or VALUE_BUILDER_NONE */
    uint32_t count; /* of its elements so far */
    uint32_t lost;  /* containers opened after the buffer was full */
};

#define VALUE_BUILDER_NONE ((size_t)UINT32_MAX)

void value_builder_init(struct value_builder *builder, struct buffer *out, struct arena *scratch);

/* Before each entry of a map. */
void value_builder_name(struct value_builder *builder, struct slice name);

void value_builder_null(struct value_builder *builder);
void value_builder_bool(struct value_builder *builder, bool truth);
/* S, B, and N with a canonical number. */
void value_builder_scalar(struct value_builder *builder, enum value_type type, struct slice bytes);
/* An entry of a map at once: its name, and the same. */
void value_builder_entry(struct value_builder *builder, struct slice name, enum value_type type,
                         struct slice bytes);
/* A finished value, as it is. */
void value_builder_value(struct value_builder *builder, struct value value);
/* One member of the open set. */
void value_builder_member(struct value_builder *builder, struct slice member);

void value_builder_open(struct value_builder *builder, enum value_type type);
void value_builder_close(struct value_builder *builder);
/* As close, for a set; duplicates are dropped, and reported: true when there were any. */
bool value_builder_close_set(struct value_builder *builder);

/* value_builder_mark() says where the next value will stand; when just that value has been written
 * (and nothing opened is still open), value_builder_drop() takes it back. */
static inline size_t value_builder_mark(const struct value_builder *builder) {
    return builder->out->len;
}
void value_builder_drop(struct value_builder *builder, size_t mark);

/* Everything written so far, which must be one finished value, copied into the arena. */
struct value value_builder_finish(struct value_builder *builder, struct arena *arena);

#endif
