/* libcurl.c - see libcurl.h. */
#include "libcurl/libcurl.h"

#include <pthread.h>

#include "base/library.h"

struct libcurl libcurl;

#define SYMBOL(name) {"curl_" #name, &libcurl.name},
static const struct library_symbol symbols[] = {LIBCURL_FUNCTIONS(SYMBOL)};
#undef SYMBOL

static pthread_once_t started = PTHREAD_ONCE_INIT;
static bool usable;

static void start(void) {
    struct arena arena;
    arena_init(&arena);
    usable = library_load(&arena, GRAMME_CURL_LIBRARY, symbols,
                          sizeof(symbols) / sizeof(symbols[0])) == NULL &&
             libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    arena_release(&arena);
}

bool libcurl_load(void) {
    pthread_once(&started, start);
    return usable;
}
