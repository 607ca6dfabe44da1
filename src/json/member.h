/* member.h - a member of an object, its name and its value at once. Names are without an escape. */
#ifndef GRAMME_JSON_MEMBER_H
#define GRAMME_JSON_MEMBER_H

#include "json/writer.h"

static inline void member_text(struct json_writer *json, const char *name, struct slice text) {
    json_name(json, slice_text(name));
    json_string(json, text);
}

/* A text of the program's own; it ends with a NUL. */
static inline void member_word(struct json_writer *json, const char *name, const char *word) {
    member_text(json, name, slice_text(word));
}

static inline void member_integer(struct json_writer *json, const char *name, int64_t n) {
    json_name(json, slice_text(name));
    json_integer(json, n);
}

static inline void member_bool(struct json_writer *json, const char *name, bool truth) {
    json_name(json, slice_text(name));
    json_bool(json, truth);
}

/* Absent when it is 0. */
static inline void member_time(struct json_writer *json, const char *name, int64_t ms) {
    if (ms == 0)
        return;
    json_name(json, slice_text(name));
    json_timestamp(json, ms);
}

/* An object or an array, which the caller ends. */
static inline void member_object(struct json_writer *json, const char *name) {
    json_name(json, slice_text(name));
    json_object_begin(json);
}

static inline void member_array(struct json_writer *json, const char *name) {
    json_name(json, slice_text(name));
    json_array_begin(json);
}

#endif
