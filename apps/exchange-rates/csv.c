/* csv.c - reads comma-separated values, record by record. */
#include "csv.h"

#include <string.h>

void csv_init(struct csv *csv, const char *text, size_t size) {
    *csv = (struct csv){.record = text, .next = text, .line = 1};
    if (strlen(text) != size)
        csv->problem = "there is a NUL character";
}

static bool is_separator(char c) {
    return c == ',' || c == '\n' || c == '\r' || c == '\0';
}

static bool put(struct csv *csv, size_t *size, char c) {
    if (*size == CSV_FIELD_SIZE - 1) {
        csv->problem = "a field is too long";
        return false;
    }
    csv->fields[csv->count][(*size)++] = c;
    csv->fields[csv->count][*size] = '\0';
    return true;
}

static bool take_quoted(struct csv *csv) {
    size_t size = 0;
    for (const char *at = csv->next + 1; *at != '\0'; at++) {
        if (*at == '"' && at[1] != '"') {
            csv->next = at + 1;
            return true;
        }
        at += *at == '"'; /* the second of two */
        if (!put(csv, &size, *at))
            return false;
    }
    csv->problem = "a quote is not closed";
    return false;
}

static bool take_plain(struct csv *csv) {
    size_t size = 0;
    for (; !is_separator(*csv->next); csv->next++) {
        if (*csv->next == '"') {
            csv->problem = "there is a quote inside a field";
            return false;
        }
        if (!put(csv, &size, *csv->next))
            return false;
    }
    return true;
}

static bool take_field(struct csv *csv) {
    if (csv->count == CSV_FIELDS_MAX) {
        csv->problem = "there are too many fields";
        return false;
    }
    csv->fields[csv->count][0] = '\0';
    bool ok = *csv->next == '"' ? take_quoted(csv) : take_plain(csv);
    csv->count++;
    if (ok && !is_separator(*csv->next)) {
        csv->problem = "there is text after a closing quote";
        return false;
    }
    return ok;
}

bool csv_next(struct csv *csv) {
    for (; csv->record < csv->next; csv->record++)
        csv->line += *csv->record == '\n';
    csv->count = 0;
    if (csv->problem != NULL || *csv->next == '\0')
        return false;
    while (take_field(csv) && *csv->next == ',')
        csv->next++;
    if (csv->problem != NULL)
        return false;
    csv->next += *csv->next == '\r';
    if (*csv->next != '\n' && *csv->next != '\0') {
        csv->problem = "a line ends with a lone CR";
        return false;
    }
    csv->next += *csv->next == '\n';
    return true;
}
