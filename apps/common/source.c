/* source.c - asks a command or a URL, and makes an object of what it says. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for asprintf() and strchrnul() */
#endif
#include "common/source.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/document.h"
#include "common/process.h"

enum { VALUES_MAX = 8, NAME_MAX_SIZE = 64 };

bool source_of(const struct app *app, size_t answer_max, bool required, struct source *ret_source) {
    int64_t timeout_ms = SOURCE_TIMEOUT_MS;
    *ret_source = (struct source){
        .command = app_option(app, "source", NULL),
        .url = app_option(app, "source-url", NULL),
        .map = app_option(app, "source-map", NULL),
        .answer_max = answer_max,
    };
    if (!app_number(app, "source-timeout", 1, 600000, &timeout_ms))
        return false;
    ret_source->timeout_ms = (int)timeout_ms;
    if (ret_source->command != NULL && ret_source->url != NULL)
        return app_bad_usage(app, "--source and --source-url exclude each other") == APP_OK;
    if (required && ret_source->command == NULL && ret_source->url == NULL)
        return app_bad_usage(app, "--source is missing") == APP_OK;
    return true;
}

/* ---- an answer as text ---- */

struct answer {
    char *text;
    size_t size;
    size_t size_max;
};

static bool ask_command(const struct source *source, const struct source_value *values,
                        struct answer *answer, char *problem) {
    const char *arguments[VALUES_MAX + 1] = {NULL};
    for (int i = 0; i < VALUES_MAX && values[i].name != NULL; i++)
        arguments[i] = values[i].value;
    struct process_call call = {source->command, arguments, source->timeout_ms, source->answer_max};
    struct process_result result;
    process_run(&call, &result);
    answer->text = result.output;
    answer->size = result.size;
    if (result.outcome == PROCESS_EXITED && result.status == 0)
        return true;
    process_describe(&call, &result, problem);
    return false;
}

static size_t take_part(char *data, size_t size, size_t count, void *user) {
    struct answer *answer = user;
    size_t more = size * count;
    if (more > answer->size_max - answer->size)
        return 0;
    memcpy(answer->text + answer->size, data, more);
    answer->size += more;
    return more;
}

/* The URL with its {names} replaced; free() it. */
static char *fill_in(CURL *curl, const char *url, const struct source_value *values) {
    char *filled = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&filled, &size);
    if (out == NULL)
        abort();
    while (*url != '\0') {
        const struct source_value *value = values;
        size_t name = *url == '{' ? strcspn(url, "}") : 0;
        while (name > 0 && value->name != NULL &&
               (strlen(value->name) != name - 1 || memcmp(value->name, url + 1, name - 1) != 0))
            value++;
        if (name == 0 || value->name == NULL) {
            fputc(*url++, out);
            continue;
        }
        char *escaped = curl_easy_escape(curl, value->value, 0);
        fputs(escaped == NULL ? "" : escaped, out);
        curl_free(escaped);
        url += name + 1;
    }
    fclose(out);
    return filled;
}

static void describe_failure(CURL *curl, const struct source *source, CURLcode code,
                             char *problem) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK)
        snprintf(problem, SOURCE_PROBLEM_SIZE, "it answered with status %ld", status);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        snprintf(problem, SOURCE_PROBLEM_SIZE, "no answer within %d ms", source->timeout_ms);
    else if (code == CURLE_WRITE_ERROR)
        snprintf(problem, SOURCE_PROBLEM_SIZE, "its answer has more than %zu bytes",
                 source->answer_max);
    else
        snprintf(problem, SOURCE_PROBLEM_SIZE, "%s", curl_easy_strerror(code));
}

static bool ask_url(const struct source *source, const struct source_value *values,
                    struct answer *answer, char *problem) {
    CURL *curl = curl_easy_init();
    answer->text = calloc(1, source->answer_max + 1);
    if (curl == NULL || answer->text == NULL)
        abort();
    char *url = fill_in(curl, source->url, values);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)source->timeout_ms);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_part);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    CURLcode code = curl_easy_perform(curl);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    bool ok = code == CURLE_OK && status == 200;
    if (!ok)
        describe_failure(curl, source, code, problem);
    free(url);
    curl_easy_cleanup(curl);
    return ok;
}

/* ---- picking members ---- */

/* "/a/b": the member b of the member a. NULL: it is not there. */
static const struct ddb_value *find_path(const struct ddb_value *value, const char *path,
                                         size_t size) {
    const char *end = path + size;
    while (value != NULL && path < end) {
        char name[NAME_MAX_SIZE];
        path++; /* the slash */
        const char *stop = memchr(path, '/', (size_t)(end - path));
        size_t len = (size_t)((stop == NULL ? end : stop) - path);
        if (len >= sizeof(name))
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        const struct ddb_list *list = ddb_value_list(value);
        value = list != NULL ? ddb_list_at(list, strtoul(name, NULL, 10))
                             : ddb_item_value(ddb_value_map(value), name);
        path += len;
    }
    return value;
}

/* Some APIs send all numbers as texts. */
static void set_picked(struct ddb_item *picked, const char *name, const struct ddb_value *value) {
    const char *text = ddb_value_string(value, NULL);
    struct ddb_item *trial = ddb_item_new();
    if (text != NULL)
        ddb_item_set_number(trial, "n", text);
    if (text != NULL && ddb_item_error(trial) == NULL)
        ddb_item_set_number(picked, name, text);
    else
        ddb_item_set_value(picked, name, value);
    ddb_item_free(trial);
}

static struct ddb_item *pick(const char *map, struct ddb_item *document, char *problem) {
    struct ddb_item *holder = ddb_item_new(), *picked = ddb_item_set_map(holder, "document");
    const struct ddb_value *whole = ddb_item_value(document, "document");
    while (*map != '\0' && *problem == '\0') {
        char name[NAME_MAX_SIZE] = "";
        const char *end = strchrnul(map, ','), *equals = strchrnul(map, '=');
        if (equals < end && (size_t)(equals - map) < sizeof(name))
            memcpy(name, map, (size_t)(equals - map));
        const struct ddb_value *value =
            *name == '\0' ? NULL : find_path(whole, equals + 1, (size_t)(end - equals - 1));
        if (value == NULL)
            snprintf(problem, SOURCE_PROBLEM_SIZE, "its answer has no '%.*s'", (int)(end - map),
                     map);
        else
            set_picked(picked, name, value);
        map = *end == ',' ? end + 1 : end;
    }
    ddb_item_free(document);
    return holder;
}

/* ---- the whole ---- */

static struct ddb_item *read_answer(const struct source *source, const struct answer *answer,
                                    char *problem) {
    char wrong[DOCUMENT_PROBLEM_SIZE];
    struct ddb_item *document = document_parse(answer->text, answer->size, wrong);
    if (document == NULL)
        snprintf(problem, SOURCE_PROBLEM_SIZE, "%s", wrong);
    else if (source->map != NULL)
        document = pick(source->map, document, problem);
    if (document != NULL && *problem == '\0' && ddb_item_map(document, "document") == NULL)
        snprintf(problem, SOURCE_PROBLEM_SIZE, "its answer is not a JSON object");
    return document;
}

struct ddb_item *source_ask(const struct source *source, const struct source_value *values,
                            char ret_problem[SOURCE_PROBLEM_SIZE]) {
    struct answer answer = {.size_max = source->answer_max};
    struct ddb_item *document = NULL;
    *ret_problem = '\0';
    if (source->command != NULL ? ask_command(source, values, &answer, ret_problem)
                                : ask_url(source, values, &answer, ret_problem))
        document = read_answer(source, &answer, ret_problem);
    free(answer.text);
    if (*ret_problem == '\0')
        return document;
    ddb_item_free(document);
    return NULL;
}
