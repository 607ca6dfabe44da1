/* constraints.c - the constraint errors of a request, from its field table.
 *
 * A request that is fine costs one walk over the table and no memory. The walk collects the texts
 * of the first ten errors, which those of members that go first push out; an error that is to stand
 * alone is kept apart and wins. When a required member is missing the service answers from its
 * older validation layer, so the walk is made again in that layer's words.
 *
 * Recursion follows the shapes, which are static. Memory: the error lives in the arena; texts are
 * put together in a bounded buffer first. */
#include <inttypes.h>

#include "base/check.h"
#include "model/limits.h"
#include "ops/request/field_print.h"

enum {
    ERRORS_MAX = LIMIT_CONSTRAINT_ERRORS,
};

/* Where a member is, from the inside out. */
struct path {
    const struct path *outer; /* NULL: the request */
    const struct field *field;
    size_t position;  /* from 1, of an element of a list; 0: not an element */
    struct slice key; /* of an element of a map */
};

struct checker {
    struct arena *arena;
    bool older;          /* use the older layer's words */
    bool missing;        /* some required member is */
    const char *whole;   /* a message of its own, which comes before all others */
    struct error *first; /* reported instead of all others */
    bool only_first;     /* the texts are those of FIELD_FIRST */
    size_t count;
    struct slice texts[ERRORS_MAX]; /* the first `count` are set */
};

static void checker_init(struct checker *checker, struct arena *arena, bool older) {
    checker->arena = arena;
    checker->older = older;
    checker->missing = false;
    checker->whole = NULL;
    checker->first = NULL;
    checker->only_first = false;
    checker->count = 0;
}

/* How one error is put. */
struct report {
    const struct path *path;
    const void *member; /* NULL: it is missing */
    const char *rule;
    int64_t limit; /* follows the rule, unless it is negative */
    bool echo;     /* also when the field has the new form */
};

/* ---- putting an error into words ---- */

static void print_path(struct buffer *out, const struct path *path, bool camel) {
    if (path->outer != NULL) {
        print_path(out, path->outer, camel);
        buffer_append_byte(out, '.');
    }
    if (path->position > 0)
        buffer_printf(out, "%zu.member", path->position);
    else if (slice_present(path->key)) {
        buffer_append_slice(out, path->key);
        buffer_append_text(out, ".member");
    } else if (camel)
        field_print_name(out, path->field);
    else
        buffer_append_text(out, path->field->name);
}

static void print_member(struct buffer *out, const struct field *field, const void *member) {
    if (member == NULL) {
        buffer_append_text(out, "null ");
        return;
    }
    buffer_append_byte(out, '\'');
    if (field->flags & FIELD_ECHO_JSON)
        field_print_json(out, ((const struct field_list *)member)->json);
    else
        field_print(out, field, member);
    if (!out->overflow)
        buffer_append_text(out, "' ");
}

static struct slice print_report(struct checker *checker, const struct report *report,
                                 bool new_form) {
    struct buffer CLEANUP(buffer_release) out;
    buffer_init(&out, LIMIT_ECHO_BYTES);
    buffer_append_text(&out, "Value ");
    if (!new_form)
        print_member(&out, report->path->field, report->member);
    bool was_cut = out.overflow;
    out.size_max += LIMIT_ECHO_BYTES; /* room for what follows the echo */
    out.overflow = false;
    if (was_cut)
        buffer_append_text(&out, "...' ");
    buffer_append_text(&out, "at '");
    print_path(&out, report->path, !new_form);
    buffer_printf(&out, "' failed to satisfy constraint: %s", report->rule);
    if (report->limit >= 0)
        buffer_printf(&out, " %" PRId64, report->limit);
    return arena_slice(checker->arena, buffer_slice(&out));
}

static struct error *message_error(struct arena *arena, struct slice message) {
    struct error *error = error_without_text(arena, ERROR_VALIDATION);
    error->message = message;
    return error;
}

/* Whether the errors of this member count, after what was found so far. */
static bool counts(struct checker *checker, const struct field *field) {
    bool first = !checker->older && (field->flags & FIELD_FIRST);
    if (first && !checker->only_first) {
        checker->only_first = true;
        checker->count = 0;
    }
    return first == checker->only_first && checker->count < ERRORS_MAX;
}

static void add_text(struct checker *checker, const struct field *field, struct slice text) {
    if (counts(checker, field))
        checker->texts[checker->count++] = text;
}

/* The texts that were collected, with their count in front. */
static struct error *collected_error(struct arena *arena, const struct slice *texts, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += texts[i].len + 2;
    struct slice head =
        arena_printf(arena, "%zu validation error%s detected: ", count, count > 1 ? "s" : "");
    uint8_t *message = arena_alloc(arena, head.len + size), *at = message;
    memcpy(at, head.data, head.len);
    at += head.len;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(at, "; ", 2);
            at += 2;
        }
        memcpy(at, texts[i].data, texts[i].len);
        at += texts[i].len;
    }
    return message_error(arena, slice_of(message, (size_t)(at - message)));
}

static void add_alone(struct checker *checker, struct slice text) {
    if (checker->first == NULL)
        checker->first = collected_error(checker->arena, &text, 1);
}

static void add_report(struct checker *checker, const struct report *report) {
    const struct field *field = report->path->field;
    uint32_t flags = checker->older ? 0 : field->flags;
    bool new_form = (flags & FIELD_NEW_FORM) && !report->echo && report->member != NULL;
    if (new_form ? checker->first != NULL : !counts(checker, field))
        return;
    struct slice text = print_report(checker, report, new_form);
    if (new_form)
        add_alone(checker, text);
    else
        add_text(checker, field, text);
}

static void add_whole(struct checker *checker, const char *message) {
    if (checker->whole == NULL)
        checker->whole = message;
}

static void add_enum_error(struct checker *checker, const struct path *path,
                           const struct slice *given) {
    const struct field *field = path->field;
    if (checker->older || field->enum_error == NULL) {
        struct slice rule = arena_printf(checker->arena, "Member must satisfy enum value set: %s",
                                         field->enum_text);
        add_report(checker, &(struct report){path, given, (const char *)rule.data, -1, false});
    } else if (field->flags & FIELD_BARE) {
        if (checker->first == NULL)
            checker->first = message_error(checker->arena, slice_text(field->enum_error));
    } else {
        add_text(checker, field, slice_text(field->enum_error));
    }
}

/* ---- the rules ---- */

bool field_name_matches(struct slice name) {
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        bool alphanumeric =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!alphanumeric && c != '_' && c != '.' && c != '-')
            return false;
    }
    return name.len > 0;
}

/* As Java counts: UTF-16 units. */
static int64_t text_length(struct slice text) {
    int64_t length = 0;
    for (size_t i = 0; i < text.len; i++)
        length += (text.data[i] & 0xc0) == 0x80 ? 0 : text.data[i] >= 0xf0 ? 2 : 1;
    return length;
}

static bool enum_has(const char *enum_text, struct slice given) {
    const char *at = enum_text + 1; /* after the bracket */
    for (;;) {
        size_t len = strcspn(at, ",]");
        if (given.len == len && memcmp(at, given.data, len) == 0)
            return true;
        if (at[len] == ']')
            return false;
        at += len + 2;
    }
}

static void check_bounds(struct checker *checker, const struct path *path, const void *member,
                         int64_t amount, bool is_value) {
    const struct field *field = path->field;
    struct report report = {.path = path, .member = member};
    if (field->has_min && amount < field->min) {
        report.rule = is_value ? "Member must have value greater than or equal to"
                               : "Member must have length greater than or equal to";
        report.limit = field->min;
        add_report(checker, &report);
    } else if (field->has_max && amount > field->max) {
        report.rule = is_value ? "Member must have value less than or equal to"
                               : "Member must have length less than or equal to";
        report.limit = field->max;
        add_report(checker, &report);
    }
}

static const char pattern_rule[] = "Member must satisfy regular expression pattern: " NAME_PATTERN;

/* A name is checked against both the pattern and the length; an empty one that may be an ARN
 * against the length alone. */
static void check_table_name(struct checker *checker, const struct path *path,
                             const struct slice *name) {
    const struct field *field = path->field;
    bool arn = slice_starts_with(*name, SLICE_LITERAL("arn:"));
    bool matches = field_name_matches(*name);
    int64_t length = matches ? (int64_t)name->len : text_length(*name);
    if (field->length_error != NULL &&
        (length < field->min || length > (arn ? field->max : LIMIT_TABLE_NAME_MAX))) {
        add_whole(checker, field->length_error);
        return;
    }
    bool pattern_applies = !arn && (name->len > 0 || field->min > 1);
    if (pattern_applies && !matches)
        add_report(checker, &(struct report){path, name, pattern_rule, -1, true});
    if (!arn && length > LIMIT_TABLE_NAME_MAX)
        add_report(checker,
                   &(struct report){path, name, "Member must have length less than or equal to",
                                    LIMIT_TABLE_NAME_MAX, true});
    else
        check_bounds(checker, path, name, length, false);
}

static void check_string(struct checker *checker, const struct path *path,
                         const struct slice *text) {
    const struct field *field = path->field;
    if (field->flags & FIELD_TABLE_NAME) {
        check_table_name(checker, path, text);
        return;
    }
    if (field->enum_text != NULL && !enum_has(field->enum_text, *text))
        add_enum_error(checker, path, text);
    if (field->pattern != NULL && !field_name_matches(*text))
        add_report(checker, &(struct report){path, text, pattern_rule, -1, false});
    if (field->has_min || field->has_max)
        check_bounds(checker, path, text, text_length(*text), false);
}

static bool table_name_key_is_good(struct slice key) {
    return slice_starts_with(key, SLICE_LITERAL("arn:")) ||
           (key.len >= LIMIT_TABLE_NAME_MIN && key.len <= LIMIT_TABLE_NAME_MAX &&
            field_name_matches(key));
}

/* The keys of a map: each element begins with its key. */
static void check_keys(struct checker *checker, const struct path *path,
                       const struct field_list *list, size_t element_size) {
    static const char rule[] =
        "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
        "Member must have length greater than or equal to 3, " //
        "Member must satisfy regular expression pattern: " NAME_PATTERN "]";
    const char *element = list->items;
    for (size_t i = 0; i < list->count; i++, element += element_size) {
        if (!table_name_key_is_good(*(const struct slice *)(const void *)element)) {
            add_report(checker, &(struct report){path, list, rule, -1, true});
            return;
        }
    }
}

/* The lengths of the strings in a list, or of the lists in a map. */
static void check_element_lengths(struct checker *checker, const struct path *path,
                                  const struct field_list *list) {
    const struct field *field = path->field;
    bool map = field->type == FIELD_STRUCT_LIST_MAP;
    for (size_t i = 0; i < list->count; i++) {
        int64_t length = map ? (int64_t)((const struct field_named_list *)list->items)[i].list.count
                             : text_length(((const struct slice *)list->items)[i]);
        if (length >= field->element_min && length <= field->element_max)
            continue;
        struct slice rule = arena_printf(
            checker->arena,
            "%s must satisfy constraint: [Member must have length less than or equal to %" PRId64
            ", Member must have length greater than or equal to %" PRId64 "]",
            map ? "Map value" : "Member", field->element_max, field->element_min);
        add_report(checker, &(struct report){path, list, (const char *)rule.data, -1, false});
        return;
    }
}

/* ---- the walk ---- */

static void check_struct(struct checker *checker, const struct shape *shape, const void *base,
                         const struct path *outer);

static void check_structs(struct checker *checker, const struct path *path,
                          const struct field_list *list, bool keyed) {
    const struct shape *shape = path->field->shape;
    const char *element = list->items;
    for (size_t i = 0; i < list->count; i++, element += shape->size) {
        struct path inner = {.outer = path, .field = path->field};
        if (keyed)
            inner.key = *(const struct slice *)(const void *)element;
        else
            inner.position = i + 1;
        check_struct(checker, shape, element, &inner);
    }
}

static void check_list_map(struct checker *checker, const struct path *path,
                           const struct field_list *map) {
    const struct field_named_list *entry = map->items;
    for (size_t i = 0; i < map->count; i++, entry++) {
        struct path inner = {.outer = path, .field = path->field, .key = entry->key};
        check_structs(checker, &inner, &entry->list, false);
    }
}

static void check_list(struct checker *checker, const struct path *path,
                       const struct field_list *list) {
    const struct field *field = path->field;
    bool list_map = field->type == FIELD_STRUCT_LIST_MAP;
    if (field->flags & FIELD_TABLE_NAME_KEYS)
        check_keys(checker, path, list,
                   list_map ? sizeof(struct field_named_list) : field->shape->size);
    if (field->has_min || field->has_max)
        check_bounds(checker, path, list, (int64_t)list->count, false);
    if (field->has_element_length)
        check_element_lengths(checker, path, list);
    if (field->type == FIELD_STRUCT_LIST)
        check_structs(checker, path, list, false);
    else if (field->type == FIELD_STRUCT_MAP)
        check_structs(checker, path, list, true);
    else if (list_map)
        check_list_map(checker, path, list);
}

/* A member that is there starts with a pointer that is not NULL, or with a true `present`. */
_Static_assert(offsetof(struct slice, data) == 0, "FIELD_STRING starts with its pointer");
_Static_assert(offsetof(struct field_item, value.bytes) == 0,
               "FIELD_ITEM and FIELD_VALUE start with their pointer");
_Static_assert(offsetof(struct field_int, present) == 0, "numbers start with present");
_Static_assert(offsetof(struct field_bool, present) == 0, "booleans start with present");
_Static_assert(offsetof(struct field_list, present) == 0, "lists and maps start with present");

static bool member_present(const struct field *field, const void *member) {
    const uint32_t pointers =
        1U << FIELD_STRING | 1U << FIELD_ITEM | 1U << FIELD_VALUE | 1U << FIELD_STRUCT;
    if (pointers >> field->type & 1) {
        const void *pointer;
        memcpy(&pointer, member, sizeof(pointer));
        return pointer != NULL;
    }
    return field->type != FIELD_PRINTED_ONLY && *(const bool *)member;
}

static void check_present(struct checker *checker, const struct path *path, const void *member) {
    const void *nested;
    switch ((int)path->field->type) {
    case FIELD_STRING:
        check_string(checker, path, member);
        break;
    case FIELD_INTEGER:
    case FIELD_LONG:
        check_bounds(checker, path, member, ((const struct field_int *)member)->value, true);
        break;
    case FIELD_STRUCT:
        memcpy(&nested, member, sizeof(nested));
        check_struct(checker, path->field->shape, nested, path);
        break;
    case FIELD_TIMESTAMP:
    case FIELD_BOOLEAN:
    case FIELD_ITEM:
    case FIELD_VALUE:
    case FIELD_IGNORED:
        break;
    default:
        check_list(checker, path, member);
    }
}

static void check_absent(struct checker *checker, const struct path *path) {
    const struct field *field = path->field;
    if (field->null_error != NULL) {
        add_whole(checker, field->null_error);
    } else if (field->flags & FIELD_REQUIRED) {
        checker->missing = true;
        add_report(checker, &(struct report){path, NULL, "Member must not be null", -1, true});
    }
}

static void check_struct(struct checker *checker, const struct shape *shape, const void *base,
                         const struct path *outer) {
    for (const struct field *field = shape->fields; field->name != NULL; field++) {
        const void *member = (const char *)base + field->offset;
        bool present = member_present(field, member);
        if (!present && !(field->flags & FIELD_REQUIRED) && field->null_error == NULL)
            continue; /* most members of most requests */
        struct path path = {.outer = outer, .field = field};
        if (present)
            check_present(checker, &path, member);
        else
            check_absent(checker, &path);
    }
}

struct error *fields_check(struct arena *arena, const struct shape *shape, bool fell,
                           const void *request) {
    struct checker checker;
    checker_init(&checker, arena, fell);
    check_struct(&checker, shape, request, NULL);
    if (checker.missing && checker.whole == NULL && !fell) {
        checker_init(&checker, arena, true);
        check_struct(&checker, shape, request, NULL);
    }
    if (checker.whole != NULL)
        return message_error(arena, slice_text(checker.whole));
    if (checker.first != NULL)
        return checker.first;
    return checker.count == 0 ? NULL : collected_error(arena, checker.texts, checker.count);
}
