/* test_resource_documents.c - policies of tables and streams: what is wrong with them, and the form
 * in which they are given back. Runs tests/data/policy/resource_documents.txt and reports as TAP.
 *
 *     test_resource_documents FILE            every case must come out as it says
 *     test_resource_documents --canary FILE   every case must NOT: proves that the runner notices
 *
 * A file is groups separated by empty lines; lines that begin with # are comments. A group is a
 * document on one line or several, after a line `stream` when it is of a stream, and
 *
 *     form FORM       as it is given back
 *     implied FORM    the same of one without a version
 *     error TEXT      what is wrong with it */
#include <stdio.h>

#include "ops/policy/resource_document.h"
#include "support/case_lines.h"

struct test {
    struct arena arena;
    int number, failed;
    bool canary, stream;
    struct slice document; /* as far as it was read */
};

static struct slice outcome(struct test *test) {
    struct resource_document document;
    struct error *error =
        resource_document_read(&test->arena, test->document, test->stream, &document);
    if (error != NULL)
        return arena_printf(&test->arena, "error %.*s", SLICE_ARGS(error->message));
    return arena_printf(&test->arena, "%s %.*s", document.unversioned ? "implied" : "form",
                        SLICE_ARGS(document.form));
}

static bool is_expectation(struct slice line) {
    return slice_starts_with(line, SLICE_LITERAL("form ")) ||
           slice_starts_with(line, SLICE_LITERAL("implied ")) ||
           slice_starts_with(line, SLICE_LITERAL("error "));
}

static void take_line(void *context, struct slice line, int number) {
    struct test *test = context;
    if (line.len == 0) {
        test->document = SLICE_NONE;
        test->stream = false;
    } else if (slice_is(line, "stream")) {
        test->stream = true;
    } else if (is_expectation(line)) {
        struct slice got = outcome(test);
        bool ok = slice_equal(got, line) != test->canary;
        printf("%s %d - line %d\n", ok ? "ok" : "not ok", ++test->number, number);
        if (!ok)
            printf("# got: %.*s\n", SLICE_ARGS(got));
        test->failed += !ok;
    } else if (line.data[0] != '#') {
        if (!slice_present(test->document))
            test->document = slice_of(line.data, 0);
        test->document.len = (size_t)(line.data + line.len - test->document.data);
    }
}

int main(int argc, char **argv) {
    struct test test = {.canary = argc > 1 && strcmp(argv[1], "--canary") == 0};
    arena_init(&test.arena);
    for (int i = test.canary ? 2 : 1; i < argc; i++)
        case_lines_read(argv[i], take_line, &test);
    printf("1..%d\n", test.number);
    arena_release(&test.arena);
    return test.failed > 0 || test.number == 0;
}
