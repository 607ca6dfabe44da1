/* parameters.c - gives every parameter its value, from the command line or its Default, and checks
 * it against what the template allows. Pseudo parameters are parameters like the others. */
#include <math.h>
#include <stdlib.h>

#include "template/pattern.h"
#include "template/resolve.h"

enum { PARAMETER_BYTES_MAX = 4096 }; /* CloudFormation's limit for a value */

struct parameter {
    struct template *t;
    const struct node_member *member;
    struct slice type;
    struct slice value;
    struct slice unknown; /* as in struct template_parameter */
    struct mark mark; /* of the value, or of the parameter when it comes from the command line */
};

static struct error *refuse(const struct parameter *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct error *refuse(const struct parameter *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(p->t->document.arena, format, args);
    va_end(args);
    const struct node *told = node_find(p->member->value, "ConstraintDescription");
    if (told != NULL && told->kind == NODE_SCALAR)
        text = told->text;
    return template_error(p->t, p->mark, "parameter %.*s is '%.*s': %.*s",
                          SLICE_ARGS(p->member->name), SLICE_ARGS(p->value), SLICE_ARGS(text));
}

static bool parse_number(struct slice text, double *ret_number) {
    char copy[64], *end;
    if (text.len == 0 || text.len >= sizeof(copy))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (memchr("0123456789+-.eE", text.data[i], 15) == NULL)
            return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    *ret_number = strtod(copy, &end);
    return *end == '\0' && isfinite(*ret_number);
}

static bool is_list(struct slice type) {
    return slice_is(type, "CommaDelimitedList") || slice_starts_with(type, SLICE_LITERAL("List<"));
}

static bool is_number(struct slice type) {
    return slice_is(type, "Number") || slice_is(type, "List<Number>");
}

static struct slice trim(struct slice text) {
    while (text.len > 0 && text.data[0] == ' ')
        text = slice_skip(text, 1);
    while (text.len > 0 && text.data[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* ---- constraints ---- */

/* A number that the template gives: MinLength and its like; `otherwise` when it gives none. */
static struct error *bound(const struct parameter *p, const char *name, double otherwise,
                           double *ret_bound) {
    const struct node *node = node_find(p->member->value, name);
    *ret_bound = otherwise;
    if (node != NULL && (node->kind != NODE_SCALAR || !parse_number(node->text, ret_bound)))
        return template_error(p->t, node->mark, "%s must be a number", name);
    return NULL;
}

static struct error *check_bounds(const struct parameter *p, const char *const names[2],
                                  double value, const char *what) {
    double least, most;
    TRY(bound(p, names[0], -INFINITY, &least));
    TRY(bound(p, names[1], INFINITY, &most));
    if (value < least)
        return refuse(p, "%s must be at least %g", what, least);
    if (value > most)
        return refuse(p, "%s must be at most %g", what, most);
    return NULL;
}

static struct error *check_allowed(const struct parameter *p, struct slice value) {
    const struct node *allowed = node_find(p->member->value, "AllowedValues");
    if (allowed == NULL)
        return NULL;
    if (allowed->kind != NODE_SEQUENCE)
        return template_error(p->t, allowed->mark, "AllowedValues must be a list");
    struct slice text = SLICE_LITERAL("allowed are ");
    for (size_t i = 0; i < allowed->count; i++) {
        if (allowed->items[i]->kind != NODE_SCALAR)
            return template_error(p->t, allowed->items[i]->mark, "AllowedValues takes strings");
        if (slice_equal(allowed->items[i]->text, value))
            return NULL;
        if (text.len < 1000)
            text = arena_printf(p->t->document.arena, "%.*s%s%.*s", SLICE_ARGS(text),
                                i == 0 ? "" : ", ", SLICE_ARGS(allowed->items[i]->text));
    }
    return refuse(p, "%.*s", SLICE_ARGS(text));
}

static struct error *check_pattern(const struct parameter *p, struct slice value) {
    const struct node *pattern = node_find(p->member->value, "AllowedPattern");
    if (pattern == NULL)
        return NULL;
    if (pattern->kind != NODE_SCALAR)
        return template_error(p->t, pattern->mark, "AllowedPattern must be a string");
    struct arena scratch;
    arena_init(&scratch);
    enum pattern_outcome outcome = PATTERN_MATCHES;
    struct error *error = pattern_match(&scratch, pattern->text, value, &outcome);
    if (error != NULL)
        error =
            template_error(p->t, pattern->mark, "AllowedPattern: %.*s", SLICE_ARGS(error->message));
    arena_release(&scratch);
    TRY(error);
    if (outcome == PATTERN_JAVA_ONLY)
        template_notice(p->t, pattern->mark,
                        "this AllowedPattern has a class within a class and is not checked");
    if (outcome == PATTERN_ENDLESS)
        return refuse(p, "it takes too many steps to match it with the pattern %.*s",
                      SLICE_ARGS(pattern->text));
    if (outcome == PATTERN_DIFFERS)
        return refuse(p, "it does not match the pattern %.*s", SLICE_ARGS(pattern->text));
    return NULL;
}

static size_t count_characters(struct slice text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += (text.data[i] & 0xc0) != 0x80;
    return count;
}

static struct error *check_value(const struct parameter *p, struct slice value) {
    static const char *const values[2] = {"MinValue", "MaxValue"};
    static const char *const lengths[2] = {"MinLength", "MaxLength"};
    TRY(check_allowed(p, value));
    if (is_number(p->type)) {
        double number;
        if (!parse_number(value, &number))
            return refuse(p, "it must be a number");
        return check_bounds(p, values, number, "it");
    }
    if (!is_list(p->type))
        TRY(check_bounds(p, lengths, (double)count_characters(value), "its length"));
    return check_pattern(p, value);
}

/* ---- values ---- */

static struct error *list_value(const struct parameter *p, const struct node **ret_value) {
    struct template *t = p->t;
    size_t most = 1, count = 0;
    for (size_t i = 0; i < p->value.len; i++)
        most += p->value.data[i] == ',';
    const struct node **items = ARENA_ARRAY(t->document.arena, const struct node *, most);
    struct slice rest = p->value;
    while (count < most) {
        const uint8_t *comma = rest.len == 0 ? NULL : memchr(rest.data, ',', rest.len);
        size_t len = comma == NULL ? rest.len : (size_t)(comma - rest.data);
        struct slice item = trim(slice_first(rest, len));
        TRY(check_value(p, item));
        items[count++] = node_scalar(t->document.arena, item, p->mark);
        if (comma != NULL)
            rest = slice_skip(rest, len + 1);
    }
    *ret_value = node_sequence(t->document.arena, items, count, p->mark);
    return NULL;
}

static struct error *find_given(struct parameter *p, bool *ret_given) {
    struct template *t = p->t;
    for (size_t i = 0; i < t->options.parameter_count; i++)
        if (slice_equal(t->options.parameters[i].name, p->member->name)) {
            p->value = t->options.parameters[i].value;
            p->unknown = t->options.parameters[i].unknown;
            p->mark = p->member->mark;
            *ret_given = true;
            return NULL;
        }
    const struct node *otherwise = node_find(p->member->value, "Default");
    if (otherwise == NULL && t->parent != NULL)
        return template_error(t, p->member->mark,
                              "parameter %.*s has no default, and %.*s does not pass it",
                              SLICE_ARGS(p->member->name), SLICE_ARGS(t->parent->options.file));
    if (otherwise == NULL)
        return template_error(t, p->member->mark,
                              "parameter %.*s has no default: give it with --param %.*s=VALUE",
                              SLICE_ARGS(p->member->name), SLICE_ARGS(p->member->name));
    if (otherwise->kind != NODE_SCALAR)
        return template_error(t, otherwise->mark, "Default must be a string or number");
    p->value = otherwise->text;
    p->mark = otherwise->mark;
    *ret_given = false;
    return NULL;
}

static struct error *resolve_parameter(struct template *t, const struct node_member *member,
                                       const struct node **ret_value) {
    const struct node *type = node_find(member->value, "Type");
    if (type == NULL || type->kind != NODE_SCALAR)
        return template_error(t, type == NULL ? member->mark : type->mark,
                              "parameter %.*s needs a Type", SLICE_ARGS(member->name));
    struct parameter p = {.t = t, .member = member, .type = type->text};
    bool given = false;
    TRY(find_given(&p, &given));
    if (slice_present(p.unknown)) {
        *ret_value = node_unknown(t->document.arena, p.mark, "parameter %.*s: %.*s",
                                  SLICE_ARGS(member->name), SLICE_ARGS(p.unknown));
        return NULL;
    }
    if (p.value.len > PARAMETER_BYTES_MAX)
        return template_error(t, p.mark, "parameter %.*s is longer than 4096 bytes",
                              SLICE_ARGS(member->name));
    if (slice_starts_with(p.type, SLICE_LITERAL("AWS::SSM::Parameter::Value<")) && !given) {
        *ret_value = node_unknown(t->document.arena, p.mark,
                                  "parameter %.*s is kept in the Parameter Store: give its value "
                                  "with --param",
                                  SLICE_ARGS(member->name));
        return NULL;
    }
    if (is_list(p.type))
        return list_value(&p, ret_value);
    TRY(check_value(&p, p.value));
    *ret_value = node_scalar(t->document.arena, p.value, p.mark);
    return NULL;
}

static void add_value(struct template *t, struct slice name, const struct node *value) {
    t->values[t->value_count++] = (struct template_value){name, value};
}

static void add_pseudo(struct template *t, const char *name, struct slice value) {
    add_value(t, slice_text(name), node_scalar(t->document.arena, value, MARK_NONE));
}

static void add_pseudo_parameters(struct template *t) {
    struct arena *arena = t->document.arena;
    struct mark nowhere = MARK_NONE;
    add_pseudo(t, "AWS::Region", t->options.region);
    add_pseudo(t, "AWS::AccountId", t->options.account);
    add_pseudo(t, "AWS::StackName", t->options.stack_name);
    add_pseudo(t, "AWS::Partition", SLICE_LITERAL("aws"));
    add_pseudo(t, "AWS::URLSuffix", SLICE_LITERAL("amazonaws.com"));
    add_value(t, SLICE_LITERAL("AWS::StackId"),
              node_unknown(arena, nowhere, "AWS::StackId is not known here"));
    add_value(t, SLICE_LITERAL("AWS::NotificationARNs"), node_sequence(arena, NULL, 0, nowhere));
}

enum { PSEUDO_PARAMETERS = 7 };

static struct error *check_given(struct template *t) {
    struct slice giver = t->parent == NULL ? SLICE_LITERAL("--param") : t->parent->options.file;
    for (size_t i = 0; i < t->options.parameter_count; i++) {
        struct slice name = t->options.parameters[i].name;
        bool used = t->parameters_used != NULL && t->parameters_used[i];
        if (!used && node_find_named(t->parameters, name) == NULL)
            return template_error(t, MARK_NONE, "the template has no parameter %.*s (%.*s)",
                                  SLICE_ARGS(name), SLICE_ARGS(giver));
    }
    return NULL;
}

struct error *parameters_resolve(struct template *t) {
    size_t count = t->parameters == NULL ? 0 : t->parameters->count;
    t->values = ARENA_ARRAY(t->document.arena, struct template_value, count + PSEUDO_PARAMETERS);
    add_pseudo_parameters(t);
    TRY(check_given(t));
    for (size_t i = 0; i < count; i++) {
        const struct node *value = NULL;
        TRY(resolve_parameter(t, &t->parameters->members[i], &value));
        add_value(t, t->parameters->members[i].name, value);
    }
    return NULL;
}
