/* profile.c - a pull reader over the lines of a profile file. */
#include "client/profile.h"

#include <errno.h>
#include <stdio.h>

enum { FILE_SIZE_MAX = 1024 * 1024 };

const char *profile_file_read(struct arena *arena, const char *path, struct slice *ret_text) {
    *ret_text = SLICE_NONE;
    FILE *file = fopen(path, "re");
    if (file == NULL && (errno == ENOENT || errno == ENOTDIR))
        return NULL;
    if (file == NULL)
        return (const char *)arena_printf(arena, "cannot read %s: %s", path, strerror(errno)).data;
    char *text = arena_alloc(arena, FILE_SIZE_MAX);
    size_t len = fread(text, 1, FILE_SIZE_MAX, file);
    int failure = ferror(file) ? errno : 0;
    fclose(file);
    if (failure != 0)
        return (const char *)arena_printf(arena, "cannot read %s: %s", path, strerror(failure))
            .data;
    if (len == FILE_SIZE_MAX)
        return (const char *)arena_printf(arena, "%s is larger than a megabyte", path).data;
    *ret_text = slice_of(text, len);
    return NULL;
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
            return slice_first(text, i);
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
    lines->line = slice_first(lines->rest, len);
    lines->rest = slice_skip(lines->rest, end == NULL ? len : len + 1);
    return true;
}

/* The kind of section that a file has its profiles in: [profile NAME], or [NAME] alone. */
static const char *profile_kind(const struct profile_file *file) {
    return file->named_with_prefix ? "profile" : NULL;
}

/* The name between the brackets, without the kind; "" when the section is of another kind. False
 * when the line is no heading. */
static bool heading(struct slice line, const char *kind, struct slice *ret_name) {
    line = trim(without_comment(line));
    if (line.len < 2 || line.data[0] != '[' || line.data[line.len - 1] != ']')
        return false;
    struct slice name = trim(slice_part(line, 1, line.len - 2));
    *ret_name = name;
    if (kind == NULL || (slice_is(name, "default") && strcmp(kind, "profile") == 0))
        return true;
    struct slice prefix = slice_text(kind);
    if (slice_starts_with(name, prefix) && name.len > prefix.len && is_blank(name.data[prefix.len]))
        *ret_name = trim(slice_skip(name, prefix.len));
    else
        *ret_name = SLICE_LITERAL("");
    return true;
}

/* Goes to the line after the section's heading. */
static bool find_section(struct lines *lines, const struct profile_file *file, const char *kind,
                         const char *wanted) {
    struct slice name;
    *lines = (struct lines){.rest = file->text};
    while (next_line(lines))
        if (heading(lines->line, kind, &name) && slice_is(name, wanted))
            return true;
    return false;
}

/* name = value, without comments; false when the line is something else. */
static bool split(struct slice line, struct slice *ret_name, struct slice *ret_value) {
    const uint8_t *equals = line.len == 0 ? NULL : memchr(line.data, '=', line.len);
    if (equals == NULL || line.data[0] == '#' || line.data[0] == ';')
        return false;
    size_t at = (size_t)(equals - line.data);
    *ret_name = trim(slice_first(line, at));
    *ret_value = trim(without_comment(slice_skip(line, at + 1)));
    return true;
}

static bool is_indented(struct slice line) {
    return line.len > 0 && is_blank(line.data[0]);
}

/* NULL when the value is empty or has a NUL. */
static const char *usable(struct arena *arena, struct slice value) {
    if (value.len == 0 || memchr(value.data, 0, value.len) != NULL)
        return NULL;
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(value)).data;
}

bool profile_exists(const struct profile_file *file, const char *profile) {
    struct lines lines;
    return find_section(&lines, file, profile_kind(file), profile);
}

const char *profile_setting(struct arena *arena, const struct profile_file *file,
                            const char *profile, const char *name) {
    struct lines lines;
    struct slice found, value;
    const char *setting = NULL;
    if (!find_section(&lines, file, profile_kind(file), profile))
        return NULL;
    while (setting == NULL && next_line(&lines) && !heading(lines.line, NULL, &found))
        if (!is_indented(lines.line) && split(lines.line, &found, &value) && slice_is(found, name))
            setting = usable(arena, value);
    return setting;
}

const char *profile_service_setting(struct arena *arena, const struct profile_file *file,
                                    const char *services, const char *service, const char *name) {
    struct lines lines;
    struct slice found, value;
    const char *setting = NULL;
    bool inside = false;
    if (!find_section(&lines, file, "services", services))
        return NULL;
    while (setting == NULL && next_line(&lines) && !heading(lines.line, NULL, &found)) {
        bool nested = is_indented(lines.line);
        if (!split(nested ? trim(lines.line) : lines.line, &found, &value))
            continue;
        if (!nested)
            inside = slice_is(found, service);
        else if (inside && slice_is(found, name))
            setting = usable(arena, value);
    }
    return setting;
}
