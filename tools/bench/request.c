/* request.c - see request.h. */
#include "bench/request.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/check.h"

enum { HEAD_MAX = 16 * 1024, LIMIT_CHARS = 3, LIMIT_MAX = 100 };

/* ---- the body ---- */

static size_t place_size(char kind, const struct request_settings *settings) {
    switch (kind) {
    case 'n':
    case 'k':
    case 's':
    case 'g':
    case 'i':
    case 'h':
        return KEY_DIGITS;
    case 'l':
        return LIMIT_CHARS;
    case 'p':
        return settings->payload_bytes;
    default:
        return SIZE_MAX;
    }
}

/* The place at a %, which is followed by `kind`. */
static struct error *add_place(struct arena *arena, struct request *request, char kind,
                               const struct request_settings *settings, struct buffer *body) {
    size_t size = place_size(kind, settings);
    if (size == SIZE_MAX)
        return error_local(arena, "the body has %%%c, which is no place; a percent sign is %%%%",
                           kind == '\0' ? ' ' : kind);
    if (request->place_count == REQUEST_PLACES_MAX)
        return error_local(arena, "the body has more than %d places", REQUEST_PLACES_MAX);
    request->places[request->place_count++] = (struct request_place){(uint32_t)body->len, kind};
    request->turns += kind == 'n' || kind == 'h';
    if (buffer_reserve(body, size)) {
        memset(body->data + body->len, '0', size);
        body->len += size;
    }
    return NULL;
}

static struct error *write_body(struct arena *arena, struct request *request, const char *text,
                                const struct request_settings *settings, struct buffer *body) {
    for (; *text != '\0'; text++) {
        if (*text != '%') {
            buffer_append_byte(body, (uint8_t)*text);
        } else if (*++text == '%') {
            buffer_append_byte(body, '%');
        } else {
            TRY(add_place(arena, request, *text, settings, body));
        }
    }
    return body->overflow ? error_local(arena, "the body has more than %d bytes", REQUEST_BODY_MAX)
                          : NULL;
}

/* ---- the head ---- */

#define SOME_DATE "20250101T000000Z"
#define SOME_SIGNATURE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* As an SDK writes it: the server is to have the work that it has with one. */
static void write_head(struct request *request, const struct credentials *credentials,
                       struct buffer *out) {
    buffer_printf(out,
                  "POST / HTTP/1.1\r\nHost: %.*s\r\nAccept-Encoding: identity\r\n"
                  "X-Amz-Target: %.*s\r\nContent-Type: " SIGNER_CONTENT_TYPE
                  "\r\nUser-Agent: gramme-bench/" GRAMME_VERSION
                  " ua/2.0 os/linux lang/c#17\r\nX-Amz-Date: ",
                  SLICE_ARGS(request->parts.host), SLICE_ARGS(request->parts.target));
    request->date_at = out->len;
    buffer_append_text(out, SOME_DATE "\r\n");
    if (credentials->token != NULL)
        buffer_printf(out, "X-Amz-Security-Token: %s\r\n", credentials->token);
    buffer_append_text(out, "Authorization: ");
    request->authorization_at = out->len;
    signer_write_authorization(out, credentials, SOME_DATE, SOME_SIGNATURE);
    request->signature_at = out->len - SIGV4_SIGNATURE_CHARS;
    buffer_printf(out, "\r\nContent-Length: %zu\r\n\r\n", request->parts.body.len);
}

static void describe_parts(struct arena *arena, const struct request_text *text,
                           const struct request_settings *settings, const struct buffer *body,
                           struct signer_request *ret_parts) {
    const char *prefix = strchr(text->operation, '.') == NULL ? "DynamoDB_20120810." : "";
    *ret_parts = (struct signer_request){
        .host = slice_text(settings->host),
        .path = SLICE_LITERAL("/"),
        .target = arena_printf(arena, "%s%s", prefix, text->operation),
        .body = buffer_slice(body),
    };
}

static struct error *finish(struct arena *arena, const struct request_text *text,
                            const struct request_settings *settings, const struct buffer *body,
                            struct request *request) {
    struct buffer head CLEANUP(buffer_release);
    buffer_init(&head, HEAD_MAX);
    describe_parts(arena, text, settings, body, &request->parts);
    write_head(request, settings->credentials, &head);
    if (head.overflow)
        return error_local(arena, "the head of the request is too long");
    request->head_len = head.len;
    request->len = head.len + body->len;
    request->bytes = arena_alloc(arena, request->len);
    memcpy(request->bytes, head.data, head.len);
    if (body->len > 0)
        memcpy(request->bytes + head.len, body->data, body->len);
    request->parts.body = slice_of(request->bytes + head.len, body->len);
    for (size_t i = 0; i < request->place_count; i++)
        request->places[i].at += (uint32_t)head.len;
    return NULL;
}

struct error *request_build(struct arena *arena, const struct request_text *text,
                            const struct request_settings *settings, struct request **ret_request) {
    struct request *request = ARENA_NEW(arena, struct request);
    struct buffer body CLEANUP(buffer_release);
    buffer_init(&body, REQUEST_BODY_MAX);
    request->places = ARENA_ARRAY(arena, struct request_place, REQUEST_PLACES_MAX);
    TRY(write_body(arena, request, text->body, settings, &body));
    TRY(finish(arena, text, settings, &body, request));
    *ret_request = request;
    return NULL;
}

/* ---- filling ---- */

char *payload_pool_new(struct arena *arena, uint64_t seed) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    struct bench_random random = bench_random_seeded(seed);
    char *pool = arena_alloc(arena, POOL_BYTES);
    for (size_t i = 0; i < POOL_BYTES; i++)
        pool[i] = letters[bench_random_next(&random) >> 58];
    return pool;
}

static void write_digits(char *at, uint64_t number) {
    for (int i = KEY_DIGITS - 1; i >= 0; i--) {
        at[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

/* Blanks after it: JSON does not mind them. */
static void write_limit(char *at, uint64_t number) {
    char text[LIMIT_CHARS + 1];
    snprintf(text, sizeof(text), "%-3u", (unsigned)number % (LIMIT_MAX + 1));
    memcpy(at, text, LIMIT_CHARS);
}

static void fill_payload(char *at, struct filler *filler) {
    uint64_t from = bench_random_below(&filler->random, POOL_BYTES - PAYLOAD_MAX);
    memcpy(at, filler->pool + from, filler->payload_bytes);
}

static uint64_t next_key(struct filler *filler, uint64_t turn) {
    return filler->keys->order == KEYS_SEQUENTIAL ? key_at_turn(filler->keys, turn)
                                                  : key_choose(filler->keys, &filler->random);
}

void request_fill(struct request *request, struct filler *filler, struct key_state *state) {
    uint64_t turn = state->turn;
    for (size_t i = 0; i < request->place_count; i++) {
        char *at = request->bytes + request->places[i].at;
        switch (request->places[i].kind) {
        case 'p':
            fill_payload(at, filler);
            continue;
        case 'l':
            write_limit(at, 1 + bench_random_below(&filler->random, LIMIT_MAX));
            continue;
        case 'h':
            state->key = next_key(filler, turn++);
            write_digits(at, state->key / filler->group);
            continue;
        case 'g':
            write_digits(at, state->key / filler->group);
            continue;
        case 'n':
            state->key = next_key(filler, turn++);
            break;
        case 's':
            state->key = (state->key + 1) % filler->keys->count;
            break;
        case 'i':
            state->key = key_issue(filler->keys);
            break;
        default: /* 'k' */
            break;
        }
        write_digits(at, state->key);
    }
}

/* ---- signing ---- */

static void set_date(struct request *request, const struct signer *signer) {
    struct buffer value CLEANUP(buffer_release);
    buffer_init(&value, HEAD_MAX);
    signer_write_authorization(&value, signer->credentials, signer->date, SOME_SIGNATURE);
    memcpy(request->bytes + request->authorization_at, value.data, value.len);
    memcpy(request->bytes + request->date_at, signer->date, SIGV4_DATE_CHARS);
    request->dated_s = signer->second;
}

void request_sign(struct request *request, struct signer *signer, int64_t now_s) {
    signer_set_time(signer, now_s);
    if (request->dated_s != now_s)
        set_date(request, signer);
    CHECK(signer_sign(signer, &request->parts, request->bytes + request->signature_at));
}
