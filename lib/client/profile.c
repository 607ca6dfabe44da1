/* profile.c - a pull reader over the lines of a profile file. */
#include "client/profile.h"

#include <stdio.h>

enum { FILE_SIZE_MAX = 1024 * 1024 };

struct slice profile_file_read(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return SLICE_NONE;
    char *text = arena_alloc(arena, FILE_SIZE_MAX);
    size_t len = fread(text, 1, FILE_SIZE_MAX, file);
    bool whole = !ferror(file) && len < FILE_SIZE_MAX;
    fclose(file);
    return whole ? slice_of(text, len) : SLICE_NONE;
}

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static struct slice trim(struct slice text) {
    while (text.len > 0 && is_blank(text.data[0]))
        text = slice_skip(text, 1);
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Without a comment that follows a blank. */
static struct slice without_comment(struct slice text) {
    for (size_t i = 1; i < text.len; i++)
        if ((text.data[i] == '#' || text.data[i] == ';') && is_blank(text.data[i - 1]))
            return slice_of(text.data, i);
    return text;
}

struct lines {
    struct slice rest;
    struct slice line;
};

/* False at the end. */
static bool next_line(struct lines *lines) {
    if (lines->rest.len == 0)
        return false;
    const uint8_t *end = memchr(lines->rest.data, '\n', lines->rest.len);
    size_t len = end == NULL ? lines->rest.len : (size_t)(end - lines->rest.data);
    lines->line = slice_of(lines->rest.data, len);
    lines->rest = slice_skip(lines->rest, end == NULL ? len : len + 1);
    return true;
}

/* The name between the brackets, without "profile"; false when the line is no heading. */
static bool heading(struct slice line, bool named_with_prefix, struct slice *ret_name) {
    line = trim(without_comment(line));
    if (line.len < 2 || line.data[0] != '[' || line.data[line.len - 1] != ']')
        return false;
    struct slice name = trim(slice_of(line.data + 1, line.len - 2));
    struct slice prefix = SLICE_LITERAL("profile");
    if (named_with_prefix && !slice_is(name, "default")) {
        if (!slice_starts_with(name, prefix) || name.len == prefix.len ||
            !is_blank(name.data[prefix.len]))
            name = SLICE_LITERAL(""); /* [services x], [sso-session x] */
        else
            name = trim(slice_skip(name, prefix.len));
    }
    *ret_name = name;
    return true;
}

/* Goes to the line after the profile's heading. */
static bool find_profile(struct lines *lines, const struct profile_file *file,
                         const char *profile) {
    struct slice name;
    *lines = (struct lines){.rest = file->text};
    while (next_line(lines))
        if (heading(lines->line, file->named_with_prefix, &name) && slice_is(name, profile))
            return true;
    return false;
}

bool profile_exists(const struct profile_file *file, const char *profile) {
    struct lines lines;
    return find_profile(&lines, file, profile);
}

const char *profile_setting(struct arena *arena, const struct profile_file *file,
                            const char *profile, const char *name) {
    struct lines lines;
    struct slice other;
    if (!find_profile(&lines, file, profile))
        return NULL;
    while (next_line(&lines) && !heading(lines.line, file->named_with_prefix, &other)) {
        struct slice line = lines.line;
        if (line.len == 0 || is_blank(line.data[0]) || line.data[0] == '#' || line.data[0] == ';')
            continue;
        const uint8_t *equals = memchr(line.data, '=', line.len);
        if (equals == NULL)
            continue;
        size_t at = (size_t)(equals - line.data);
        struct slice value = trim(without_comment(slice_skip(line, at + 1)));
        bool usable = value.len > 0 && memchr(value.data, 0, value.len) == NULL;
        if (slice_is(trim(slice_of(line.data, at)), name) && usable)
            return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(value)).data;
    }
    return NULL;
}
