/* source.h - where a cache gets its data: a command of the user's, or an HTTP API of JSON.
 *
 *   --source "quotes.sh"                   called with the values as its last arguments
 *   --source-url "https://api.example.com/q?s={symbol}&key=..."   {names} are replaced
 *   --source-map "price=/Global Quote/05. price,volume=/Global Quote/06. volume"
 *                                          picks members of the answer; numbers may be texts
 *   --source-timeout MS
 *
 * A failure, an answer that is too long or that is no JSON object: a problem in words. Threads:
 * any. */
#ifndef APPS_COMMON_SOURCE_H
#define APPS_COMMON_SOURCE_H

#include "common/app.h"

enum { SOURCE_PROBLEM_SIZE = 200, SOURCE_TIMEOUT_MS = 10000 };

struct source {
    const char *command; /* NULL: the URL */
    const char *url;
    const char *map; /* NULL: the answer as it is */
    int timeout_ms;
    size_t answer_max;
};

struct source_value {
    const char *name;
    const char *value;
};

#define SOURCE_OPTIONS                                                                      \
    {"source", "COMMAND", "prints the data as a JSON object", false},                       \
        {"source-url", "URL", "gives the data as JSON; {symbol} and the like are replaced", \
         false},                                                                            \
        {"source-map", "NAME=/PATH,...", "picks members of the answer", false}, {           \
        "source-timeout", "MS", "how long the source may take; 10000 when not given", false \
    }

/* As the options say. Says what is wrong; with `required`, also when there is no source. */
bool source_of(const struct app *app, size_t answer_max, bool required, struct source *ret_source);

/* The answer, an object, as the only attribute, `document`, of an item that is yours; NULL, with a
 * problem, when there is none. `values` ends with one without a name. */
struct ddb_item *source_ask(const struct source *source, const struct source_value *values,
                            char ret_problem[SOURCE_PROBLEM_SIZE]);

#endif
