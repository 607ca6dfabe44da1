/* document.c - plain JSON to values and back.
 *
 * Reading translates plain JSON into DynamoDB's: 5 is written {"N":"5"}, and what stands in [...]
 * is written {"L":[...]}. The client library then makes an item of that. Strings go over as they
 * are, escapes included: the client library is asked whether each is right, so that what a string
 * may be is told in one place. Recursion ends at DOCUMENT_DEPTH_MAX; in printing, which is
 * recursive too, the client library bounds how deep an item can be. */
#include "common/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

static const char *const NOT_JSON = "this is not JSON";

struct reading {
    const char *start, *next, *end;
    FILE *out;           /* DynamoDB's JSON */
    const char *problem; /* the first one; NULL: none so far */
};

/* Nothing is read any more. */
static void refuse(struct reading *r, const char *problem) {
    if (r->problem == NULL)
        r->problem = problem;
    r->end = r->next;
}

/* Takes the next character if it is one of these. */
static bool take(struct reading *r, const char *characters) {
    if (r->next == r->end || memchr(characters, *r->next, strlen(characters)) == NULL)
        return false;
    r->next++;
    return true;
}

static void skip_blanks(struct reading *r) {
    while (take(r, " \t\r\n"))
        continue;
}

/* Takes a character that may have blanks before it. */
static bool take_sign(struct reading *r, const char *sign) {
    skip_blanks(r);
    return take(r, sign);
}

/* ---- strings ---- */

/* `text` begins and ends with a quote, and has no other that is not escaped. */
static bool is_string(const char *text, int size) {
    size_t json_size = sizeof("{\"text\":{\"S\":}}") + (size_t)size;
    char *json = malloc(json_size);
    if (json == NULL)
        abort();
    snprintf(json, json_size, "{\"text\":{\"S\":%.*s}}", size, text);
    struct ddb_item *item = ddb_item_parse(json);
    bool ok = ddb_item_error(item) == NULL;
    ddb_item_free(item);
    free(json);
    return ok;
}

/* Writes the string that begins here. A NUL character in it is that problem. */
static void read_string(struct reading *r, const char *nul_problem) {
    const char *text = r->next, *at = text + 1;
    bool has_nul = false;
    while (at < r->end && *at != '"') {
        has_nul |= r->end - at >= 6 && memcmp(at, "\\u0000", 6) == 0;
        at += *at == '\\' && r->end - at > 1 ? 2 : 1;
    }
    int size = (int)(at + 1 - text);
    if (at >= r->end || !is_string(text, size)) {
        refuse(r, NOT_JSON);
        return;
    }
    fprintf(r->out, "%.*s", size, text);
    r->next = at + 1;
    if (has_nul)
        refuse(r, nul_problem);
}

static void read_name(struct reading *r) {
    static const char problem[] = "a name is empty or has a NUL character";
    skip_blanks(r);
    if (r->next == r->end || *r->next != '"') {
        refuse(r, NOT_JSON);
        return;
    }
    const char *name = r->next;
    read_string(r, problem);
    if (r->next - name == 2)
        refuse(r, problem);
    if (!take_sign(r, ":"))
        refuse(r, NOT_JSON);
    fputc(':', r->out);
}

/* ---- other values ---- */

static void skip_digits(struct reading *r) {
    if (!take(r, "0123456789"))
        refuse(r, NOT_JSON);
    while (take(r, "0123456789"))
        continue;
}

static bool is_number(const char *text) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_number(item, "number", text);
    bool ok = ddb_item_error(item) == NULL;
    ddb_item_free(item);
    return ok;
}

static void read_number(struct reading *r) {
    const char *number = r->next;
    take(r, "-");
    if (!take(r, "0"))
        skip_digits(r);
    if (take(r, "."))
        skip_digits(r);
    if (take(r, "eE")) {
        take(r, "+-");
        skip_digits(r);
    }
    char text[128];
    int size = snprintf(text, sizeof(text), "%.*s", (int)(r->next - number), number);
    if (size >= (int)sizeof(text) || !is_number(text))
        refuse(r, "a number has more than 38 digits or is out of range");
    fprintf(r->out, "{\"N\":\"%s\"}", text);
}

static void read_word(struct reading *r, const char *word, const char *typed) {
    size_t size = strlen(word);
    if ((size_t)(r->end - r->next) < size || memcmp(r->next, word, size) != 0) {
        refuse(r, NOT_JSON);
        return;
    }
    r->next += size;
    fputs(typed, r->out);
}

static void read_value(struct reading *r, int depth);

/* What is in an object or an array, up to the bracket that closes it. */
static void read_members(struct reading *r, bool object, int depth) {
    const char *close = object ? "}" : "]";
    if (depth > DOCUMENT_DEPTH_MAX)
        refuse(r, "objects and arrays are nested too deep");
    bool more = !take_sign(r, close);
    while (more && r->problem == NULL) {
        if (object)
            read_name(r);
        read_value(r, depth + 1);
        more = take_sign(r, ",");
        if (more)
            fputc(',', r->out);
        else if (!take(r, close))
            refuse(r, NOT_JSON);
    }
}

static void read_value(struct reading *r, int depth) {
    skip_blanks(r);
    if (r->problem != NULL)
        return;
    if (take(r, "{")) {
        fputs("{\"M\":{", r->out);
        read_members(r, true, depth);
        fputs("}}", r->out);
    } else if (take(r, "[")) {
        fputs("{\"L\":[", r->out);
        read_members(r, false, depth);
        fputs("]}", r->out);
    } else if (r->next < r->end && *r->next == '"') {
        fputs("{\"S\":", r->out);
        read_string(r, "a text has a NUL character");
        fputc('}', r->out);
    } else if (r->next < r->end && *r->next == 't') {
        read_word(r, "true", "{\"BOOL\":true}");
    } else if (r->next < r->end && *r->next == 'f') {
        read_word(r, "false", "{\"BOOL\":false}");
    } else if (r->next < r->end && *r->next == 'n') {
        read_word(r, "null", "{\"NULL\":true}");
    } else {
        read_number(r);
    }
}

static int line_of(const struct reading *r) {
    int line = 1;
    for (const char *c = r->start; c < r->next; c++)
        line += *c == '\n';
    return line;
}

struct ddb_item *document_parse(const char *text, size_t size,
                                char ret_problem[DOCUMENT_PROBLEM_SIZE]) {
    struct reading r = {.start = text, .next = text, .end = text + size};
    char *json;
    size_t json_size;
    r.out = open_memstream(&json, &json_size);
    if (r.out == NULL)
        abort();
    fputs("{\"document\":", r.out);
    read_value(&r, 1);
    skip_blanks(&r);
    if (r.next < r.end)
        refuse(&r, NOT_JSON);
    fputc('}', r.out);
    if (fclose(r.out) != 0)
        abort();
    struct ddb_item *item = NULL;
    if (r.problem == NULL)
        item = ddb_item_parse(json);
    else
        snprintf(ret_problem, DOCUMENT_PROBLEM_SIZE, "line %d: %s", line_of(&r), r.problem);
    free(json);
    return item;
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

void document_write_text(FILE *out, const char *text) {
    static const char signs[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const char *sign = strchr(signs, *text);
        if (sign != NULL)
            fprintf(out, "\\%c", letters[sign - signs]);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void write_map(FILE *out, const struct ddb_item *map) {
    fputc('{', out);
    for (size_t i = 0; i < ddb_item_count(map); i++) {
        if (i > 0)
            fputc(',', out);
        document_write_text(out, ddb_item_name_at(map, i));
        fputc(':', out);
        document_write(out, ddb_item_value_at(map, i));
    }
    fputc('}', out);
}

static void write_list(FILE *out, const struct ddb_list *list) {
    fputc('[', out);
    for (size_t i = 0; i < ddb_list_count(list); i++) {
        if (i > 0)
            fputc(',', out);
        document_write(out, ddb_list_at(list, i));
    }
    fputc(']', out);
}

void document_write(FILE *out, const struct ddb_value *value) {
    switch (ddb_value_type(value)) {
    case DDB_S:
        document_write_text(out, ddb_value_string(value, ""));
        break;
    case DDB_N:
        fprintf(out, "%s", ddb_value_number(value, ""));
        break;
    case DDB_BOOL:
        fprintf(out, "%s", ddb_value_bool(value, false) ? "true" : "false");
        break;
    case DDB_M:
        write_map(out, ddb_value_map(value));
        break;
    case DDB_L:
    case DDB_SS:
    case DDB_NS:
    case DDB_BS:
        write_list(out, ddb_value_list(value));
        break;
    case DDB_B:
        fprintf(out, "\"?\"");
        break;
    case DDB_NULL:
    case DDB_NONE:
        fprintf(out, "null");
        break;
    }
}

void document_print(const struct ddb_value *value) {
    document_write(stdout, value);
}
