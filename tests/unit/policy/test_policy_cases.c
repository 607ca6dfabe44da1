/* test_policy_cases.c - runs the cases of tests/data/policy and reports them as TAP.
 *
 *     test_policy_cases FILE...            every case must come out as it says
 *     test_policy_cases --canary FILE...   every case must NOT: proves that the runner notices
 *
 * A file is groups separated by empty lines; lines that begin with # are comments. A group is
 *
 *     resource | trust                     what the document is of, unless it is of an identity
 *     {"Version": "2012-10-17", ...}       a document, on one line or several
 *     error TEXT                           what is wrong with it
 *
 * or, when it is fine, any number of requests, each with its verdict and the values that it has:
 *
 *     VERDICT ACTION RESOURCE [caller=ARN] [KEY=VALUE ...]
 *
 * VERDICT is one of those below. Who calls is a user, a session or a root, by their ARN. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "policy/policy.h"
#include "support/case_lines.h"

enum { VALUES_MAX = 8 };

static const char *const verdicts[] = {
    [POLICY_NOT_ALLOWED] = "unmentioned",
    [POLICY_ALLOWED_FOR_ACCOUNT] = "for-account",
    [POLICY_ALLOWED_FOR_ROLE] = "for-role",
    [POLICY_ALLOWED] = "allowed",
    [POLICY_DENIED] = "denied",
};
enum { VERDICT_COUNT = sizeof(verdicts) / sizeof(*verdicts) };

/* The values of a request, and their names for keys that have them behind a slash. */
struct values {
    struct slice lists[POLICY_KEY_COUNT][VALUES_MAX];
    struct slice names[POLICY_KEY_COUNT][VALUES_MAX];
};

struct test {
    struct arena arena;
    const char *file;
    int line;
    int number;
    int failed;
    bool canary;
    enum policy_kind kind; /* of the group */
    struct slice document; /* likewise, as far as it was read */
    const struct policy *policy;
    struct error *error;
    bool parsed;
};

static void report(struct test *test, bool ok, struct slice line, struct slice got) {
    ok = ok != test->canary;
    printf("%s %d - %s:%d %.*s\n", ok ? "ok" : "not ok", ++test->number, test->file, test->line,
           SLICE_ARGS(line));
    if (!ok)
        printf("# got: %.*s\n", SLICE_ARGS(got));
    test->failed += !ok;
}

static void die(const struct test *test, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", test->file, test->line, what);
    exit(2);
}

static struct slice take_word(struct slice *line) {
    const uint8_t *blank = line->len == 0 ? NULL : memchr(line->data, ' ', line->len);
    size_t len = blank == NULL ? line->len : (size_t)(blank - line->data);
    struct slice word = slice_of(line->data, len);
    *line = slice_skip(*line, blank == NULL ? len : len + 1);
    return word;
}

/* ---- one line ---- */

static void parse_document(struct test *test) {
    const struct policy_document document = {test->kind, "policy", test->document};
    if (!test->parsed)
        test->error = policy_parse(&test->arena, &document, &test->policy);
    test->parsed = true;
}

static void expect_error(struct test *test, struct slice line, struct slice text) {
    struct slice got = test->error == NULL ? SLICE_LITERAL("no error") : test->error->message;
    report(test, test->error != NULL && slice_equal(got, text), line, got);
}

static void add_value(struct test *test, struct policy_request *request, struct slice word,
                      struct values *values) {
    const uint8_t *equals = memchr(word.data, '=', word.len);
    if (equals == NULL)
        die(test, "no = in a value");
    struct slice name = slice_of(word.data, (size_t)(equals - word.data));
    struct policy_key_use use;
    if (!policy_key_find(name, &use))
        die(test, "no such key");
    struct policy_values *of_key = &request->values[use.key];
    CHECK(of_key->count < VALUES_MAX);
    values->lists[use.key][of_key->count] = slice_skip(word, name.len + 1);
    values->names[use.key][of_key->count++] = use.name;
    of_key->list = values->lists[use.key];
    of_key->names = values->names[use.key];
}

/* arn:aws:sts::123456789012:assumed-role/R/S is a session of arn:aws:iam::123456789012:role/R. */
static void read_caller(struct test *test, struct slice *rest, struct caller *ret_caller) {
    struct slice arn = SLICE_LITERAL("arn:aws:iam::000000000000:user/any");
    const struct slice mark = SLICE_LITERAL("caller=");
    if (slice_starts_with(*rest, mark)) {
        struct slice word = take_word(rest);
        arn = slice_skip(word, mark.len);
    }
    enum { ACCOUNT_AT = 13, RESOURCE_AT = 26 };
    CHECK(arn.len > RESOURCE_AT);
    struct slice resource = slice_skip(arn, RESOURCE_AT),
                 account = slice_of(arn.data + ACCOUNT_AT, 12);
    *ret_caller =
        (struct caller){CALLER_USER, .account = account, .arn = arn, .principal_arn = arn};
    if (slice_is(resource, "root"))
        ret_caller->kind = CALLER_ROOT;
    if (!slice_starts_with(resource, SLICE_LITERAL("assumed-role/")))
        return;
    struct slice role = slice_skip(resource, strlen("assumed-role/"));
    role.len = (size_t)((const uint8_t *)memchr(role.data, '/', role.len) - role.data);
    ret_caller->kind = CALLER_SESSION;
    ret_caller->principal_arn = arena_printf(&test->arena, "arn:aws:iam::%.*s:role/%.*s",
                                             SLICE_ARGS(account), SLICE_ARGS(role));
}

static bool is_verdict(struct slice word) {
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (slice_is(word, verdicts[i]))
            return true;
    return false;
}

static void expect_verdict(struct test *test, struct slice line, struct slice verdict,
                           struct slice rest) {
    struct values values;
    struct caller caller;
    struct policy_request request = {.caller = &caller};
    request.action = take_word(&rest);
    request.resource = take_word(&rest);
    read_caller(test, &rest, &caller);
    while (rest.len > 0)
        add_value(test, &request, take_word(&rest), &values);
    if (test->error != NULL) {
        report(test, false, line, test->error->message);
        return;
    }
    struct slice got = slice_text(verdicts[policy_evaluate(test->policy, &request)]);
    report(test, slice_equal(got, verdict), line, got);
}

static void take_line(void *context, struct slice line, int number) {
    struct test *test = context;
    struct slice rest = line;
    test->line = number;
    if (line.len == 0) {
        test->kind = POLICY_OF_IDENTITY;
        test->document = SLICE_NONE;
        test->parsed = false;
        return;
    }
    if (line.data[0] == '#')
        return;
    struct slice word = take_word(&rest);
    bool error = slice_is(word, "error");
    if (slice_is(line, "resource") || slice_is(line, "trust")) {
        test->kind = slice_is(line, "trust") ? POLICY_OF_TRUST : POLICY_OF_RESOURCE;
        return;
    }
    if (!error && !is_verdict(word)) {
        if (!slice_present(test->document))
            test->document = slice_of(line.data, 0);
        test->document.len = (size_t)(line.data + line.len - test->document.data);
        return;
    }
    parse_document(test);
    if (error)
        expect_error(test, line, rest);
    else
        expect_verdict(test, line, word, rest);
}

static void run_file(struct test *test, const char *path) {
    test->file = case_file_name(path);
    case_lines_read(path, take_line, test);
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0};
    arena_init(&test.arena);
    for (int i = test.canary ? 2 : 1; i < argc; i++)
        run_file(&test, argv[i]);
    printf("1..%d\n", test.number);
    arena_release(&test.arena);
    return test.failed > 0 || test.number == 0;
}
