/* raw_client.h - a blocking HTTP client that hides nothing: bytes out, status, headers and body in.
 *
 * Every wait ends after ten seconds with a failed test. Usable from several threads, one client
 * each. */
#ifndef GRAMME_TESTS_RAW_CLIENT_H
#define GRAMME_TESTS_RAW_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tls_context;

struct raw_client {
    int fd;
    struct tls *tls; /* NULL: plain */
    char *data;      /* received and not yet taken */
    size_t len, capacity;
};

struct raw_reply {
    int status;
    char *head; /* status line and headers, NUL-terminated */
    char *body;
    size_t body_len;
    bool chunked;
};

void raw_connect(struct raw_client *client, uint16_t port);
/* Then: speaks TLS with 127.0.0.1. False when there is no agreement. */
bool raw_secure(struct raw_client *client, struct tls_context *context);
void raw_close(struct raw_client *client);
/* With a reset instead of a goodbye. */
void raw_abort(struct raw_client *client);
/* With a receive buffer of about this size; it cannot be made small later. */
void raw_connect_with_window(struct raw_client *client, uint16_t port, int bytes);

/* False when the other side is gone. */
bool raw_send(struct raw_client *client, const char *bytes, size_t len);
void raw_send_text(struct raw_client *client, const char *text);
void raw_post(struct raw_client *client, const char *path, const char *body);

/* recv(). The loops of an endpoint that was started on this thread are the thread's even when they
 * are gone: libuv's rings, given back late, interrupt calls, though there is no signal. */
ssize_t raw_read(struct raw_client *client, void *bytes, size_t size);
/* False at the end of the connection (also in the middle of a reply). */
bool raw_receive(struct raw_client *client, struct raw_reply *ret_reply);
/* As for a reply to HEAD. */
bool raw_receive_head(struct raw_client *client, struct raw_reply *ret_reply);
void raw_reply_free(struct raw_reply *reply);
/* "" when there is none. The text lives as long as the reply. */
const char *raw_header(struct raw_reply *reply, const char *name);

/* Posts and expects 200 with exactly this body. */
void raw_expect_echo(struct raw_client *client, const char *path, const char *body);
void raw_expect_status(struct raw_client *client, int status);
/* Nothing more comes, and the connection ends. */
void raw_expect_end(struct raw_client *client);
bool raw_has_ended(struct raw_client *client, int wait_ms);

/* On the monotonic clock. */
int64_t raw_now_ms(void);

#endif
