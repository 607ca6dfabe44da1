/* tls_library.c - see tls_library.h. */
#include "crypto/tls_library.h"

#include <pthread.h>

#include "base/library.h"

static struct tls_library library;
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static struct error *load_now(struct arena *arena) {
    static const struct library_symbol symbols[] = {
#define TLS(name) {#name, &library.name},
#include "crypto/tls_library.def"
#undef TLS
    };
    return library_load(arena, GRAMME_SSL_LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

struct error *tls_library_load(struct arena *arena, const struct tls_library **ret_library) {
    struct error *error = NULL;
    pthread_mutex_lock(&load_lock);
    if (!loaded)
        error = load_now(arena);
    loaded = error == NULL;
    pthread_mutex_unlock(&load_lock);
    *ret_library = &library;
    return error;
}

const struct tls_library *tls_library_loaded(void) {
    return &library;
}

struct slice tls_library_reason(const struct tls_library *ssl) {
    unsigned long code = ssl->ERR_peek_error();
    if (code == 0)
        return SLICE_NONE;
    /* Of a system call that failed the code holds errno and no words of OpenSSL's. */
    const char *text = ERR_SYSTEM_ERROR(code) ? strerror((int)ERR_GET_REASON(code))
                                              : ssl->ERR_reason_error_string(code);
    return text == NULL ? SLICE_NONE : slice_text(text);
}
