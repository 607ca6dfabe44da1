/* tree.c - see tree.h. */
#include "json/tree.h"

/* Where the token that comes next begins. */
static size_t next_at(const struct json_reader *reader) {
    const uint8_t *at = reader->next;
    while (at < reader->end && memchr(" \t\r\n,:", *at, 6) != NULL)
        at++;
    return (size_t)(at - reader->start);
}

static bool has_text(enum json_token token) {
    return token == JSON_STRING || token == JSON_INTEGER || token == JSON_DECIMAL;
}

const struct json_value *json_tree_read(struct arena *arena, struct slice input,
                                        size_t *ret_wrong_at) {
    const struct json_value *root = NULL;
    /* Of each container that is open: where its next value is hung in. */
    const struct json_value **ends[JSON_DEPTH_MAX + 1] = {&root};
    size_t depth = 0, name_at = 0;
    struct slice name = SLICE_NONE;
    struct json_reader reader;
    json_reader_init(&reader, input, arena);
    for (;;) {
        size_t at = next_at(&reader);
        enum json_token token = json_next(&reader);
        if (token == JSON_END)
            return root;
        if (token == JSON_ERROR) {
            if (ret_wrong_at != NULL)
                *ret_wrong_at = at;
            return NULL;
        }
        if (token == JSON_NAME) {
            name = reader.text;
            name_at = at;
            continue;
        }
        if (token == JSON_OBJECT_END || token == JSON_ARRAY_END) {
            depth--;
            continue;
        }
        struct json_value *value = ARENA_NEW(arena, struct json_value);
        *value = (struct json_value){.kind = token, .at = at, .name = name, .name_at = name_at};
        if (has_text(token))
            value->text = reader.text;
        *ends[depth] = value;
        ends[depth] = &value->next;
        if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN)
            ends[++depth] = &value->first;
        name = SLICE_NONE;
    }
}

const struct json_value *json_find(const struct json_value *object, const char *name) {
    if (object == NULL || object->kind != JSON_OBJECT_BEGIN)
        return NULL;
    const struct json_value *member = object->first;
    while (member != NULL && !slice_is(member->name, name))
        member = member->next;
    return member;
}

struct slice json_find_text(const struct json_value *object, const char *name) {
    const struct json_value *member = json_find(object, name);
    return member == NULL || member->kind != JSON_STRING ? SLICE_NONE : member->text;
}

const struct json_value *json_find_items(const struct json_value *object, const char *name) {
    const struct json_value *member = json_find(object, name);
    return member == NULL || member->kind != JSON_ARRAY_BEGIN ? NULL : member->first;
}
