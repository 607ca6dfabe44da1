/* cases.h - the cases of the client library's black-box tests.
 *
 * Each case is one program run: `client_cases NAME [ARGUMENT]`. It uses the library as any program
 * would, through its public header alone, and prints what it got; the Python tests compare that
 * with the exact text. The tables are there already. */
#ifndef TESTS_WIRE_CLIENT_CASES_H
#define TESTS_WIRE_CLIENT_CASES_H

#include "gramme_client.h"

typedef void case_function(struct ddb_client *db, const char *argument);

struct client_case {
    const char *name;
    case_function *run;
};

extern const struct client_case item_cases[];
extern const struct client_case read_cases[];
extern const struct client_case group_cases[];
extern const struct client_case table_cases[];
extern const struct client_case stream_cases[];
extern const struct client_case thread_cases[];

/* "ok", or the error with everything that it has. Returns `ok`. */
bool report(struct ddb_client *db, bool ok);
/* As JSON, or "none". */
void print_item(const char *label, const struct ddb_item *item);
/* Prints the values of an attribute, all in one line, and the outcome; frees the cursor. */
void print_cursor(struct ddb_client *db, struct ddb_cursor *cursor, const char *name);
/* {pk: text, sk: number} */
struct ddb_item *make_key(const char *pk, int64_t sk);

#endif
