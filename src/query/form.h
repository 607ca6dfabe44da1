/* form.h - the body of a request of the query protocol: names and values, as an HTML form sends
 * them ("Action=AssumeRole&Version=2011-06-15").
 *
 * A form has FORM_FIELDS_MAX fields at most, in FORM_BYTES_MAX, as long as whoever sends it is not
 * known. Memory: the arena. */
#ifndef GRAMME_QUERY_FORM_H
#define GRAMME_QUERY_FORM_H

#include "base/arena.h"

enum { FORM_FIELDS_MAX = 512, FORM_BYTES_MAX = 64 * 1024 };

struct form_field {
    struct slice name;
    struct slice value;
};

struct form {
    struct form_field *fields;
    size_t count;
};

/* False: it is too long, or has too many fields. */
bool form_read(struct arena *arena, struct slice body, struct form *ret_form);
/* The same of somebody who is known, and whose forms may be that long. */
bool form_read_within(struct arena *arena, struct slice body, size_t bytes_max, size_t fields_max,
                      struct form *ret_form);
/* A field of a form that is not read yet: nothing else of it is decoded. */
struct slice form_peek(struct arena *arena, struct slice body, const char *name);
/* The first of that name; absent when there is none. */
struct slice form_find(const struct form *form, const char *name);

#endif
