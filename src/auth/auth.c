/* auth.c - see auth.h.
 *
 * The steps follow the service's order, so that a request with several faults gets the same answer
 * from both: where the signature is, its parts, the date, the signed headers, the algorithm, the
 * credential, its scope. Texts that quote the request quote it as the client sent it. */
#include "auth/auth.h"

#include "base/block.h"
#include "base/check.h"
#include "base/date.h"
#include "http/percent.h"

enum { SCOPE_PARTS = 5, DAY_BYTES = 8, MESSAGE_BYTES_MAX = 256 * 1024 };

static const char algorithm_name[] = "AWS4-HMAC-SHA256";
static const char terminator[] = "aws4_request";

/* Word by word; the last word may begin within the one before. */
static inline bool is_ascii(struct slice text) {
    uint64_t all = 0;
    if (text.len < 8) {
        for (size_t i = 0; i < text.len; i++)
            all |= text.data[i];
    } else {
        for (size_t i = 0; i + 8 < text.len; i += 8)
            all |= load_u64(text.data + i);
        all |= load_u64(text.data + text.len - 8);
    }
    return (all & EVERY_BYTE(0x80)) == 0;
}

struct slice auth_quotable(struct arena *arena, struct slice text) {
    if (is_ascii(text))
        return text;
    uint8_t *out = arena_alloc(arena, text.len * 2);
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
static inline bool next_part(struct slice *rest, struct slice *ret_part) {
    const uint8_t *at = rest->data, *end = rest->data + rest->len;
    while (at < end && (*at == ' ' || *at == ','))
        at++;
    const uint8_t *part_end = block_find_either(at, end, ',', ' ');
    *ret_part = slice_of(at, (size_t)(part_end - at));
    *rest = slice_of(part_end, (size_t)(end - part_end));
    return ret_part->len > 0;
}

/* Whether the part is the one that starts with `name`, equals sign included. */
static inline bool take_value(struct slice part, struct slice name, struct slice *ret_value) {
    if (!slice_starts_with(part, name))
        return false;
    *ret_value = slice_skip(part, name.len);
    return true;
}

static struct error *check_pair(struct arena *arena, struct slice part, struct slice header) {
    if (memchr(part.data, '=', part.len) != NULL)
        return NULL;
    struct slice quoted = auth_quotable(arena, part), whole = auth_quotable(arena, header);
    return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                     "'%.*s' not a valid key=value pair (missing equal-sign) in "
                     "Authorization header: '%.*s'.",
                     SLICE_ARGS(quoted), SLICE_ARGS(whole));
}

static struct error *read_header_parts(struct arena *arena, struct slice header,
                                       struct auth_identity *identity,
                                       struct slice *ret_credential) {
    struct slice rest = header, part;
    next_part(&rest, &identity->algorithm);
    while (next_part(&rest, &part))
        if (!take_value(part, SLICE_LITERAL("Credential="), ret_credential) &&
            !take_value(part, SLICE_LITERAL("SignedHeaders="), &identity->signed_headers) &&
            !take_value(part, SLICE_LITERAL("Signature="), &identity->signature))
            TRY(check_pair(arena, part, header));
    return NULL;
}

static struct error *missing_parts(struct arena *arena, struct slice header,
                                   const struct auth_identity *identity, struct slice credential) {
    const struct {
        struct slice value;
        const char *text;
    } needed[] = {
        {credential, "Authorization header requires 'Credential' parameter. "},
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
    buffer_append_text(&missing, "Authorization=");
    buffer_append_slice(&missing, auth_quotable(arena, header));
    return incomplete(arena, buffer_slice(&missing));
}

static struct error *read_header(struct arena *arena, const struct http_request *request,
                                 struct auth_identity *identity, struct slice *ret_credential) {
    struct slice header = request->known[HTTP_AUTHORIZATION];
    identity->in_query = false;
    identity->signature = SLICE_NONE;
    identity->signed_headers = SLICE_NONE;
    TRY(read_header_parts(arena, header, identity, ret_credential));
    identity->timestamp = request->known[HTTP_X_AMZ_DATE];
    if (identity->timestamp.len == 0)
        identity->timestamp = request->known[HTTP_DATE];
    identity->session_token = request->known[HTTP_X_AMZ_SECURITY_TOKEN];
    if (ret_credential->len > 0 && identity->signature.len > 0 &&
        identity->signed_headers.len > 0 && identity->timestamp.len > 0)
        return NULL;
    return missing_parts(arena, header, identity, *ret_credential);
}

/* ---- what both have in common ---- */

static struct error *check_date(struct arena *arena, struct auth_identity *identity) {
    struct slice basic = date_parse(arena, identity->timestamp);
    if (!slice_present(basic)) {
        struct slice quoted = auth_quotable(arena, identity->timestamp);
        return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                         "Date must be in ISO-8601 'basic format'. Got '%.*s'. See "
                         "http://en.wikipedia.org/wiki/ISO_8601",
                         SLICE_ARGS(quoted));
    }
    identity->timestamp = basic;
    return NULL;
}

/* The host, in any case: setting bit 5 turns capitals into small letters, and makes a small letter
 * of nothing else. */
static bool is_host(const uint8_t *name, size_t len) {
    static const uint8_t host[] = {'h', 'o', 's', 't'};
    return len == sizeof(host) && (load_u32(name) | 0x20202020) == load_u32(host);
}

static struct error *check_signed_headers(struct arena *arena, struct slice names) {
    const uint8_t *at = names.data, *end = names.data + names.len;
    while (at < end) {
        const uint8_t *name_end = block_find(at, end, ';');
        if (is_host(at, (size_t)(name_end - at)))
            return NULL;
        at = name_end == end ? end : name_end + 1;
    }
    return error_new(arena, ERROR_INVALID_SIGNATURE,
                     "'Host' must be a 'SignedHeader' in the AWS Authorization.");
}

static struct error *check_algorithm(struct arena *arena, struct slice algorithm) {
    if (slice_is(algorithm, algorithm_name))
        return NULL;
    struct slice quoted = auth_quotable(arena, algorithm);
    return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                     "Unsupported AWS 'algorithm': '%.*s' (only AWS4-HMAC-SHA256 for now). ",
                     SLICE_ARGS(quoted));
}

/* Five elements; slashes at the end do not make more. */
static bool split_credential(struct slice credential, struct slice parts[SCOPE_PARTS]) {
    const uint8_t *at = credential.data, *end = credential.data + credential.len;
    while (end > at && end[-1] == '/')
        end--;
    for (unsigned count = 0; count < SCOPE_PARTS - 1; count++) {
        const uint8_t *slash = block_find(at, end, '/');
        if (slash == end)
            return false;
        parts[count] = slice_of(at, (size_t)(slash - at));
        at = slash + 1;
    }
    struct slice last = slice_of(at, (size_t)(end - at));
    parts[SCOPE_PARTS - 1] = last;
    return memchr(last.data, '/', last.len) == NULL;
}

static struct error *read_credential(struct arena *arena, struct slice credential,
                                     struct auth_identity *identity) {
    struct slice parts[SCOPE_PARTS];
    if (!split_credential(credential, parts)) {
        struct slice quoted = auth_quotable(arena, credential);
        return error_new(arena, ERROR_INCOMPLETE_SIGNATURE,
                         "Credential must have exactly 5 slash-delimited elements, e.g. "
                         "keyid/date/region/service/term, got '%.*s'",
                         SLICE_ARGS(quoted));
    }
    identity->access_key_id = auth_quotable(arena, parts[0]);
    identity->date = parts[1];
    identity->region = parts[2];
    identity->service = parts[3];
    identity->terminator = parts[4];
    return NULL;
}

static struct error *wrong_scope(struct arena *arena, const struct auth_identity *identity,
                                 struct slice service, struct slice day) {
    CLEANUP(buffer_release) struct buffer faults;
    buffer_init(&faults, MESSAGE_BYTES_MAX);
    if (!slice_equal(identity->service, service))
        buffer_printf(&faults, "Credential should be scoped to correct service: '%.*s'. ",
                      SLICE_ARGS(service));
    if (!slice_is(identity->terminator, terminator)) {
        struct slice quoted = auth_quotable(arena, identity->terminator);
        buffer_printf(&faults,
                      "Credential should be scoped with a valid terminator: 'aws4_request', not "
                      "'%.*s'. ",
                      SLICE_ARGS(quoted));
    }
    if (!slice_equal(identity->date, day)) {
        struct slice quoted = auth_quotable(arena, identity->date);
        buffer_printf(&faults,
                      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
                      "date from HTTP: '%.*s' != '%.*s', from '%.*s'.",
                      SLICE_ARGS(quoted), SLICE_ARGS(day), SLICE_ARGS(identity->timestamp));
    }
    return error_new(arena, ERROR_INVALID_SIGNATURE, "%.*s", SLICE_ARGS(buffer_slice(&faults)));
}

/* Any region is ours: one server stands for all of them. */
struct error *auth_check_scope(struct arena *arena, const struct auth_identity *identity,
                               struct slice service) {
    struct slice day = slice_first(identity->timestamp, DAY_BYTES);
    if (slice_equal(identity->service, service) && slice_is(identity->terminator, terminator) &&
        slice_equal(identity->date, day))
        return NULL;
    return wrong_scope(arena, identity, service, day);
}

static struct error *read_parts(struct arena *arena, const struct http_request *request,
                                struct auth_identity *identity, struct slice *ret_credential) {
    struct slice header = request->known[HTTP_AUTHORIZATION];
    bool in_query = request->query.len > 0 &&
                    slice_present(http_request_query(request, SLICE_LITERAL("X-Amz-Algorithm")));
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

struct error *auth_read(struct arena *arena, const struct http_request *request,
                        struct auth_identity *ret_identity) {
    struct auth_identity identity; /* every field is set by one step or another */
    struct slice credential = SLICE_NONE;
    TRY(read_parts(arena, request, &identity, &credential));
    TRY(check_date(arena, &identity));
    TRY(check_signed_headers(arena, identity.signed_headers));
    TRY(check_algorithm(arena, identity.algorithm));
    TRY(read_credential(arena, credential, &identity));
    *ret_identity = identity;
    return NULL;
}
