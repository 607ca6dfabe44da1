/* import.c - reads rates from a JSON or CSV file and writes them in batches.
 *
 * All rates are checked before the first one is written, so a file with a mistake changes nothing.
 * A rate may have every attribute that rate.h names: Base, Target and Rate it must have, the others
 * have the value that `save` would give them. */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"
#include "common/duration.h"
#include "common/file.h"
#include "csv.h"
#include "store.h"

/* Every pair of two currencies fits. */
enum { FILE_SIZE_MAX = 8 * 1024 * 1024, RATES_MAX = 40000 };

const struct app_option import_options[] = {
    {"format", "FORMAT", "json or csv; the end of the file's name tells when not given", false},
    {"ttl", "DURATION", "how long those are good that have no ttl; 24h when not given", false},
    {0},
};

struct import {
    const struct app *app;
    const char *path;
    struct rate blank; /* what a rate is before its fields are set */
    struct rate *rates;
    size_t count;
};

static struct rate *add_rate(struct import *import) {
    struct rate *rate = &import->rates[import->count];
    *rate = import->blank;
    return rate;
}

/* The rate's fields are all set: checks it and keeps it. `where` is "line" or "rate". */
static bool keep_rate(struct import *import, bool ok, char *problem, const char *where, size_t at) {
    const struct rate *rate = &import->rates[import->count];
    if (!ok || !rate_check(rate, problem)) {
        app_fail(import->app, "%s, %s %zu: %s", import->path, where, at, problem);
        return false;
    }
    if (++import->count > RATES_MAX) {
        app_fail(import->app, "%s has more than %d rates", import->path, RATES_MAX);
        return false;
    }
    return true;
}

/* ---- JSON: an array of objects, one for each rate ---- */

/* A member of an object as text; NULL for what no field of a rate is. */
static const char *text_of(const struct ddb_value *value) {
    if (ddb_value_type(value) == DDB_BOOL)
        return ddb_value_bool(value, false) ? "true" : "false";
    return ddb_value_string(value, ddb_value_number(value, NULL));
}

static bool take_members(struct rate *rate, const struct ddb_item *object, char *ret_problem) {
    if (object == NULL) {
        snprintf(ret_problem, RATE_PROBLEM_SIZE, "a rate is an object");
        return false;
    }
    /* The names are in alphabetical order, so PK comes after Base; Target is set first for it. */
    const char *target = ddb_item_string(object, "Target", NULL);
    bool ok = target == NULL || rate_set(rate, "Target", target, ret_problem);
    for (size_t i = 0; ok && i < ddb_item_count(object); i++) {
        const char *name = ddb_item_name_at(object, i);
        const char *text = text_of(ddb_item_value_at(object, i));
        ok = rate_set(rate, name, text == NULL ? "" : text, ret_problem);
    }
    return ok;
}

static bool read_json(struct import *import) {
    char problem[RATE_PROBLEM_SIZE];
    struct ddb_item *document = document_read(import->app, import->path, FILE_SIZE_MAX);
    const struct ddb_list *rates = ddb_item_list(document, "document");
    bool ok = rates != NULL;
    if (document != NULL && rates == NULL)
        app_fail(import->app, "%s is not an array of rates", import->path);
    for (size_t i = 0; ok && i < ddb_list_count(rates); i++) {
        bool good = take_members(add_rate(import), ddb_value_map(ddb_list_at(rates, i)), problem);
        ok = keep_rate(import, good, problem, "rate", i + 1);
    }
    ddb_item_free(document);
    return ok;
}

/* ---- CSV: a line of names, then a line for each rate ---- */

static bool take_fields(struct rate *rate, const struct csv *header, const struct csv *record,
                        char *ret_problem) {
    if (record->count != header->count) {
        snprintf(ret_problem, RATE_PROBLEM_SIZE, "there are %d fields, and %d names in line 1",
                 record->count, header->count);
        return false;
    }
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) /* PK last: it is compared with what was set */
        for (int i = 0; ok && i < header->count; i++)
            if ((strcmp(header->fields[i], "PK") == 0) == (pass == 1))
                ok = rate_set(rate, header->fields[i], record->fields[i], ret_problem);
    return ok;
}

static bool read_records(struct import *import, const struct csv *header, struct csv *csv) {
    char problem[RATE_PROBLEM_SIZE];
    bool ok = true;
    while (ok && csv_next(csv)) {
        bool good = take_fields(add_rate(import), header, csv, problem);
        ok = keep_rate(import, good, problem, "line", (size_t)csv->line);
    }
    return ok;
}

static bool read_csv(struct import *import) {
    struct file_text file;
    if (!file_read(import->app, import->path, FILE_SIZE_MAX, &file))
        return false;
    struct csv csv;
    csv_init(&csv, file.text, file.size);
    csv_next(&csv);
    struct csv header = csv;
    bool ok = read_records(import, &header, &csv);
    if (ok && csv.problem != NULL) {
        app_fail(import->app, "%s, line %d: %s", import->path, csv.line, csv.problem);
        ok = false;
    }
    free(file.text);
    return ok;
}

/* ---- writing ---- */

static int by_pair(const void *a, const void *b) {
    const struct rate *x = a, *y = b;
    int order = strcmp(x->base, y->base);
    return order != 0 ? order : strcmp(x->target, y->target);
}

/* A pair that is there twice: which of the two is meant? */
static bool check_pairs(const struct import *import) {
    qsort(import->rates, import->count, sizeof(*import->rates), by_pair);
    for (size_t i = 1; i < import->count; i++) {
        const struct rate *rate = &import->rates[i];
        if (by_pair(rate - 1, rate) == 0) {
            app_fail(import->app, "%s has the rate of %s to %s twice", import->path, rate->base,
                     rate->target);
            return false;
        }
    }
    return true;
}

static enum app_status write_rates(struct app *app, const struct import *import) {
    if (!store_save_all(app, import->rates, import->count))
        return APP_FAILED;
    printf("rates saved: %zu\n", import->count);
    return APP_OK;
}

/* json, csv, or NULL for any other. */
static const char *format_of(const struct app *app, const char *path) {
    const char *dot = strrchr(path, '.');
    const char *format = app_option(app, "format", dot == NULL ? "" : dot + 1);
    return strcmp(format, "json") == 0 ? "json" : strcmp(format, "csv") == 0 ? "csv" : NULL;
}

enum app_status import(struct app *app) {
    struct import import = {.app = app, .path = app_operand(app, 0)};
    int64_t lifetime_s = STORE_LIFETIME_S;
    const char *format = format_of(app, import.path);
    if (format == NULL)
        return app_bad_usage(app,
                             "%s is neither .json nor .csv, and there is no --format json or "
                             "csv",
                             import.path);
    if (!duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    import.blank.timestamp = ttl_now();
    import.blank.ttl = import.blank.timestamp + lifetime_s;
    import.rates = calloc(RATES_MAX + 1, sizeof(*import.rates));
    if (import.rates == NULL)
        abort();
    enum app_status status = APP_FAILED;
    if ((*format == 'j' ? read_json(&import) : read_csv(&import)) && check_pairs(&import))
        status = import.count == 0 ? app_fail(app, "%s has no rates", import.path)
                                   : write_rates(app, &import);
    free(import.rates);
    return status;
}
