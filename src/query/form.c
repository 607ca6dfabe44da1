/* form.c - see form.h. */
#include "query/form.h"

#include "http/percent.h"

/* A plus is a blank here. */
static struct slice decode(struct arena *arena, struct slice text) {
    if (text.len > 0 && memchr(text.data, '+', text.len) != NULL) {
        uint8_t *blanks = arena_copy(arena, text.data, text.len);
        for (size_t i = 0; i < text.len; i++)
            if (blanks[i] == '+')
                blanks[i] = ' ';
        text = slice_of(blanks, text.len);
    }
    return percent_decode(arena, text);
}

static struct form_field read_field(struct arena *arena, struct slice pair) {
    const uint8_t *sign = memchr(pair.data, '=', pair.len);
    size_t len = sign == NULL ? pair.len : (size_t)(sign - pair.data);
    struct slice value = sign == NULL ? SLICE_LITERAL("") : slice_skip(pair, len + 1);
    return (struct form_field){decode(arena, slice_first(pair, len)), decode(arena, value)};
}

static size_t count_pairs(struct slice body) {
    size_t count = 1;
    for (size_t i = 0; i < body.len; i++)
        count += body.data[i] == '&';
    return count;
}

/* The next pair, and what is behind it. */
static struct slice take_pair(struct slice *body) {
    const uint8_t *end = memchr(body->data, '&', body->len);
    size_t len = end == NULL ? body->len : (size_t)(end - body->data);
    struct slice pair = slice_first(*body, len);
    *body = slice_skip(*body, end == NULL ? len : len + 1);
    return pair;
}

bool form_read_within(struct arena *arena, struct slice body, size_t bytes_max, size_t fields_max,
                      struct form *ret_form) {
    size_t room = body.len > bytes_max ? 0 : count_pairs(body);
    if (room == 0 || room > fields_max)
        return false;
    *ret_form = (struct form){ARENA_ARRAY(arena, struct form_field, room), 0};
    while (body.len > 0) {
        struct slice pair = take_pair(&body);
        if (pair.len > 0)
            ret_form->fields[ret_form->count++] = read_field(arena, pair);
    }
    return true;
}

bool form_read(struct arena *arena, struct slice body, struct form *ret_form) {
    return form_read_within(arena, body, FORM_BYTES_MAX, FORM_FIELDS_MAX, ret_form);
}

struct slice form_peek(struct arena *arena, struct slice body, const char *name) {
    size_t len = strlen(name);
    while (body.len > 0) {
        struct slice pair = take_pair(&body);
        if (pair.len > len && pair.data[len] == '=' && memcmp(pair.data, name, len) == 0)
            return decode(arena, slice_skip(pair, len + 1));
    }
    return SLICE_NONE;
}

struct slice form_find(const struct form *form, const char *name) {
    for (size_t i = 0; i < form->count; i++)
        if (slice_is(form->fields[i].name, name))
            return form->fields[i].value;
    return SLICE_NONE;
}
