/* fuzz_http.c - any bytes as a connection's input: the requests found must not depend on how reads
 * split them, and the check of their signatures must survive them.
 *
 * The first byte says how the rest is cut. */
#include <stdlib.h>

#include "auth/verifier.h"
#include "base/buffer.h"
#include "fuzz.h"
#include "http/reader.h"

enum { BODY_MAX = 64, LOG_MAX = 1 << 24 };

static const struct http_reader_limits limits = {.header_bytes_max = 64 * 1024,
                                                 .body_bytes_max = BODY_MAX};

static void log_slice(struct buffer *log, struct slice bytes) {
    buffer_printf(log, "%d:%zu:", slice_present(bytes), bytes.len);
    buffer_append_slice(log, bytes);
}

static void log_request(struct buffer *log, const struct http_request *request) {
    buffer_printf(log, "\n%d 1.%d %d ", (int)request->verb, request->version_minor,
                  request->keep_alive);
    log_slice(log, request->method);
    log_slice(log, request->path);
    log_slice(log, request->query);
    CHECK(request->body.len <= BODY_MAX);
    log_slice(log, request->body);
    for (uint32_t i = 0; i < request->header_count; i++) {
        struct http_header header = http_request_header_at(request, i);
        log_slice(log, header.name);
        log_slice(log, header.value);
    }
    for (unsigned id = 0; id < HTTP_HEADER_COUNT; id++)
        log_slice(log, request->known[id]);
    buffer_printf(log, "%d", (int)http_request_accepted_coding(request));
}

/* Nobody guesses a signature; twice the same is said of it. */
static void verify(struct arena *arena, const struct http_request *request,
                   const struct auth_identity *identity) {
    static struct verifier *verifier;
    const struct verifier_options options = {&system_clock, VERIFIER_SKEW_MINUTES};
    if (verifier == NULL)
        CHECK(verifier_new(arena, &options, &verifier) == NULL);
    verifier_check_time(verifier, arena, request, identity);
    const struct error *first =
        verifier_check_signature(verifier, arena, request, identity, SLICE_LITERAL("secret"));
    const struct error *again =
        verifier_check_signature(verifier, arena, request, identity, SLICE_LITERAL("secret"));
    CHECK(first != NULL && again != NULL && slice_equal(first->message, again->message));
}

static void check_signature(const struct http_request *request) {
    struct arena arena;
    arena_init(&arena);
    struct auth_identity identity;
    struct error *error = auth_read(&arena, request, &identity);
    if (error == NULL)
        error = auth_check_scope(&arena, &identity, SLICE_LITERAL("dynamodb"));
    CHECK(error != NULL || (identity.timestamp.len == 16 && identity.date.len == 8));
    if (error == NULL)
        verify(&arena, request, &identity);
    arena_release(&arena);
}

/* Adds `more` to the bytes that are there, in fresh memory of exactly that size. */
static uint8_t *join(uint8_t *data, size_t len, const uint8_t *more, size_t more_len) {
    uint8_t *joined = malloc(len + more_len + (len + more_len == 0));
    CHECK(joined != NULL);
    if (len > 0)
        memcpy(joined, data, len);
    if (more_len > 0)
        memcpy(joined + len, more, more_len);
    free(data);
    return joined;
}

/* Reads all requests, `step` bytes at a time. */
static void read_all(const uint8_t *input, size_t size, size_t step, struct buffer *log) {
    struct http_request request;
    struct http_reader reader;
    uint8_t *data = NULL;
    size_t len = 0;
    http_reader_init(&reader, limits, &request);
    for (size_t at = 0; at < size; at += step) {
        size_t more = size - at < step ? size - at : step;
        data = join(data, len, input + at, more);
        len += more;
        enum http_read_result result;
        while (len > 0 && (result = http_reader_read(&reader, data, &len)) != HTTP_READ_MORE) {
            if (result == HTTP_READ_ERROR) {
                buffer_printf(log, "\nerror %d", reader.error_status);
                free(data);
                return;
            }
            log_request(log, &request);
            check_signature(&request);
            CHECK(reader.parsed <= len);
            len -= reader.parsed;
            memmove(data, data + reader.parsed, len);
            http_reader_init(&reader, limits, &request);
        }
    }
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 16384)
        return 0;
    struct buffer whole, cut;
    buffer_init(&whole, LOG_MAX);
    buffer_init(&cut, LOG_MAX);
    read_all(data + 1, size - 1, size, &whole);
    read_all(data + 1, size - 1, 1 + data[0] % 32, &cut);
    CHECK(slice_equal(buffer_slice(&whole), buffer_slice(&cut)));
    buffer_release(&whole);
    buffer_release(&cut);
    return 0;
}
