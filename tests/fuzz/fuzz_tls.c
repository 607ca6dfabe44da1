/* fuzz_tls.c - the files that a TLS server reads, and what its clients send. The first byte tells
 * which of them the rest is.
 *
 * A file that cannot be used is told and changes nothing: sessions can be begun after it. Whatever
 * a client sends ends in a wait for more or in a failure with words, in as many steps as it has
 * bytes. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "crypto/certificate.h"
#include "crypto/tls_session.h"
#include "fuzz.h"

enum { CERTIFICATE, KEY, AUTHORITY, FILES, ISSUER = FILES, WIRE };

static struct arena arena; /* of what lives for ever */
static struct tls_server *server;
static int fds[FILES];
static char paths[FILES][32];
static struct slice good[FILES];
static struct certificate_pem authority;

static void set_file(int which, struct slice text) {
    CHECK(ftruncate(fds[which], 0) == 0 &&
          pwrite(fds[which], text.data, text.len, 0) == (ssize_t)text.len);
}

static void make_server(void) {
    static const char *const names[] = {"localhost"};
    struct certificate_pem own;
    struct certificate_wish wish = {.use = CERTIFICATE_AUTHORITY, .subject = "ca", .days = 1};
    arena_init(&arena);
    CHECK(certificate_make(&arena, &wish, &authority) == NULL);
    wish = (struct certificate_wish){.use = CERTIFICATE_SERVER,
                                     .subject = "server",
                                     .names = names,
                                     .name_count = 1,
                                     .days = 1,
                                     .issuer = &authority};
    CHECK(certificate_make(&arena, &wish, &own) == NULL);
    good[CERTIFICATE] = own.certificate;
    good[KEY] = own.key;
    good[AUTHORITY] = authority.certificate;
    for (int i = 0; i < FILES; i++) {
        fds[i] = memfd_create("pem", MFD_CLOEXEC);
        CHECK(fds[i] >= 0);
        snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fds[i]);
        set_file(i, good[i]);
    }
    struct tls_server_files files = {paths[CERTIFICATE], paths[KEY], paths[AUTHORITY]};
    CHECK(tls_server_new(&arena, &files, &server) == NULL);
}

static void feed(struct slice input, size_t step) {
    struct tls_session *session = tls_session_new(server);
    struct buffer output;
    enum tls_outcome outcome = TLS_MORE;
    buffer_init(&output, 1024 * 1024);
    while (input.len > 0 && outcome == TLS_MORE) {
        size_t len = input.len < step ? input.len : step;
        tls_session_feed(session, slice_of(input.data, len));
        outcome = tls_session_handshake(session, &output);
        CHECK(outcome != TLS_MORE || tls_session_unused(session).len == 0);
        input = slice_skip(input, len);
    }
    char why[200] = "";
    if (outcome == TLS_FAILED) {
        tls_session_failure(session, why, sizeof(why));
        CHECK(why[0] != '\0');
    }
    CHECK(outcome != TLS_DONE && !output.overflow); /* nobody guesses a certificate */
    buffer_release(&output);
    tls_session_free(session);
}

static void sign_with(struct slice pem, struct arena *scratch) {
    struct certificate_pem issuer = {pem, pem}, made;
    struct certificate_wish wish = {
        .use = CERTIFICATE_CLIENT, .subject = "client", .days = 1, .issuer = &issuer};
    struct error *error = certificate_make(scratch, &wish, &made);
    CHECK(error == NULL || error->message.len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena scratch;
    if (size == 0)
        return 0;
    if (server == NULL)
        make_server();
    struct slice input = slice_of(data + 1, size - 1);
    int which = data[0] % (WIRE + 1);
    arena_init(&scratch);
    if (which == ISSUER) {
        sign_with(input, &scratch);
    } else if (which == WIRE) {
        feed(input, input.len);
        feed(input, 7);
    } else {
        set_file(which, input);
        struct error *error = tls_server_reload(&scratch, server);
        CHECK(error == NULL || error->message.len > 0);
        set_file(which, good[which]);
        feed(SLICE_LITERAL("\x16\x03\x01"), 1);
    }
    arena_release(&scratch);
    return 0;
}
