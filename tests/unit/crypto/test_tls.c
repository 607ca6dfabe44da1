/* test_tls.c - sessions of a TLS server, at the other end of a socket from our own client, with
 * certificates of an authority that is made for it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "crypto/tls.h"
#include "crypto/tls_session.h"
#include "crypto/tls_tickets.h"
#include "support/certificate_fixture.h"

enum { WIRE_BYTES = 16 * 1024, LONG = 100 * 1000 };

static int set_up(void **state) {
    struct certificate_fixture *place = calloc(1, sizeof(*place));
    certificate_fixture_init(place);
    *state = place;
    return 0;
}

static int tear_down(void **state) {
    certificate_fixture_release(*state);
    free(*state);
    return 0;
}

static struct tls_server *server_new(struct certificate_fixture *place) {
    struct tls_server_files files = {place->certificate, place->key, NULL};
    struct tls_server *server = NULL;
    assert_null(tls_server_new(&place->arena, &files, &server));
    return server;
}

/* ---- two ends ---- */

struct pair {
    struct tls_context *context;
    struct tls *client;
    struct tls_session *session;
    int fds[2]; /* the client's, the server's */
    struct buffer output;
    uint8_t wire[WIRE_BYTES];
};

static void pair_open(struct pair *pair, struct certificate_fixture *place,
                      struct tls_server *server, const char *host) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair->fds), 0);
    assert_null(tls_context_new_client(&place->arena, place->ca, &pair->context));
    pair->client = tls_new_client(pair->context, host, pair->fds[0]);
    pair->session = tls_session_new(server);
    buffer_init(&pair->output, 1024 * 1024);
}

static void pair_close(struct pair *pair) {
    tls_free(pair->client);
    tls_context_free(pair->context);
    tls_session_free(pair->session);
    buffer_release(&pair->output);
    close(pair->fds[0]);
    close(pair->fds[1]);
}

/* Whether something came. */
static bool pair_feed(struct pair *pair) {
    ssize_t len = read(pair->fds[1], pair->wire, sizeof(pair->wire));
    if (len <= 0)
        return false;
    tls_session_feed(pair->session, slice_of(pair->wire, (size_t)len));
    return true;
}

static void pair_flush(struct pair *pair) {
    assert_int_equal(write(pair->fds[1], pair->output.data, pair->output.len), pair->output.len);
    buffer_reset(&pair->output);
}

/* What came of it on the server's side; the client's is in `ret_client`. */
static enum tls_outcome pair_shake(struct pair *pair, enum io_result *ret_client) {
    enum tls_outcome outcome = TLS_MORE;
    do {
        *ret_client = tls_handshake(pair->client);
        if (outcome == TLS_MORE && pair_feed(pair)) {
            outcome = tls_session_handshake(pair->session, &pair->output);
            pair_flush(pair);
        }
    } while ((*ret_client == IO_READ && outcome != TLS_FAILED) ||
             (outcome == TLS_MORE && *ret_client == IO_DONE));
    return outcome;
}

static void pair_agree(struct pair *pair) {
    enum io_result client;
    assert_int_equal(pair_shake(pair, &client), TLS_DONE);
    assert_int_equal(client, IO_DONE);
}

/* ---- tests ---- */

static void check_error(struct certificate_fixture *place, struct tls_server_files files,
                        const char *text) {
    struct tls_server *server = NULL;
    struct error *error = tls_server_new(&place->arena, &files, &server);
    assert_non_null(error);
    assert_non_null(memmem(error->message.data, error->message.len, text, strlen(text)));
}

static void test_wrong_files(void **state) {
    struct certificate_fixture *place = *state;
    check_error(place, (struct tls_server_files){"/nowhere", place->key, NULL},
                "cannot read the certificate from /nowhere: No such file");
    check_error(place, (struct tls_server_files){place->key, place->key, NULL},
                "cannot read the certificate from");
    check_error(place, (struct tls_server_files){place->certificate, "/nowhere", NULL},
                "cannot read the key of the certificate from /nowhere: No such file");
    check_error(place, (struct tls_server_files){place->certificate, place->ca_key, NULL}, "key");
    check_error(place, (struct tls_server_files){place->certificate, place->key, place->key},
                "cannot read the authority of clients from");
}

static void test_expiry(void **state) {
    struct tls_server *server = server_new(*state);
    int64_t days = (tls_server_expiry_s(server) - time(NULL) + 60) / (24 * 3600);
    assert_int_equal(days, 10);
    tls_server_free(server);
}

static void test_client_verifies_names(void **state) {
    static const struct {
        const char *host;
        bool fits;
    } cases[] = {{"localhost", true},     {"127.0.0.1", true},    {"::1", true},
                 {"a.example.com", true}, {"example.com", false}, {"127.0.0.2", false}};
    struct tls_server *server = server_new(*state);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pair pair;
        enum io_result client;
        pair_open(&pair, *state, server, cases[i].host);
        pair_shake(&pair, &client);
        assert_int_equal(client, cases[i].fits ? IO_DONE : IO_FAILED);
        pair_close(&pair);
    }
    tls_server_free(server);
}

/* With room for a few bytes at a time: what is not taken stays, in the session or unused. */
static void test_long_text_to_the_server(void **state) {
    struct tls_server *server = server_new(*state);
    struct pair pair;
    static uint8_t sent[LONG], got[LONG];
    size_t sent_len = 0, got_len = 0;
    for (size_t i = 0; i < LONG; i++)
        sent[i] = (uint8_t)(i * 7 / 3);
    pair_open(&pair, *state, server, "localhost");
    pair_agree(&pair);
    while (got_len < LONG) {
        size_t len = 0;
        if (sent_len < LONG &&
            tls_send(pair.client, sent + sent_len, LONG - sent_len, &len) == IO_DONE)
            sent_len += len;
        if (tls_session_unused(pair.session).len == 0 && !tls_session_has_text(pair.session))
            pair_feed(&pair);
        size_t room = got_len % 5 == 0 ? 3 : 5000;
        enum tls_outcome outcome =
            tls_session_receive(pair.session, &pair.output, got + got_len,
                                room < LONG - got_len ? room : LONG - got_len, &len);
        assert_true(outcome == TLS_DONE || outcome == TLS_MORE);
        got_len += len;
    }
    assert_memory_equal(sent, got, LONG);
    pair_close(&pair);
    tls_server_free(server);
}

static void test_text_to_the_client_and_the_end(void **state) {
    struct tls_server *server = server_new(*state);
    struct pair pair;
    static uint8_t sent[LONG], got[LONG];
    size_t got_len = 0, len;
    memset(sent, 'x', LONG);
    pair_open(&pair, *state, server, "localhost");
    pair_agree(&pair);
    assert_true(tls_session_send(pair.session, slice_of(sent, LONG), &pair.output));
    tls_session_end(pair.session, &pair.output);
    size_t done = 0;
    while (got_len < LONG) {
        ssize_t moved = write(pair.fds[1], pair.output.data + done, pair.output.len - done);
        done += moved > 0 ? (size_t)moved : 0;
        enum io_result result = tls_receive(pair.client, got + got_len, LONG - got_len, &len);
        assert_true(result == IO_DONE || result == IO_READ);
        got_len += len;
    }
    assert_memory_equal(sent, got, LONG);
    assert_int_equal(tls_receive(pair.client, got, LONG, &len), IO_FAILED);
    char text[100];
    tls_failure(pair.client, text, sizeof(text));
    assert_string_equal(text, "the server closed the connection");
    pair_close(&pair);
    tls_server_free(server);
}

static void test_garbage_is_refused(void **state) {
    const struct slice inputs[] = {SLICE_LITERAL("GET / HTTP/1.1\r\n\r\n"),
                                   SLICE_LITERAL("\x16\x03\x01\xff\xff garbage"),
                                   SLICE_LITERAL("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"),
                                   SLICE_LITERAL("\x15\x03\x03\x00\x02\x02\x28")};
    struct tls_server *server = server_new(*state);
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        struct tls_session *session = tls_session_new(server);
        struct buffer output;
        char text[100] = "";
        buffer_init(&output, 1000);
        tls_session_feed(session, inputs[i]);
        assert_int_equal(tls_session_handshake(session, &output), TLS_FAILED);
        tls_session_failure(session, text, sizeof(text));
        assert_true(strlen(text) > 0); /* OpenSSL's words, which change */
        buffer_release(&output);
        tls_session_free(session);
    }
    tls_server_free(server);
}

static void test_reload(void **state) {
    struct certificate_fixture *place = *state;
    struct tls_server *server = server_new(place);
    struct pair before, after;
    pair_open(&before, place, server, "localhost");
    certificate_fixture_write(place->certificate, SLICE_LITERAL("nonsense"));
    struct error *error = tls_server_reload(&place->arena, server);
    assert_non_null(error);
    pair_agree(&before);
    certificate_fixture_renew(place);
    assert_null(tls_server_reload(&place->arena, server));
    pair_open(&after, place, server, "localhost");
    pair_agree(&after);
    uint8_t byte = 0;
    size_t len;
    assert_int_equal(tls_send(before.client, "a", 1, &len), IO_DONE);
    assert_true(pair_feed(&before));
    assert_int_equal(tls_session_receive(before.session, &before.output, &byte, 1, &len), TLS_DONE);
    assert_int_equal(byte, 'a');
    char name[TLS_NAME_CHARS];
    assert_false(tls_session_client(before.session, name));
    pair_close(&before);
    pair_close(&after);
    tls_server_free(server);
}

/* ---- by a secret ---- */

struct end {
    struct tls_session *session;
    struct buffer output;
};

/* What one says is what the other hears, until nobody says anything. */
static enum tls_outcome ends_shake(struct end ends[2]) {
    enum tls_outcome outcomes[2] = {TLS_MORE, TLS_MORE};
    for (unsigned turn = 0; turn < 8; turn++) {
        struct end *end = &ends[turn % 2], *other = &ends[(turn + 1) % 2];
        tls_session_feed(end->session, buffer_slice(&other->output));
        if (outcomes[turn % 2] == TLS_MORE)
            outcomes[turn % 2] = tls_session_handshake(end->session, &end->output);
        buffer_reset(&other->output);
    }
    return outcomes[0] == TLS_DONE && outcomes[1] == TLS_DONE ? TLS_DONE : TLS_FAILED;
}

static void ends_say(struct end *from, struct end *to, struct slice text) {
    char got[100];
    size_t len = 0;
    assert_true(tls_session_send(from->session, text, &from->output));
    tls_session_feed(to->session, buffer_slice(&from->output));
    assert_int_equal(tls_session_receive(to->session, &to->output, got, sizeof(got), &len),
                     TLS_DONE);
    assert_true(slice_equal(slice_of(got, len), text));
    buffer_reset(&from->output);
}

static enum tls_outcome try_ends(struct tls_server *connects, struct tls_server *accepts) {
    struct end ends[2] = {{.session = tls_session_new_connecting(connects)},
                          {.session = tls_session_new(accepts)}};
    for (unsigned i = 0; i < 2; i++)
        buffer_init(&ends[i].output, 64 * 1024);
    enum tls_outcome outcome = ends_shake(ends);
    if (outcome == TLS_DONE) {
        ends_say(&ends[0], &ends[1], SLICE_LITERAL("a question"));
        ends_say(&ends[1], &ends[0], SLICE_LITERAL("an answer"));
    }
    for (unsigned i = 0; i < 2; i++) {
        char why[100];
        tls_session_failure(ends[i].session, why, sizeof(why));
        tls_session_free(ends[i].session);
        buffer_release(&ends[i].output);
    }
    return outcome;
}

static void test_only_who_has_the_secret_is_heard(void **state) {
    struct certificate_fixture *place = *state;
    uint8_t secret[TLS_SECRET_BYTES] = {1, 2, 3};
    struct tls_server *one = NULL, *same = NULL, *other = NULL;
    struct tls_server *by_certificate = server_new(place);
    assert_null(tls_server_new_by_secret(&place->arena, secret, &one));
    assert_null(tls_server_new_by_secret(&place->arena, secret, &same));
    secret[TLS_SECRET_BYTES - 1] = 1;
    assert_null(tls_server_new_by_secret(&place->arena, secret, &other));
    assert_int_equal(try_ends(one, same), TLS_DONE);
    assert_int_equal(try_ends(one, other), TLS_FAILED);
    assert_int_equal(try_ends(other, one), TLS_FAILED);
    assert_int_equal(try_ends(one, by_certificate), TLS_FAILED);
    struct pair pair;
    enum io_result client;
    pair_open(&pair, place, one, "localhost");
    assert_int_not_equal(pair_shake(&pair, &client), TLS_DONE);
    pair_close(&pair);
    tls_server_free(one);
    tls_server_free(same);
    tls_server_free(other);
    tls_server_free(by_certificate);
}

static void test_tickets_keys_are_changed(void **state) {
    (void)state;
    enum { HOUR = TLS_TICKET_SECONDS };
    struct tls_tickets *tickets = tls_tickets_new(1000);
    struct tls_ticket_key first, second, found;
    bool old = true;
    tls_tickets_current(tickets, 1000 + HOUR - 1, &first);
    assert_true(tls_tickets_find(tickets, 1000 + HOUR - 1, first.name, &found, &old));
    assert_false(old);
    assert_memory_equal(&first, &found, sizeof(first));
    tls_tickets_current(tickets, 1000 + HOUR, &second);
    assert_memory_not_equal(&first, &second, sizeof(first));
    assert_true(tls_tickets_find(tickets, 1000 + 2 * HOUR - 1, first.name, &found, &old));
    assert_true(old);
    assert_memory_equal(&first, &found, sizeof(first));
    assert_false(tls_tickets_find(tickets, 1000 + 2 * HOUR, first.name, &found, &old));
    assert_true(tls_tickets_find(tickets, 1000 + 2 * HOUR, second.name, &found, &old));
    /* After a long silence nothing that was is good. */
    assert_false(tls_tickets_find(tickets, 1000 + 5 * HOUR, second.name, &found, &old));
    tls_tickets_free(tickets);
}

int main(void) {
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_PLACE(test_wrong_files),
        IN_PLACE(test_expiry),
        IN_PLACE(test_client_verifies_names),
        IN_PLACE(test_long_text_to_the_server),
        IN_PLACE(test_text_to_the_client_and_the_end),
        IN_PLACE(test_garbage_is_refused),
        IN_PLACE(test_reload),
        IN_PLACE(test_only_who_has_the_secret_is_heard),
        cmocka_unit_test(test_tickets_keys_are_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
