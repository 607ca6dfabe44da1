/* reader.h - a strict pull reader for JSON (RFC 8259) over bytes that are all there.
 *
 * Each call takes one token. Strings come unescaped: a slice of the input where there was nothing
 * to unescape, else a copy in the arena. Text must be valid UTF-8; lone surrogates and control
 * characters are errors. Nesting is limited. After an error every further call returns JSON_ERROR.
 */
#ifndef GRAMME_JSON_READER_H
#define GRAMME_JSON_READER_H

#include "base/arena.h"

enum json_token {
    JSON_ERROR,
    JSON_END, /* after the outermost value and white space */
    JSON_OBJECT_BEGIN,
    JSON_OBJECT_END,
    JSON_ARRAY_BEGIN,
    JSON_ARRAY_END,
    JSON_NAME, /* of an object's member; its value follows */
    JSON_STRING,
    JSON_INTEGER, /* no fraction, no exponent */
    JSON_DECIMAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};

enum { JSON_DEPTH_MAX = 512 };

struct json_reader {
    const uint8_t *start;
    const uint8_t *next;
    const uint8_t *end;
    struct arena *arena;
    struct slice text;     /* of the last name, string (unescaped) or number (as written) */
    enum json_token token; /* the last one */
    uint32_t depth;
    uint8_t expect; /* internal */
    uint8_t in_array[JSON_DEPTH_MAX / 8];
};

void json_reader_init(struct json_reader *reader, struct slice input, struct arena *arena);
enum json_token json_next(struct json_reader *reader);
/* Inside an object, where a name or the end is to come: json_next(), and whether it was a name. */
bool json_next_name(struct json_reader *reader);
/* After a value's first token: skips the rest of that value. False on a syntax error. */
bool json_skip(struct json_reader *reader);
/* Just after JSON_OBJECT_BEGIN, for the shape most values of the API have: when the rest of the
 * object is one member with a name of one letter, 'a' or 'b', and a string without escapes
 * ({"S":"x"}), takes all of it as if by json_next() up to JSON_OBJECT_END, leaves the string in
 * `text` and returns the letter. Otherwise takes nothing and returns 0. */
uint8_t json_take_tagged(struct json_reader *reader, uint8_t a, uint8_t b);
/* The same for a whole member of an object ("pk":{"S":"x"}), where the next name is to come. */
uint8_t json_take_tagged_member(struct json_reader *reader, uint8_t a, uint8_t b,
                                struct slice *ret_name);
/* Reads whatever is left. True when the whole input is one well-formed value. */
bool json_finish(struct json_reader *reader);

#endif
