/* csv.h - a small strict reader of comma-separated values (RFC 4180).
 *
 * Lines end with LF or CRLF; a field in double quotes may have commas, line ends and, doubled,
 * quotes. What is longer than the limits, and a quote in the middle of a field, is an error. */
#ifndef EXCHANGE_RATES_CSV_H
#define EXCHANGE_RATES_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS_MAX = 16, CSV_FIELD_SIZE = 128 };

struct csv {
    const char *record;  /* where the latest record begins */
    const char *next;    /* and where it ends */
    int line;            /* of the latest record */
    const char *problem; /* NULL: none so far */
    char fields[CSV_FIELDS_MAX][CSV_FIELD_SIZE];
    int count;
};

/* The text ends with a NUL and must outlive the reader. */
void csv_init(struct csv *csv, const char *text, size_t size);
/* Reads a record into `fields`. False at the end, and when there is a problem. */
bool csv_next(struct csv *csv);

#endif
