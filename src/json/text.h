/* text.h - an object of JSON as a text of its own: a record, or the body of a request.
 *
 *     struct json_text text;
 *     json_text_begin(&text);
 *     member_word(&text.json, "name", "value");
 *     struct slice body = json_text_end(&text, arena);
 *
 * Memory: a buffer while it is written, the arena afterwards. */
#ifndef GRAMME_JSON_TEXT_H
#define GRAMME_JSON_TEXT_H

#include "base/arena.h"
#include "json/writer.h"

/* Never reached: what is written was bounded where it was read. */
enum { JSON_TEXT_BYTES_MAX = 256 * 1024 * 1024 };

struct json_text {
    struct buffer buffer;
    struct json_writer json;
};

void json_text_begin(struct json_text *text);
/* Behind it is a NUL, which it does not count. */
struct slice json_text_end(struct json_text *text, struct arena *arena);

#endif
