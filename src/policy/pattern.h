/* pattern.h - the texts of a policy: with * and ? and with ${variables}.
 *
 * A pattern is read once and matched often. What a variable stands for is text, never a wildcard,
 * so a caller whose name has a star in it gains nothing.
 * Memory: the arena given to the parser; matching allocates nothing. */
#ifndef GRAMME_POLICY_PATTERN_H
#define GRAMME_POLICY_PATTERN_H

#include "base/arena.h"
#include "policy/keys.h"

enum pattern_part_kind {
    PATTERN_TEXT,
    PATTERN_ANY,   /* *: any characters, also none */
    PATTERN_ONE,   /* ?: one character */
    PATTERN_VALUE, /* a variable */
};

struct pattern_part {
    enum pattern_part_kind kind;
    struct slice text;         /* PATTERN_TEXT; PATTERN_VALUE: what stands for an absent value */
    struct policy_key_use use; /* PATTERN_VALUE: whose value */
};

struct pattern {
    struct pattern_part *parts;
    size_t count;
    bool any_case;
};

/* How a text is to be read. */
struct pattern_syntax {
    bool wildcards; /* otherwise * and ? stand for themselves */
    bool variables; /* otherwise ${ stands for itself */
    bool any_case;  /* ASCII letters are equal in both cases */
};

/* A variable is a key that has one value, ${aws:username}, maybe with a text for requests that have
 * none: ${aws:username, 'nobody'}. False when ${ has no }, or the variable is not known:
 * `ret_variable` is then what is wrong. */
bool pattern_parse(struct arena *arena, const struct pattern_syntax *syntax, struct slice text,
                   struct pattern *ret_pattern, struct slice *ret_variable);
/* `values` are the request's, by key. */
bool pattern_matches(const struct pattern *pattern, const struct policy_values *values,
                     struct slice text);

/* ---- ARNs: arn:partition:service:region:account:resource ---- */

enum { ARN_PARTS = 6 };

/* Each part is matched by itself: a star does not reach over a colon, but in the last part, which
 * may have more of them. */
struct arn_pattern {
    bool everything; /* "*" */
    struct pattern parts[ARN_PARTS];
};

enum arn_fault { ARN_FINE, ARN_NOT_AN_ARN, ARN_VARIABLE };

enum arn_fault arn_pattern_parse(struct arena *arena, const struct pattern_syntax *syntax,
                                 struct slice text, struct arn_pattern *ret_pattern,
                                 struct slice *ret_variable);
bool arn_pattern_matches(const struct arn_pattern *pattern, const struct policy_values *values,
                         struct slice arn);

#endif
