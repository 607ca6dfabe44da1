/* document.c - JSON files and texts of people, by the client library.
 *
 * The programs read texts as C does, so a NUL character inside of one is refused here. Recursion
 * ends because the client library bounds how deep an item can be. */
#include "common/document.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* ---- reading ---- */

static bool has_nul(const struct ddb_value *value) {
    const struct ddb_item *map = ddb_value_map(value);
    const struct ddb_list *list = ddb_value_list(value);
    bool found = false;
    for (size_t i = 0; i < ddb_item_count(map); i++)
        found = found || has_nul(ddb_item_value_at(map, i));
    for (size_t i = 0; i < ddb_list_count(list); i++)
        found = found || has_nul(ddb_list_at(list, i));
    size_t size;
    const char *text = ddb_value_bytes(value, &size);
    return found || (text != NULL && memchr(text, 0, size) != NULL);
}

struct ddb_item *document_parse(const char *text, size_t size,
                                char ret_problem[DOCUMENT_PROBLEM_SIZE]) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_document(item, "document", text, size);
    const char *problem = ddb_item_error(item);
    if (problem == NULL && has_nul(ddb_item_value(item, "document")))
        problem = "a text has a NUL character";
    if (problem == NULL)
        return item;
    snprintf(ret_problem, DOCUMENT_PROBLEM_SIZE, "%s", problem);
    ddb_item_free(item);
    return NULL;
}

struct ddb_item *document_read(const struct app *app, const char *path, size_t size_max) {
    struct file_text file;
    char problem[DOCUMENT_PROBLEM_SIZE];
    if (!file_read(app, path, size_max, &file))
        return NULL;
    struct ddb_item *item = document_parse(file.text, file.size, problem);
    if (item == NULL)
        app_fail(app, "%s, %s", path, problem);
    free(file.text);
    return item;
}

/* ---- printing ---- */

void document_write(FILE *out, const struct ddb_value *value) {
    char *json = ddb_value_document(value);
    fputs(json, out);
    free(json);
}

void document_write_text(FILE *out, const char *text) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "text", text);
    document_write(out, ddb_item_value(item, "text"));
    ddb_item_free(item);
}

void document_print(const struct ddb_value *value) {
    document_write(stdout, value);
}
