/* writer.h - streaming JSON output into a buffer.
 *
 * Commas are put where they belong; nesting is the caller's. Strings are UTF-8 already; only
 * quotes, backslashes and control characters are escaped. */
#ifndef GRAMME_JSON_WRITER_H
#define GRAMME_JSON_WRITER_H

#include "base/buffer.h"

struct json_writer {
    struct buffer *out;
    bool comma; /* before the next name or element */
};

void json_writer_init(struct json_writer *writer, struct buffer *out);

void json_object_begin(struct json_writer *writer);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer);
void json_array_end(struct json_writer *writer);
void json_name(struct json_writer *writer, struct slice name);
void json_string(struct json_writer *writer, struct slice text);
void json_base64(struct json_writer *writer, struct slice bytes); /* a string of base64 */
void json_integer(struct json_writer *writer, int64_t n);
/* As the service prints doubles: 1.0, 0.5. */
void json_double(struct json_writer *writer, double n);
/* Seconds since 1970 with milliseconds, e.g. 1715875234.567 */
void json_timestamp(struct json_writer *writer, int64_t ms);
void json_bool(struct json_writer *writer, bool truth);
void json_null(struct json_writer *writer);

/* The inside of a string, for writers that put the quotes themselves. */
void json_escape(struct buffer *out, struct slice text);
/* Copies up to the first byte that needs an escape, and returns how many bytes that were; `out` has
 * room for the whole text. */
size_t json_copy_plain(uint8_t *out, struct slice text);

/* A name as it is to appear, with its quotes and its colon. */
void json_name_as_is(struct json_writer *writer, struct slice name);

/* A name without anything to escape. */
#define JSON_NAME_LITERAL(writer, text) json_name_as_is((writer), SLICE_LITERAL("\"" text "\":"))

#endif
