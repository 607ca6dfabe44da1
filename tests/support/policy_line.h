/* policy_line.h - a request of a test case for policies, from its line:
 *
 *     ACTION RESOURCE [caller=ARN] [KEY=VALUE ...]
 *
 * Who calls is a user, a session or a root, by their ARN. A key that comes again has one more
 * value. What is wrong with a line ends the program. */
#ifndef GRAMME_TESTS_POLICY_LINE_H
#define GRAMME_TESTS_POLICY_LINE_H

#include "base/check.h"
#include "policy/policy.h"

enum { POLICY_LINE_VALUES_MAX = 8 };

struct policy_line {
    struct policy_request request;
    struct caller caller;
    struct slice lists[POLICY_KEY_COUNT][POLICY_LINE_VALUES_MAX];
    struct slice names[POLICY_KEY_COUNT][POLICY_LINE_VALUES_MAX];
};

static inline struct slice policy_line_word(struct slice *line) {
    const uint8_t *blank = line->len == 0 ? NULL : memchr(line->data, ' ', line->len);
    size_t len = blank == NULL ? line->len : (size_t)(blank - line->data);
    struct slice word = slice_of(line->data, len);
    *line = slice_skip(*line, blank == NULL ? len : len + 1);
    return word;
}

static inline void policy_line_add(struct policy_line *line, struct slice word) {
    const uint8_t *equals = memchr(word.data, '=', word.len);
    CHECK(equals != NULL);
    struct slice name = slice_of(word.data, (size_t)(equals - word.data));
    struct policy_key_use use;
    CHECK(policy_key_find(name, &use));
    struct policy_values *values = &line->request.values[use.key];
    CHECK(values->count < POLICY_LINE_VALUES_MAX);
    values->list = line->lists[use.key];
    values->names = line->names[use.key];
    values->names[values->count] = use.name;
    values->list[values->count++] = slice_skip(word, name.len + 1);
}

/* arn:aws:sts::123456789012:assumed-role/R/S is a session of arn:aws:iam::123456789012:role/R. */
static inline struct caller policy_line_caller(struct arena *arena, struct slice arn) {
    enum { ACCOUNT_AT = 13, ACCOUNT_CHARS = 12, RESOURCE_AT = 26 };
    const struct slice session = SLICE_LITERAL("assumed-role/");
    CHECK(arn.len > RESOURCE_AT);
    struct slice account = slice_of(arn.data + ACCOUNT_AT, ACCOUNT_CHARS);
    struct slice resource = slice_skip(arn, RESOURCE_AT);
    struct caller caller = {CALLER_USER, .account = account, .arn = arn, .principal_arn = arn};
    if (slice_is(resource, "root"))
        caller.kind = CALLER_ROOT;
    if (!slice_starts_with(resource, session))
        return caller;
    struct slice role = slice_skip(resource, session.len);
    role.len = (size_t)((const uint8_t *)memchr(role.data, '/', role.len) - role.data);
    caller.kind = CALLER_SESSION;
    caller.principal_arn =
        arena_printf(arena, "arn:aws:iam::%.*s:role/%.*s", SLICE_ARGS(account), SLICE_ARGS(role));
    return caller;
}

static inline void policy_line_read(struct arena *arena, struct slice text,
                                    struct policy_line *ret_line) {
    const struct slice mark = SLICE_LITERAL("caller=");
    struct slice arn = SLICE_LITERAL("arn:aws:iam::000000000000:user/any");
    *ret_line = (struct policy_line){.request = {.caller = &ret_line->caller}};
    ret_line->request.action = policy_line_word(&text);
    ret_line->request.resource = policy_line_word(&text);
    while (text.len > 0) {
        struct slice word = policy_line_word(&text);
        if (slice_starts_with(word, mark))
            arn = slice_skip(word, mark.len);
        else
            policy_line_add(ret_line, word);
    }
    ret_line->caller = policy_line_caller(arena, arn);
}

#endif
