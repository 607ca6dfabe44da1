/* cases.h - runs files of test cases and reports them as TAP.
 *
 * A case is the lines between two empty ones; lines that begin with # are comments. A program that
 * is given --canary and files must see every case fail: it proves that the runner notices. What is
 * wrong with a file itself ends the program.
 *
 * Memory: the arena holds one case. */
#ifndef GRAMME_TESTS_CASES_H
#define GRAMME_TESTS_CASES_H

#include "json/reader.h"
#include "model/value.h"

enum { CASE_LINES_MAX = 12, CASE_BYTES_MAX = 1 << 22 };

struct cases {
    struct arena arena;
    struct slice lines[CASE_LINES_MAX]; /* of the case */
    size_t line_count;
    const char *file;
    int line; /* of the case's first line */
    int number;
    int failed;
    bool canary;
    void (*run)(struct cases *cases); /* a case, up to case_report() */
    /* Takes a line that is for all that follow, and returns true; NULL: there are none. */
    bool (*take_default)(struct slice line);
    void (*begin_file)(void); /* or NULL */
};

/* The status to end with. */
int cases_main(struct cases *cases, int argc, char **argv);
void case_report(struct cases *cases, bool passed);
void case_die(const struct cases *cases, const char *what, struct slice text);

/* Takes the word from the front of the line when it is there. */
bool case_take_word(struct slice *line, const char *word);
/* A line, not the first one, that begins with the word, without it. */
bool case_find_line(const struct cases *cases, const char *word, struct slice *ret_rest);
/* A JSON string without its escapes; what does not begin with a quote as it stands. */
struct slice case_read_text(struct cases *cases, struct slice text);
/* DynamoDB's JSON: the value that the reader's last token begins, and an item. */
struct value case_read_value(struct cases *cases, struct json_reader *reader);
struct value case_read_item(struct cases *cases, struct slice json);

#endif
