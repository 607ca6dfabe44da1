/* named_note.c - see named_note.h. */
#include "cli/named_note.h"

#include <stdio.h>

#include "admin/name_spaces.h"
#include "cli/say.h"

void named_note(struct arena *arena, const char *directory, const char *command) {
    struct name_spaces list = name_spaces_of(arena, directory);
    if (list.count > 0)
        say(stderr,
            "gramme: left out: %zu name space%s, which are data directories of their own, below "
            "%s/" NAME_SPACES_FOLDER "; each by itself: gramme %s %s\n",
            list.count, list.count == 1 ? "" : "s", directory, command, list.paths[0]);
}
