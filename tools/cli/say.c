/* say.c - see say.h. */
#include "cli/say.h"

#include <stdarg.h>

#include "base/arena.h"
#include "base/printable.h"

void say(FILE *out, const char *format, ...) {
    struct arena arena;
    arena_init(&arena);
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(&arena, format, args);
    va_end(args);
    make_printable((char *)(uintptr_t)text.data, text.len, true);
    fwrite(text.data, 1, text.len, out);
    arena_release(&arena);
}
