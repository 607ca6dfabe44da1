/* input.c - see input.h. */
#include "service/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/date.h"

enum { ERRORS_MAX = 10, ECHO_MAX = 256, TEXT_MAX = 16 * 1024, NUMBER_CHARACTERS_MAX = 64 };

/* ---- values ---- */

/* Also of a text that is one. */
static bool read_number(const struct json_value *value, double *ret_n) {
    char text[NUMBER_CHARACTERS_MAX + 1] = {0}, *end;
    if (value->kind != JSON_INTEGER && value->kind != JSON_DECIMAL && value->kind != JSON_STRING)
        return false;
    if (value->text.len == 0 || value->text.len > NUMBER_CHARACTERS_MAX)
        return false;
    memcpy(text, value->text.data, value->text.len);
    *ret_n = strtod(text, &end);
    return *end == 0;
}

double input_number_of(const struct json_value *value) {
    double n;
    return read_number(value, &n) ? n : 0;
}

static bool is_integer(const struct json_value *value) {
    double n;
    return read_number(value, &n) && n >= INT32_MIN && n <= INT32_MAX && n == floor(n);
}

/* Takes ".123" off the front; the milliseconds, of which more digits are dropped. */
static int64_t take_fraction(struct slice *text) {
    int64_t ms = 0, unit = 100;
    size_t len = 1;
    if (text->len == 0 || text->data[0] != '.')
        return 0;
    for (; len < text->len && text->data[len] >= '0' && text->data[len] <= '9'; len++, unit /= 10)
        ms += (text->data[len] - '0') * unit;
    *text = slice_skip(*text, len);
    return ms;
}

/* 2026-11-15T12:00:00.123Z and 2026-11-15T12:00:00+00:00 too. */
static bool read_iso(struct slice text, int64_t *ret_ms) {
    enum { TO_SECONDS = 19, ROOM = TO_SECONDS + 2 };
    uint8_t whole[ROOM];
    int64_t seconds;
    if (text.len < TO_SECONDS) {
        if (!date_read(text, &seconds))
            return false;
        *ret_ms = seconds * 1000;
        return true;
    }
    struct slice rest = slice_skip(text, TO_SECONDS);
    memcpy(whole, text.data, TO_SECONDS);
    whole[TO_SECONDS] = 'Z';
    if (!date_read(slice_of(whole, TO_SECONDS + 1), &seconds))
        return false;
    *ret_ms = seconds * 1000 + take_fraction(&rest);
    return rest.len == 0 || slice_is(rest, "Z") || slice_is(rest, "+00:00") ||
           slice_is(rest, "+0000");
}

static bool read_time(const struct json_value *value, int64_t *ret_ms) {
    double seconds;
    if (!read_number(value, &seconds))
        return value->kind == JSON_STRING && read_iso(value->text, ret_ms);
    if (!(fabs(seconds) * 1000 < (double)CLOCK_MAX_MS))
        return false;
    *ret_ms = (int64_t)llround(seconds * 1000);
    return true;
}

static bool is_word(struct slice text, const char *words) {
    const char *at = words + 1;
    while (*at != 0) {
        size_t len = strcspn(at, ",]");
        if (slice_equal(text, slice_of(at, len)))
            return true;
        at += len + strspn(at + len, ",] ");
    }
    return false;
}

static int64_t characters(struct slice text) {
    int64_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += (text.data[i] & 0xC0) != 0x80;
    return count;
}

/* ---- checking ---- */

struct checker {
    struct arena *arena;
    struct input_rules rules;
    struct error *error; /* of a kind that is told alone */
    size_t count;
    struct slice texts[ERRORS_MAX];
};

/* Where a member is. */
struct place {
    const struct place *above;
    const char *name; /* NULL: an item */
    size_t number;    /* of an item, from 1 */
};

/* As the constraint errors write it (metricData.1.member.unit), or as the others do
 * (MetricData.member.1.Unit). */
static void print_place(struct buffer *out, const struct place *place, bool constraint) {
    if (place->above != NULL)
        print_place(out, place->above, constraint);
    if (place->above != NULL)
        buffer_append_byte(out, '.');
    if (place->name == NULL) {
        buffer_printf(out, constraint ? "%zu.member" : "member.%zu", place->number);
        return;
    }
    uint8_t first = (uint8_t)place->name[0];
    bool lower = constraint && first >= 'A' && first <= 'Z';
    buffer_append_byte(out, lower ? (uint8_t)(first + ('a' - 'A')) : first);
    buffer_append_text(out, place->name + 1);
}

static struct slice place_text(struct arena *arena, const struct place *place, bool constraint) {
    CLEANUP(buffer_release) struct buffer out;
    buffer_init(&out, TEXT_MAX);
    print_place(&out, place, constraint);
    return arena_slice(arena, buffer_slice(&out));
}

static struct slice echo(struct arena *arena, const struct json_value *value) {
    struct slice text = value->text;
    if (!slice_present(text))
        return SLICE_LITERAL("[...]");
    if (text.len <= ECHO_MAX)
        return text;
    size_t len = ECHO_MAX;
    while (len > 0 && (text.data[len] & 0xC0) == 0x80)
        len--;
    return arena_printf(arena, "%.*s...", (int)len, (const char *)text.data);
}

static void refuse(struct checker *checker, const struct place *place,
                   const struct json_value *value, struct slice rule) {
    struct arena *arena = checker->arena;
    struct slice at = place_text(arena, place, true), shown = echo(arena, value);
    if (checker->count < ERRORS_MAX)
        checker->texts[checker->count++] =
            arena_printf(arena, "Value '%.*s' at '%.*s' failed to satisfy constraint: %.*s",
                         SLICE_ARGS(shown), SLICE_ARGS(at), SLICE_ARGS(rule));
}

static void check_bounds(struct checker *checker, const struct place *place,
                         const struct json_value *value, int64_t size, const char *what,
                         const int64_t bounds[2]) {
    if (size < bounds[0])
        refuse(checker, place, value,
               arena_printf(checker->arena, "Member must have %s greater than or equal to %" PRId64,
                            what, bounds[0]));
    else if (bounds[1] > 0 && size > bounds[1])
        refuse(checker, place, value,
               arena_printf(checker->arena, "Member must have %s less than or equal to %" PRId64,
                            what, bounds[1]));
}

static bool is_of_type(const struct checker *checker, enum input_type type,
                       const struct json_value *value) {
    double n;
    int64_t ms;
    bool text = value->kind == JSON_STRING, read = !text || checker->rules.loose;
    switch (type) {
    case INPUT_TEXT:
        return text;
    case INPUT_INTEGER:
        return read && is_integer(value);
    case INPUT_NUMBER:
        return read && read_number(value, &n);
    case INPUT_TIME:
        return read_time(value, &ms);
    case INPUT_BOOL:
        return value->kind == JSON_TRUE || value->kind == JSON_FALSE ||
               (text && checker->rules.loose && is_word(value->text, "[true, false]"));
    case INPUT_LIST:
        return value->kind == JSON_ARRAY_BEGIN ||
               (checker->rules.loose && text && value->text.len == 0);
    case INPUT_OBJECT:
    case INPUT_MAP:
        return value->kind == JSON_OBJECT_BEGIN;
    }
    return false;
}

static void check_members(struct checker *checker, const struct json_value *object,
                          const struct input_field *fields, const struct place *place);

/* A text, a number or an object. */
static void check_one(struct checker *checker, const struct input_field *field,
                      const struct json_value *value, const struct place *place) {
    if (!is_of_type(checker, field->type, value)) {
        struct slice at = place_text(checker->arena, place, false);
        if (checker->error == NULL)
            checker->error = error_new(checker->arena, ERROR_SERIALIZATION, "%.*s has another type",
                                       SLICE_ARGS(at));
        return;
    }
    const int64_t bounds[2] = {field->min, field->max};
    if (field->type == INPUT_TEXT && field->words != NULL && !is_word(value->text, field->words))
        refuse(
            checker, place, value,
            arena_printf(checker->arena, "Member must satisfy enum value set: %s", field->words));
    else if (field->type == INPUT_TEXT)
        check_bounds(checker, place, value, characters(value->text), "length", bounds);
    else if (field->type == INPUT_INTEGER && (field->min != 0 || field->max != 0))
        check_bounds(checker, place, value, (int64_t)input_number_of(value), "value", bounds);
    else if (field->type == INPUT_OBJECT)
        check_members(checker, value, field->members, place);
}

static void check_items(struct checker *checker, const struct input_field *field,
                        const struct json_value *value, const struct place *place) {
    const struct input_field item = {.type = field->items,
                                     .min = field->item_min,
                                     .max = field->item_max,
                                     .words = field->item_words,
                                     .members = field->members};
    const int64_t bounds[2] = {field->min, field->max};
    size_t count = 0;
    for (const struct json_value *each = value->first; each != NULL; each = each->next) {
        const struct place at = {.above = place, .number = ++count};
        if (checker->error == NULL && checker->count < ERRORS_MAX)
            check_one(checker, &item, each, &at);
    }
    check_bounds(checker, place, value, (int64_t)count, "length", bounds);
}

static void miss(struct checker *checker, const struct place *place) {
    struct arena *arena = checker->arena;
    bool constraint = checker->rules.missing == ERROR_VALIDATION;
    struct slice at = place_text(arena, place, constraint);
    if (!constraint)
        checker->error = error_new(arena, checker->rules.missing, "The parameter %.*s is required.",
                                   SLICE_ARGS(at));
    else if (checker->count < ERRORS_MAX)
        checker->texts[checker->count++] = arena_printf(
            arena, "Value null at '%.*s' failed to satisfy constraint: Member must not be null",
            SLICE_ARGS(at));
}

static void check_members(struct checker *checker, const struct json_value *object,
                          const struct input_field *fields, const struct place *above) {
    for (const struct input_field *field = fields; field->name != NULL; field++) {
        const struct json_value *value = input_find(object, field->name);
        const struct place place = {.above = above, .name = field->name};
        if (checker->error != NULL)
            return;
        if (value == NULL) {
            if (field->required)
                miss(checker, &place);
            continue;
        }
        check_one(checker, field, value, &place);
        if (field->type == INPUT_LIST && checker->error == NULL)
            check_items(checker, field, value, &place);
    }
}

static struct error *collected(const struct checker *checker) {
    struct arena *arena = checker->arena;
    struct slice text = arena_printf(arena, "%zu validation error%s detected: ", checker->count,
                                     checker->count > 1 ? "s" : "");
    for (size_t i = 0; i < checker->count; i++)
        text = arena_printf(arena, "%.*s%s%.*s", SLICE_ARGS(text), i == 0 ? "" : "; ",
                            SLICE_ARGS(checker->texts[i]));
    struct error *error = error_without_text(arena, ERROR_VALIDATION);
    error->message = text;
    return error;
}

struct error *input_check(struct arena *arena, const struct json_value *input,
                          const struct input_field *fields, const struct input_rules *rules) {
    struct checker checker = {.arena = arena, .rules = *rules};
    if (input->kind != JSON_OBJECT_BEGIN)
        return error_without_text(arena, ERROR_SERIALIZATION);
    if (fields != NULL)
        check_members(&checker, input, fields, NULL);
    if (checker.error != NULL)
        return checker.error;
    return checker.count == 0 ? NULL : collected(&checker);
}

/* ---- readers ---- */

const struct json_value *input_find(const struct json_value *object, const char *name) {
    const struct json_value *value = json_find(object, name);
    return value == NULL || value->kind == JSON_NULL ? NULL : value;
}

bool input_has(const struct json_value *object, const char *name) {
    return input_find(object, name) != NULL;
}

struct slice input_text(const struct json_value *object, const char *name) {
    return json_find_text(object, name);
}

double input_number(const struct json_value *object, const char *name, double otherwise) {
    const struct json_value *value = input_find(object, name);
    return value == NULL ? otherwise : input_number_of(value);
}

int64_t input_integer(const struct json_value *object, const char *name, int64_t otherwise) {
    const struct json_value *value = input_find(object, name);
    return value == NULL ? otherwise : (int64_t)input_number_of(value);
}

bool input_bool(const struct json_value *object, const char *name, bool otherwise) {
    const struct json_value *value = input_find(object, name);
    if (value == NULL)
        return otherwise;
    return value->kind == JSON_TRUE ||
           (value->kind == JSON_STRING && slice_is(value->text, "true"));
}

bool input_time(const struct json_value *object, const char *name, int64_t *ret_ms) {
    const struct json_value *value = input_find(object, name);
    return value != NULL && read_time(value, ret_ms);
}

const struct json_value *input_items(const struct json_value *object, const char *name) {
    return json_find_items(object, name);
}

size_t input_count(const struct json_value *object, const char *name) {
    size_t count = 0;
    for (const struct json_value *item = input_items(object, name); item != NULL; item = item->next)
        count++;
    return count;
}
