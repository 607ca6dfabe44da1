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
 *     VERDICT ACTION RESOURCE [caller=ARN] [KEY=VALUE ...]      (support/policy_line.h) */
#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "support/case_lines.h"
#include "support/policy_line.h"

static const char *const verdicts[] = {
    [POLICY_NOT_ALLOWED] = "unmentioned",
    [POLICY_ALLOWED_FOR_ACCOUNT] = "for-account",
    [POLICY_ALLOWED_FOR_ROLE] = "for-role",
    [POLICY_ALLOWED] = "allowed",
    [POLICY_DENIED] = "denied",
};
enum { VERDICT_COUNT = sizeof(verdicts) / sizeof(*verdicts) };

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

static bool is_verdict(struct slice word) {
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (slice_is(word, verdicts[i]))
            return true;
    return false;
}

static void expect_verdict(struct test *test, struct slice line, struct slice verdict,
                           struct slice rest) {
    struct policy_line read;
    if (test->error != NULL) {
        report(test, false, line, test->error->message);
        return;
    }
    policy_line_read(&test->arena, rest, &read);
    struct slice got = slice_text(verdicts[policy_evaluate(test->policy, &read.request)]);
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
    struct slice word = policy_line_word(&rest);
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
