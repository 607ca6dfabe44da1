/* certificates.c - see certificates.h. */
#include "server/certificates.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "crypto/secret.h"

enum { FILES = 3, WARN_DAYS = 14, DAY_S = 24 * 3600 };

/* Between two looks, at the least: half of what they are meant to be apart. */
#define REST_NS (CERTIFICATES_LOOK_MS * UINT64_C(1000000) / 2)

/* What tells one state of the files from another. A name that leads to another file, as those of
 * mounted secrets do, is a change too. */
struct files_state {
    struct {
        dev_t device;
        ino_t inode;
        off_t size;
        struct timespec changed;
    } files[FILES];
};

struct certificates {
    struct tls_server_files files;
    struct tls_server *tls;
    struct files_state tried; /* what was read last, with success or without */
    struct files_state seen;  /* at the last look */
    uint64_t looked_ns;       /* when that was */
};

static struct files_state look(const struct tls_server_files *files) {
    const char *const names[FILES] = {files->certificate, files->key, files->client_ca};
    struct files_state state;
    memset(&state, 0, sizeof(state)); /* its padding too: it is compared as bytes */
    for (size_t i = 0; i < FILES; i++) {
        struct stat status;
        if (names[i] == NULL || stat(names[i], &status) != 0)
            continue;
        state.files[i].device = status.st_dev;
        state.files[i].inode = status.st_ino;
        state.files[i].size = status.st_size;
        state.files[i].changed = status.st_mtim;
    }
    return state;
}

static bool is_same(const struct files_state *a, const struct files_state *b) {
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void tell_expiry(const struct certificates *self, const char *what) {
    char until[TIMESTAMP_CHARS + 1];
    int64_t expiry_s = tls_server_expiry_s(self->tls);
    int64_t left_s = expiry_s - clock_now_ms(&system_clock) / 1000;
    timestamp_print(expiry_s * 1000, until);
    until[10] = '\0'; /* the day will do */
    if (left_s <= 0)
        log_error("the certificate in %s expired on %s", self->files.certificate, until);
    else if (left_s < WARN_DAYS * DAY_S)
        log_warning("the certificate in %s expires on %s", self->files.certificate, until);
    else if (what != NULL)
        log_info("the certificate in %s %s; it expires on %s", self->files.certificate, what,
                 until);
}

struct error *certificates_open(struct arena *arena, const struct tls_server_files *files,
                                struct certificates **ret_certificates) {
    struct files_state before = look(files);
    struct tls_server *tls;
    TRY(tls_server_new(arena, files, &tls));
    struct certificates *self = calloc(1, sizeof(*self));
    CHECK(self != NULL);
    *self = (struct certificates){*files, tls, before, before, monotonic_ns()};
    secret_process(); /* the key is in memory */
    tell_expiry(self, NULL);
    *ret_certificates = self;
    return NULL;
}

void certificates_close(struct certificates *certificates) {
    if (certificates == NULL)
        return;
    tls_server_free(certificates->tls);
    free(certificates);
}

struct tls_server *certificates_tls(const struct certificates *certificates) {
    return certificates->tls;
}

void certificates_reload(struct certificates *self) {
    struct arena arena;
    arena_init(&arena);
    self->tried = look(&self->files);
    struct error *error = tls_server_reload(&arena, self->tls);
    if (error != NULL)
        log_error("the certificate stays as it was: %.*s", SLICE_ARGS(error->message));
    else
        tell_expiry(self, "was read again");
    arena_release(&arena);
}

void certificates_look(struct certificates *self) {
    uint64_t now_ns = monotonic_ns();
    if (now_ns - self->looked_ns < REST_NS)
        return;
    self->looked_ns = now_ns;
    struct files_state now = look(&self->files);
    bool rests = is_same(&now, &self->seen);
    self->seen = now;
    if (rests && !is_same(&now, &self->tried))
        certificates_reload(self);
}
