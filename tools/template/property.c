/* property.c - see property.h. */
#include "template/property.h"

#include "base/check.h"

static struct error *expect(const struct property_reader *reader, const struct node *node,
                            const char *name, enum node_kind kind) {
    if (node->kind == kind)
        return NULL;
    if (node->kind == NODE_UNKNOWN)
        return document_error(reader->document, node->mark, "%s: %.*s", name,
                              SLICE_ARGS(node->text));
    struct node wanted = {.kind = kind};
    return document_error(reader->document, node->mark, "%s must be %s, not %s", name,
                          node_kind_name(&wanted), node_kind_name(node));
}

static bool contains(const char *const *names, struct slice name) {
    for (; names != NULL && *names != NULL; names++)
        if (slice_is(name, *names))
            return true;
    return false;
}

struct error *property_check(const struct property_reader *reader, const struct node *mapping,
                             const struct property_set *members) {
    if (reader->t == NULL)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++) {
        const struct node_member *member = &mapping->members[i];
        if (contains(members->known, member->name))
            continue;
        if (!contains(members->left_out, member->name))
            return document_error(reader->document, member->mark, "%s has no property %.*s",
                                  members->what, SLICE_ARGS(member->name));
        template_notice(reader->t, member->mark, "%.*s is left out: gramme apply does not set it",
                        SLICE_ARGS(member->name));
    }
    return NULL;
}

/* The member as a node of that kind, or NULL. */
static struct error *member_of_kind(const struct property_reader *reader,
                                    const struct node *mapping, const char *name,
                                    enum node_kind kind, const struct node **ret_node) {
    const struct node *node = node_find(mapping, name);
    if (node != NULL)
        TRY(expect(reader, node, name, kind));
    *ret_node = node;
    return NULL;
}

static struct error *take_text(const struct property_reader *reader, const struct node *node,
                               const char *name, struct slice *ret_text) {
    if (node->text.len > PROPERTY_TEXT_MAX)
        return document_error(reader->document, node->mark, "%s is longer than %d bytes", name,
                              PROPERTY_TEXT_MAX);
    *ret_text = node->text;
    return NULL;
}

struct error *property_text(const struct property_reader *reader, const struct node *mapping,
                            const char *name, struct slice *ret_text) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_SCALAR, &node));
    return node == NULL ? NULL : take_text(reader, node, name, ret_text);
}

struct error *property_required_text(const struct property_reader *reader,
                                     const struct node *mapping, const char *name,
                                     struct slice *ret_text) {
    if (node_find(mapping, name) == NULL)
        return document_error(reader->document, mapping->mark, "%s is missing", name);
    return property_text(reader, mapping, name, ret_text);
}

static bool parse_integer(struct slice text, int64_t *ret_number) {
    bool negative = text.len > 0 && text.data[0] == '-';
    struct slice digits = slice_skip(text, negative);
    int64_t number = 0;
    if (digits.len == 0 || digits.len > 15)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        number = number * 10 + (digits.data[i] - '0');
    }
    *ret_number = negative ? -number : number;
    return true;
}

struct error *property_integer(const struct property_reader *reader, const struct node *mapping,
                               const char *name, int64_t *ret_number) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_SCALAR, &node));
    if (node != NULL && !parse_integer(node->text, ret_number))
        return document_error(reader->document, node->mark, "%s must be a whole number, not '%.*s'",
                              name, SLICE_ARGS(node->text));
    return NULL;
}

/* YAML 1.1 has more words for true and false than JSON. */
static bool parse_bool(const struct node *node, bool *ret_truth) {
    static const char *const words[2][4] = {{"false", "no", "off", NULL},
                                            {"true", "yes", "on", NULL}};
    for (size_t truth = 0; truth < 2; truth++)
        for (size_t i = 0; words[truth][i] != NULL && i < (node->quoted ? 1U : 3U); i++)
            if (slice_equal_ignoring_case(node->text, slice_text(words[truth][i]))) {
                *ret_truth = truth == 1;
                return true;
            }
    return false;
}

struct error *property_bool(const struct property_reader *reader, const struct node *mapping,
                            const char *name, bool *ret_truth) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_SCALAR, &node));
    if (node != NULL && !parse_bool(node, ret_truth))
        return document_error(reader->document, node->mark, "%s must be true or false, not '%.*s'",
                              name, SLICE_ARGS(node->text));
    return NULL;
}

struct error *property_list(const struct property_reader *reader, const struct node *mapping,
                            const char *name, const struct node **ret_list) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_SEQUENCE, &node));
    if (node != NULL)
        *ret_list = node;
    return NULL;
}

struct error *property_mapping(const struct property_reader *reader, const struct node *mapping,
                               const char *name, const struct node **ret_mapping) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_MAPPING, &node));
    if (node != NULL)
        *ret_mapping = node;
    return NULL;
}

struct error *property_choice(const struct property_reader *reader, const struct node *mapping,
                              const char *name, const char *const *choices, size_t *ret_choice) {
    const struct node *node = NULL;
    TRY(member_of_kind(reader, mapping, name, NODE_SCALAR, &node));
    if (node == NULL)
        return NULL;
    struct slice listed = SLICE_LITERAL("");
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (slice_is(node->text, choices[i])) {
            *ret_choice = i;
            return NULL;
        }
        listed = arena_printf(reader->document->arena, "%.*s%s%s", SLICE_ARGS(listed),
                              i == 0 ? "" : ", ", choices[i]);
    }
    return document_error(reader->document, node->mark, "%s must be one of %.*s, not '%.*s'", name,
                          SLICE_ARGS(listed), SLICE_ARGS(node->text));
}

struct error *property_word(const struct property_reader *reader, const struct node *mapping,
                            const char *name, const struct words *words, int *ret_value) {
    size_t choice = SIZE_MAX;
    TRY(property_choice(reader, mapping, name, words->texts + words->first, &choice));
    if (choice != SIZE_MAX)
        *ret_value = words->first + (int)choice;
    return NULL;
}

struct error *property_item_mapping(const struct property_reader *reader, const struct node *item,
                                    const char *what) {
    return expect(reader, item, what, NODE_MAPPING);
}

struct error *property_item_text(const struct property_reader *reader, const struct node *item,
                                 const char *what, struct slice *ret_text) {
    TRY(expect(reader, item, what, NODE_SCALAR));
    return take_text(reader, item, what, ret_text);
}
