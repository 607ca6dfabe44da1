/* name_spaces.c - see name_spaces.h. */
#include "admin/name_spaces.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "admin/data_directory.h"

static int compare(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void add(struct name_spaces *list, struct arena *arena, const char *path, size_t *room) {
    if (list->count == *room) {
        *room = *room == 0 ? 16 : 2 * *room;
        const char **paths = ARENA_ARRAY(arena, const char *, *room);
        if (list->count > 0)
            memcpy(paths, list->paths, list->count * sizeof(*paths));
        list->paths = paths;
    }
    list->paths[list->count++] = path;
}

struct name_spaces name_spaces_of(struct arena *arena, const char *directory) {
    struct name_spaces list = {NULL, 0};
    size_t room = 0;
    struct slice folder = arena_printf(arena, "%s/" NAME_SPACES_FOLDER, directory);
    DIR *entries = opendir((const char *)folder.data);
    if (entries == NULL)
        return list;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] == '.')
            continue;
        struct slice path = arena_printf(arena, "%.*s/%s", SLICE_ARGS(folder), entry->d_name);
        if (data_directory_is_begun(arena, (const char *)path.data))
            add(&list, arena, (const char *)path.data, &room);
    }
    closedir(entries);
    if (list.count > 0)
        qsort(list.paths, list.count, sizeof(*list.paths), compare);
    return list;
}
