/* test_policy_decisions.c - what the policies of several sides say together; reports as TAP.
 *
 *     test_policy_decisions FILE...            every case must come out as it says
 *     test_policy_decisions --canary FILE...   every case must NOT: proves that the runner notices
 *     test_policy_decisions --tell FILE        prints what comes out, a line per request, whatever
 *                                              the file says: for tests/policy/simulate.py
 *
 * A file is groups separated by empty lines; lines that begin with # are comments. A group is any
 * number of documents, each on one line with its side in front, and requests with what comes out:
 *
 *     common | identity | resource | boundary | session DOCUMENT
 *     allowed | SIDE-denies | SIDE-silent ACTION RESOURCE [caller=ARN] [KEY=VALUE ...]
 *     text TEXT                            the refusal of the request before
 *
 * The resource is of the account in its ARN. */
#include <stdio.h>
#include <stdlib.h>

#include "policy/decide.h"
#include "support/case_lines.h"
#include "support/policy_line.h"

enum { IDENTITY_MAX = 4 };

struct test {
    struct arena arena;
    const char *file;
    int line, number, failed;
    bool canary, tell;
    struct policy_sides sides;
    const struct policy *identity[IDENTITY_MAX], *boundary, *session;
    size_t identity_count;
    struct policy_decision last;
    struct slice action; /* of the last request */
};

static void report(struct test *test, bool ok, struct slice line, struct slice got) {
    ok = ok != test->canary;
    printf("%s %d - %s:%d %.*s\n", ok ? "ok" : "not ok", ++test->number, test->file, test->line,
           SLICE_ARGS(line));
    if (!ok)
        printf("# got: %.*s\n", SLICE_ARGS(got));
    test->failed += !ok;
}

/* ---- documents ---- */

static const struct policy *parse(struct test *test, struct slice text, enum policy_kind kind) {
    const struct policy *policy;
    const struct policy_document document = {kind, "policy", text};
    struct error *error = policy_parse(&test->arena, &document, &policy);
    if (error == NULL)
        return policy;
    fprintf(stderr, "%s:%d: %.*s\n", test->file, test->line, SLICE_ARGS(error->message));
    exit(2);
}

static bool take_document(struct test *test, struct slice side, struct slice text) {
    if (slice_is(side, "resource")) {
        test->sides.resource = parse(test, text, POLICY_OF_RESOURCE);
    } else if (slice_is(side, "common")) {
        test->sides.common = parse(test, text, POLICY_OF_IDENTITY);
    } else if (slice_is(side, "boundary")) {
        test->boundary = parse(test, text, POLICY_OF_IDENTITY);
    } else if (slice_is(side, "session")) {
        test->session = parse(test, text, POLICY_OF_IDENTITY);
    } else if (slice_is(side, "identity")) {
        CHECK(test->identity_count < IDENTITY_MAX);
        test->identity[test->identity_count++] = parse(test, text, POLICY_OF_IDENTITY);
    } else {
        return false;
    }
    return true;
}

static void forget(struct test *test) {
    test->sides = (struct policy_sides){0};
    test->boundary = test->session = NULL;
    test->identity_count = 0;
    arena_reset(&test->arena);
}

/* ---- requests ---- */

static struct slice name_of(struct test *test, const struct policy_decision *decision) {
    static const char *const sides[] = {"identity", "resource", "boundary", "session"};
    if (decision->allowed)
        return SLICE_LITERAL("allowed");
    return arena_printf(&test->arena, "%s-%s", sides[decision->side],
                        decision->denied ? "denies" : "silent");
}

static bool of_another_account(const struct policy_request *request) {
    size_t at = 0;
    struct slice arn = request->resource;
    for (int colons = 0; colons < 4 && at < arn.len; at++)
        colons += arn.data[at] == ':';
    struct slice rest = slice_skip(arn, at), account = request->caller->account;
    return rest.len > account.len && !slice_starts_with(rest, account);
}

static void take_request(struct test *test, struct slice line, struct slice wanted,
                         struct slice text) {
    struct policy_line read;
    policy_line_read(&test->arena, text, &read);
    read.caller.policies = test->identity;
    read.caller.policy_count = test->identity_count;
    read.caller.boundary = test->boundary;
    read.caller.session = test->session;
    test->sides.other_account = of_another_account(&read.request);
    test->last = policy_decide(&test->sides, &read.request);
    test->action = read.request.action;
    struct slice got = name_of(test, &test->last);
    if (test->tell)
        printf("%.*s\n", SLICE_ARGS(got));
    else
        report(test, slice_equal(got, wanted), line, got);
}

static void take_line(void *context, struct slice line, int number) {
    struct test *test = context;
    struct slice rest = line;
    test->line = number;
    if (line.len == 0) {
        forget(test);
        return;
    }
    if (line.data[0] == '#')
        return;
    struct slice word = policy_line_word(&rest);
    if (slice_is(word, "text")) {
        struct slice got = policy_refusal(&test->arena, &test->last, test->action);
        report(test, slice_equal(got, rest), line, got);
    } else if (!take_document(test, word, rest)) {
        take_request(test, line, word, rest);
    }
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0,
                        .tell = argc > 1 && strcmp(argv[1], "--tell") == 0};
    arena_init(&test.arena);
    for (int i = test.canary || test.tell ? 2 : 1; i < argc; i++) {
        test.file = case_file_name(argv[i]);
        case_lines_read(argv[i], take_line, &test);
    }
    if (!test.tell)
        printf("1..%d\n", test.number);
    arena_release(&test.arena);
    return !test.tell && (test.failed > 0 || test.number == 0);
}
