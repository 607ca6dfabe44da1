/* auth.c - Signature Version 4, the form only.
 *
 * The steps follow the service's order, so that a request with several faults gets the same answer
 * from both: where the signature is, its parts, the date, the signed headers, the algorithm, the
 * credential, its scope. Texts that quote the request quote it as the client sent it. */
#include "auth/auth.h"

#include "auth/date.h"
#include "base/buffer.h"
#include "base/check.h"

enum { SCOPE_PARTS = 5, MESSAGE_BYTES_MAX = 256 * 1024 };

static const char algorithm_name[] = "AWS4-HMAC-SHA256";

/* Header bytes above ASCII are Latin-1 by tradition; an error's text must be UTF-8. */
static struct slice quotable(struct arena *arena, struct slice text) {
    size_t high = 0;
    for (size_t i = 0; i < text.len; i++)
        high += text.data[i] >> 7;
    if (high == 0)
        return text;
    uint8_t *out = arena_alloc(arena, text.len + high);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c >= 0x80)
            out[len++] = (uint8_t)(0xc0 | c >> 6);
        out[len++] = c < 0x80 ? c : (uint8_t)(0x80 | (c & 0x3f));
    }
    return slice_of(out, len);
}

static struct error *incomplete(struct arena *arena, struct slice message) {
    return error_new(arena, ERROR_INCOMPLETE_SIGNATURE, "%.*s", SLICE_ARGS(message));
}

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What is no valid escape stays as it is. */
static struct slice percent_decode(struct arena *arena, struct slice text) {
    if (text.len == 0 || memchr(text.data, '%', text.len) == NULL)
        return text;
    uint8_t *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.data[i] == '%' && i + 2 < text.len;
        int high = escape ? hex_digit(text.data[i + 1]) : -1;
        int low = escape ? hex_digit(text.data[i + 2]) : -1;
        if (high >= 0 && low >= 0) {
            out[len++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else {
            out[len++] = text.data[i];
        }
    }
    return slice_of(out, len);
}

/* ---- in the query string ---- */

static struct slice query_part(struct arena *arena, const struct http_request *request,
                               const char *name, struct buffer *missing) {
    struct slice value = percent_decode(arena, http_request_query(request, slice_text(name)));
    if (value.len == 0)
        buffer_printf(missing, "AWS query-string parameters must include '%s'. ", name);
    return value;
}

static struct error *read_query(struct arena *arena, const struct http_request *request,
                                struct auth_identity *identity, struct slice *ret_credential) {
    CLEANUP(buffer_release) struct buffer missing;
    buffer_init(&missing, MESSAGE_BYTES_MAX);
    identity->in_query = true;
    identity->algorithm = query_part(arena, request, "X-Amz-Algorithm", &missing);
    *ret_credential = query_part(arena, request, "X-Amz-Credential", &missing);
    identity->signature = query_part(arena, request, "X-Amz-Signature", &missing);
    identity->signed_headers = query_part(arena, request, "X-Amz-SignedHeaders", &missing);
    identity->timestamp = query_part(arena, request, "X-Amz-Date", &missing);
    identity->session_token =
        percent_decode(arena, http_request_query(request, SLICE_LITERAL("X-Amz-Security-Token")));
    if (missing.len == 0)
        return NULL;
    buffer_append_text(&missing, "Re-examine the query-string parameters.");
    return incomplete(arena, buffer_slice(&missing));
}

/* ---- in the Authorization header ---- */

/* Parts are separated by commas and blanks in any number; false at the end. */
static bool next_part(struct slice *rest, struct slice *ret_part) {
    while (rest->len > 0 && (rest->data[0] == ' ' || rest->data[0] == ','))
        *rest = slice_skip(*rest, 1);
    size_t len = rest->len;
    const uint8_t *comma = memchr(rest->data, ',', len);
    if (comma != NULL)
        len = (size_t)(comma - rest->data);
    const uint8_t *blank = memchr(rest->data, ' ', len);
    if (blank != NULL)
        len = (size_t)(blank - rest->data);
    *ret_part = slice_of(rest->data, len);
    *rest = slice_skip(*rest, len);
    return len > 0;
}

static struct error *read_header_parts(struct arena *arena, struct slice header,
                                       struct auth_identity *identity,
                                       struct slice *ret_credential) {
    struct slice rest = header, part;
    next_part(&rest, &identity->algorithm);
    while (next_part(&rest, &part)) {
        const uint8_t *equals = memchr(part.data, '=', part.len);
        if (equals == NULL) {
            struct slice quoted = quotable(arena, part), whole = quotable(arena, header);
            return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                             "'%.*s' not a valid key=value pair (missing equal-sign) in "
                             "Authorization header: '%.*s'.",
                             SLICE_ARGS(quoted), SLICE_ARGS(whole));
        }
        struct slice name = slice_of(part.data, (size_t)(equals - part.data));
        struct slice value = slice_skip(part, name.len + 1);
        if (slice_is(name, "Credential"))
            *ret_credential = value;
        else if (slice_is(name, "Signature"))
            identity->signature = value;
        else if (slice_is(name, "SignedHeaders"))
            identity->signed_headers = value;
    }
    return NULL;
}

static struct error *read_header(struct arena *arena, const struct http_request *request,
                                 struct auth_identity *identity, struct slice *ret_credential) {
    struct slice header = request->known[HTTP_AUTHORIZATION];
    TRY(read_header_parts(arena, header, identity, ret_credential));
    identity->timestamp = request->known[HTTP_X_AMZ_DATE];
    if (identity->timestamp.len == 0)
        identity->timestamp = request->known[HTTP_DATE];
    identity->session_token = request->known[HTTP_X_AMZ_SECURITY_TOKEN];
    const struct {
        struct slice value;
        const char *text;
    } needed[] = {
        {*ret_credential, "Authorization header requires 'Credential' parameter. "},
        {identity->signature, "Authorization header requires 'Signature' parameter. "},
        {identity->signed_headers, "Authorization header requires 'SignedHeaders' parameter. "},
        {identity->timestamp, "Authorization header requires existence of either a 'X-Amz-Date' "
                              "or a 'Date' header. "},
    };
    CLEANUP(buffer_release) struct buffer missing;
    buffer_init(&missing, MESSAGE_BYTES_MAX);
    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
        if (needed[i].value.len == 0)
            buffer_append_text(&missing, needed[i].text);
    if (missing.len == 0)
        return NULL;
    buffer_append_text(&missing, "Authorization=");
    buffer_append_slice(&missing, quotable(arena, header));
    return incomplete(arena, buffer_slice(&missing));
}

/* ---- what both have in common ---- */

static struct error *check_date(struct arena *arena, struct auth_identity *identity) {
    struct slice basic = auth_date_parse(arena, identity->timestamp);
    if (!slice_present(basic)) {
        struct slice quoted = quotable(arena, identity->timestamp);
        return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                         "Date must be in ISO-8601 'basic format'. Got '%.*s'. See "
                         "http://en.wikipedia.org/wiki/ISO_8601",
                         SLICE_ARGS(quoted));
    }
    identity->timestamp = basic;
    return NULL;
}

static struct error *check_signed_headers(struct arena *arena, struct slice names) {
    while (names.len > 0) {
        const uint8_t *end = memchr(names.data, ';', names.len);
        size_t len = end == NULL ? names.len : (size_t)(end - names.data);
        if (slice_equal_ignoring_case(slice_of(names.data, len), SLICE_LITERAL("host")))
            return NULL;
        names = slice_skip(names, end == NULL ? len : len + 1);
    }
    return error_new(arena, ERROR_INVALID_SIGNATURE,
                     "'Host' must be a 'SignedHeader' in the AWS Authorization.");
}

static struct error *check_algorithm(struct arena *arena, struct slice algorithm) {
    if (slice_is(algorithm, algorithm_name))
        return NULL;
    struct slice quoted = quotable(arena, algorithm);
    return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                     "Unsupported AWS 'algorithm': '%.*s' (only AWS4-HMAC-SHA256 for now). ",
                     SLICE_ARGS(quoted));
}

/* Five elements; slashes at the end do not make more. */
static bool split_credential(struct slice credential, struct slice parts[SCOPE_PARTS]) {
    while (credential.len > 0 && credential.data[credential.len - 1] == '/')
        credential.len--;
    for (unsigned count = 0; count < SCOPE_PARTS; count++) {
        const uint8_t *slash = memchr(credential.data, '/', credential.len);
        if ((slash == NULL) != (count == SCOPE_PARTS - 1))
            return false;
        size_t len = slash == NULL ? credential.len : (size_t)(slash - credential.data);
        parts[count] = slice_of(credential.data, len);
        if (slash != NULL)
            credential = slice_skip(credential, len + 1);
    }
    return true;
}

static struct error *read_credential(struct arena *arena, struct slice credential,
                                     struct auth_identity *identity) {
    struct slice parts[SCOPE_PARTS];
    if (!split_credential(credential, parts)) {
        struct slice quoted = quotable(arena, credential);
        return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                         "Credential must have exactly 5 slash-delimited elements, e.g. "
                         "keyid/date/region/service/term, got '%.*s'",
                         SLICE_ARGS(quoted));
    }
    identity->access_key_id = quotable(arena, parts[0]);
    identity->date = parts[1];
    identity->region = parts[2];
    identity->service = parts[3];
    identity->terminator = parts[4];
    return NULL;
}

/* Any region is ours: one server stands for all of them. */
static struct error *check_scope(struct arena *arena, const struct auth_identity *identity) {
    CLEANUP(buffer_release) struct buffer faults;
    buffer_init(&faults, MESSAGE_BYTES_MAX);
    struct slice day = slice_of(identity->timestamp.data, 8);
    if (!slice_is(identity->service, "dynamodb"))
        buffer_append_text(&faults, "Credential should be scoped to correct service: 'dynamodb'. ");
    if (!slice_is(identity->terminator, "aws4_request")) {
        struct slice quoted = quotable(arena, identity->terminator);
        buffer_printf(&faults,
                      "Credential should be scoped with a valid terminator: 'aws4_request', not "
                      "'%.*s'. ",
                      SLICE_ARGS(quoted));
    }
    if (!slice_equal(identity->date, day)) {
        struct slice quoted = quotable(arena, identity->date);
        buffer_printf(&faults,
                      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
                      "date from HTTP: '%.*s' != '%.*s', from '%.*s'.",
                      SLICE_ARGS(quoted), SLICE_ARGS(day), SLICE_ARGS(identity->timestamp));
    }
    if (faults.len == 0)
        return NULL;
    return error_new(arena, ERROR_INVALID_SIGNATURE, "%.*s", SLICE_ARGS(buffer_slice(&faults)));
}

static struct error *read_parts(struct arena *arena, const struct http_request *request,
                                struct auth_identity *identity, struct slice *ret_credential) {
    struct slice header = request->known[HTTP_AUTHORIZATION];
    bool in_query = slice_present(http_request_query(request, SLICE_LITERAL("X-Amz-Algorithm")));
    if (header.len > 0 && in_query)
        return error_new(arena, ERROR_INVALID_SIGNATURE,
                         "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' "
                         "as HTTP header.");
    if (in_query)
        return read_query(arena, request, identity, ret_credential);
    if (!slice_starts_with(header, SLICE_LITERAL("AWS4-")))
        return error_new(arena, ERROR_MISSING_AUTHENTICATION_TOKEN,
                         "Request is missing Authentication Token");
    return read_header(arena, request, identity, ret_credential);
}

struct error *auth_check(struct arena *arena, const struct http_request *request,
                         struct auth_identity *ret_identity) {
    struct auth_identity identity = {0};
    struct slice credential = SLICE_NONE;
    TRY(read_parts(arena, request, &identity, &credential));
    TRY(check_date(arena, &identity));
    TRY(check_signed_headers(arena, identity.signed_headers));
    TRY(check_algorithm(arena, identity.algorithm));
    TRY(read_credential(arena, credential, &identity));
    TRY(check_scope(arena, &identity));
    *ret_identity = identity;
    return NULL;
}
