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
    return (struct form_field){decode(arena, slice_of(pair.data, len)), decode(arena, value)};
}

static size_t count_pairs(struct slice body) {
    size_t count = 1;
    for (size_t i = 0; i < body.len; i++)
        count += body.data[i] == '&';
    return count;
}

bool form_read(struct arena *arena, struct slice body, struct form *ret_form) {
    size_t room = body.len > FORM_BYTES_MAX ? 0 : count_pairs(body);
    if (room == 0 || room > FORM_FIELDS_MAX)
        return false;
    *ret_form = (struct form){ARENA_ARRAY(arena, struct form_field, room), 0};
    while (body.len > 0) {
        const uint8_t *end = memchr(body.data, '&', body.len);
        size_t len = end == NULL ? body.len : (size_t)(end - body.data);
        if (len > 0)
            ret_form->fields[ret_form->count++] = read_field(arena, slice_of(body.data, len));
        body = slice_skip(body, end == NULL ? len : len + 1);
    }
    return true;
}

struct slice form_find(const struct form *form, const char *name) {
    for (size_t i = 0; i < form->count; i++)
        if (slice_is(form->fields[i].name, name))
            return form->fields[i].value;
    return SLICE_NONE;
}
