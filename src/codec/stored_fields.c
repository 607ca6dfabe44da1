/* stored_fields.c - the members of a struct as entries of a flat map, and back, by a list of
 * fields. Threads: any; no shared state. */
#include "codec/stored_fields.h"

/* ---- writing ---- */

static void write_name(struct value_builder *out, const char *name) {
    value_builder_name(out, slice_text(name));
}

static void write_int(struct value_builder *out, const char *name, int64_t n) {
    struct number number;
    number_from_int(n, &number);
    write_name(out, name);
    value_builder_scalar(out, VALUE_N, number_slice(&number));
}

static void write_text(struct value_builder *out, const char *name, struct slice text) {
    write_name(out, name);
    value_builder_scalar(out, VALUE_S, text);
}

static void write_field(struct value_builder *out, const struct stored_field *field,
                        const void *member) {
    int64_t n;
    int word;
    switch (field->kind) {
    case STORED_TEXT:
        if (slice_present(*(const struct slice *)member))
            write_text(out, field->name, *(const struct slice *)member);
        break;
    case STORED_INT:
    case STORED_UNITS:
        memcpy(&n, member, sizeof(n));
        if (n != (field->kind == STORED_INT ? 0 : -1))
            write_int(out, field->name, n);
        break;
    case STORED_ID:
        if (*(const uint32_t *)member != 0)
            write_int(out, field->name, *(const uint32_t *)member);
        break;
    case STORED_BOOL:
        if (*(const bool *)member) {
            write_name(out, field->name);
            value_builder_bool(out, true);
        }
        break;
    case STORED_WORD:
        memcpy(&word, member, sizeof(word));
        write_text(out, field->name, slice_text(field->words->texts[word]));
        break;
    }
}

void stored_fields_write(struct value_builder *out, const struct stored_field *fields,
                         const void *base) {
    for (const struct stored_field *field = fields; field->name != NULL; field++)
        write_field(out, field, (const char *)base + field->offset);
}

/* ---- reading ---- */

static bool read_int(struct value value, int64_t *ret_n) {
    return value_type(value) == VALUE_N && number_to_int(value_scalar(value), ret_n);
}

static bool read_id(struct value value, void *member) {
    int64_t n;
    if (!read_int(value, &n) || n < 0 || n > UINT32_MAX)
        return false;
    *(uint32_t *)member = (uint32_t)n;
    return true;
}

static bool read_word(struct value value, const char *const *texts, void *member) {
    if (value_type(value) != VALUE_S)
        return false;
    struct slice text = value_scalar(value);
    for (int word = 0; texts[word] != NULL; word++) {
        if (slice_is(text, texts[word])) {
            memcpy(member, &word, sizeof(word));
            return true;
        }
    }
    return false;
}

/* False when the entry is not what the field wants. */
static bool read_field(struct value value, const struct stored_field *field, void *member) {
    switch (field->kind) {
    case STORED_TEXT:
        if (value_type(value) != VALUE_S)
            return false;
        *(struct slice *)member = value_scalar(value);
        return true;
    case STORED_INT:
    case STORED_UNITS:
        return read_int(value, member);
    case STORED_ID:
        return read_id(value, member);
    case STORED_BOOL:
        if (value_type(value) != VALUE_BOOL)
            return false;
        *(bool *)member = value_bool(value);
        return true;
    case STORED_WORD:
        return read_word(value, field->words->texts, member);
    }
    return false;
}

const char *stored_fields_read(struct value map, const struct stored_field *fields, void *base) {
    static const int64_t unset = -1;
    for (const struct stored_field *field = fields; field->name != NULL; field++) {
        void *member = (char *)base + field->offset;
        struct value value = value_map_find(map, slice_text(field->name));
        if (value_present(value)) {
            if (!read_field(value, field, member))
                return field->name;
        } else if (field->kind == STORED_UNITS) {
            memcpy(member, &unset, sizeof(unset));
        }
    }
    return NULL;
}
