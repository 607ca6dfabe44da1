/* settings.c - see settings.h. */
#include "cli/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/nearest.h"

enum { FILE_BYTES_MAX = 1024 * 1024 };

/* What some editors begin a file of UTF-8 with. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Of one place where options come from: which of them it has nothing to say about any more, since a
 * better place did. */
struct place {
    struct invocation *invocation;
    bool settled[OPTIONS_MAX];
};

static bool excludes(const struct option *option, const struct option *other) {
    return option->excludes != NULL && strcmp(option->excludes, other->name) == 0;
}

static struct place place_begin(struct invocation *invocation) {
    const struct option *options = invocation->command->options;
    struct place place = {.invocation = invocation};
    for (size_t i = 0; options[i].name != NULL; i++) {
        place.settled[i] = invocation->given[i] || invocation->turned_off[i];
        for (size_t k = 0; options[k].name != NULL; k++)
            if (invocation->given[k] &&
                (excludes(&options[k], &options[i]) || excludes(&options[i], &options[k])))
                place.settled[i] = true;
    }
    return place;
}

/* ---- a value ---- */

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static const char *const on[] = {"1", "true", "yes", "on", NULL};
static const char *const off[] = {"0", "false", "no", "off", NULL};

static struct error *take_flag(struct place *place, const struct option *option, const char *text) {
    struct invocation *invocation = place->invocation;
    ptrdiff_t at = option - invocation->command->options;
    invocation->turned_off[at] = is_one_of(text, off);
    if (invocation->turned_off[at])
        return NULL;
    if (!is_one_of(text, on))
        return error_local(invocation->arena, "it is on or off, not '%s'", text);
    invocation->given[at] = true;
    return option_set(invocation->arena, invocation->values, option, NULL);
}

static struct error *take_value(struct place *place, const struct option *option,
                                const char *text) {
    struct invocation *invocation = place->invocation;
    if (place->settled[option - invocation->command->options])
        return NULL;
    if (option->kind == OPTION_FLAG)
        return take_flag(place, option, text);
    invocation->given[option - invocation->command->options] = true;
    return option_set(invocation->arena, invocation->values, option, text);
}

static struct error *take_list(struct place *place, const struct option *option, const char *text) {
    struct arena *arena = place->invocation->arena;
    for (const char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        end = text + strcspn(text, ",");
        struct slice part = arena_printf(arena, "%.*s", (int)(end - text), text);
        if (part.len > 0)
            TRY(take_value(place, option, (const char *)part.data));
    }
    return NULL;
}

static struct error *named(struct arena *arena, const char *where, struct error *error) {
    if (error == NULL)
        return NULL;
    return error_local(arena, "%s: %.*s", where, SLICE_ARGS(error->message));
}

/* ---- variables ---- */

bool settings_turn_on(const char *variable) {
    const char *text = getenv(variable);
    return text != NULL && is_one_of(text, on);
}

const char *settings_variable(struct arena *arena, const struct option *option) {
    char *name = (char *)(uintptr_t)arena_printf(arena, "GRAMME_%s", option->name).data;
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    return name;
}

/* That the command line says the same option is nothing to tell of; that it excludes it is. */
static void note_excluded(const struct place *place, const struct option *option,
                          const char *variable, const char *text) {
    struct invocation *invocation = place->invocation;
    size_t at = (size_t)(option - invocation->command->options);
    if (!place->settled[at] || invocation->given[at] ||
        (option->kind == OPTION_FLAG && is_one_of(text, off)))
        return;
    bool first = invocation->excluded.len == 0;
    invocation->excluded =
        arena_printf(invocation->arena, "%.*s%s%s", SLICE_ARGS(invocation->excluded),
                     first ? "" : ", ", variable);
}

static struct error *read_variables(struct invocation *invocation) {
    struct place place = place_begin(invocation);
    for (const struct option *option = invocation->command->options; option->name != NULL;
         option++) {
        const char *name = settings_variable(invocation->arena, option);
        const char *text = getenv(name);
        if (text == NULL || *text == '\0')
            continue;
        bool several = option->kind == OPTION_TEXTS || option->kind == OPTION_PAIRS;
        note_excluded(&place, option, name, text);
        TRY(named(invocation->arena, name,
                  (several ? take_list : take_value)(&place, option, text)));
    }
    return NULL;
}

/* ---- a file ---- */

static char *trimmed(char *text) {
    text += strspn(text, " \t\r");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
        text[--len] = '\0';
    return text;
}

static struct error *no_such(const struct invocation *invocation, const char *name) {
    struct nearest nearest = nearest_to(slice_text(name));
    for (const struct option *option = invocation->command->options; option->name != NULL; option++)
        nearest_offer(&nearest, option->name);
    return error_local(invocation->arena, "there is no option '%s'%s%s", name,
                       nearest.name == NULL ? "" : ", but ",
                       nearest.name == NULL ? "" : nearest.name);
}

static struct error *take_line(struct place *place, char *line) {
    struct invocation *invocation = place->invocation;
    char *equals = strchr(line, '=');
    if (equals != NULL)
        *equals = '\0';
    const char *name = trimmed(line), *value = equals == NULL ? NULL : trimmed(equals + 1);
    for (const struct option *option = invocation->command->options; option->name != NULL;
         option++) {
        if (strcmp(option->name, name) != 0)
            continue;
        if (option->at == invocation->command->settings_file)
            return error_local(invocation->arena, "a file of options names no other");
        if (value == NULL && option->kind != OPTION_FLAG)
            return error_local(invocation->arena, "a value is missing after %s", name);
        return take_value(place, option, value == NULL ? "on" : value);
    }
    return no_such(invocation, name);
}

static struct error *read_lines(struct invocation *invocation, const char *path, char *text) {
    struct place place = place_begin(invocation);
    size_t number = 0;
    for (char *line = text, *next; line != NULL; line = next) {
        number++;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line = trimmed(line);
        if (*line == '\0' || *line == '#')
            continue;
        struct slice where = arena_printf(invocation->arena, "%s, line %zu", path, number);
        TRY(named(invocation->arena, (const char *)where.data, take_line(&place, line)));
    }
    return NULL;
}

static struct error *read_file(struct invocation *invocation, const char *path) {
    struct arena *arena = invocation->arena;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return error_local(arena, "%s: %s", path, strerror(errno));
    char *text = arena_alloc(arena, FILE_BYTES_MAX + 1);
    size_t len = fread(text, 1, FILE_BYTES_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || len > FILE_BYTES_MAX || memchr(text, '\0', len) != NULL)
        return error_local(arena, "%s: this is no file of settings", path);
    text[len] = '\0';
    bool marked = strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0;
    return read_lines(invocation, path, text + (marked ? strlen(BYTE_ORDER_MARK) : 0));
}

struct error *settings_read(struct invocation *invocation) {
    TRY(read_variables(invocation));
    const char *path;
    memcpy(&path, (const char *)invocation->values + invocation->command->settings_file,
           sizeof(path));
    return path == NULL ? NULL : read_file(invocation, path);
}
