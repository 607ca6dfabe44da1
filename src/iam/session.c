/* session.c - see session.h.
 *
 * What is sealed: a version, what it is of, two times, then texts, each with its length before it.
 */
#include "iam/session.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "base/check.h"
#include "iam/names.h"

enum { VERSION = 1, HEAD_BYTES = 2 + 8 + 8, TEXTS = 6 };

static const struct slice seal_context = {(const uint8_t *)"session", 7};

void session_make_key(struct arena *arena, const struct random *random, struct session *session) {
    session->key_id = key_make_id(arena, random, "ASIA");
    session->secret = key_make_secret(arena, random);
}

/* ---- sealed ---- */

static void texts_of(const struct session *session, struct slice texts[TEXTS]) {
    const struct slice list[TEXTS] = {session->key_id,       session->secret, session->principal,
                                      session->principal_id, session->name,   session->policy};
    memcpy(texts, list, sizeof(list));
}

struct slice session_seal(struct arena *arena, struct seal *seal, const struct session *session) {
    CLEANUP(buffer_release) struct buffer plain;
    uint8_t head[HEAD_BYTES] = {VERSION, (uint8_t)session->of};
    struct slice texts[TEXTS];
    store_u64(head + 2, (uint64_t)session->issued_ms);
    store_u64(head + 10, (uint64_t)session->ends_ms);
    texts_of(session, texts);
    buffer_init(&plain, SESSION_TOKEN_MAX);
    buffer_append(&plain, head, sizeof(head));
    for (size_t i = 0; i < TEXTS; i++) {
        buffer_append_varint(&plain, (uint32_t)texts[i].len);
        buffer_append_slice(&plain, texts[i]);
    }
    CHECK(!plain.overflow);
    size_t len = plain.len + SEAL_BYTES;
    uint8_t *sealed = arena_alloc(arena, len);
    seal_close(seal, seal_context, buffer_slice(&plain), sealed);
    uint8_t *text = arena_alloc(arena, base64_encoded_len(len));
    base64_encode(slice_of(sealed, len), text);
    return slice_of(text, base64_encoded_len(len));
}

/* What was sealed here is well formed; the lengths are looked at all the same. */
static bool read_texts(struct slice rest, struct slice texts[TEXTS]) {
    for (size_t i = 0; i < TEXTS; i++) {
        uint32_t len;
        size_t taken = varint_decode_checked(rest.data, rest.len, &len);
        if (taken == 0 || len > rest.len - taken)
            return false;
        texts[i] = slice_part(rest, taken, len);
        rest = slice_skip(rest, taken + len);
    }
    return rest.len == 0;
}

bool session_open(struct arena *arena, struct seal *seal, struct slice token,
                  struct session *ret_session) {
    size_t len;
    if (token.len > SESSION_TOKEN_MAX * 2)
        return false;
    uint8_t *sealed = arena_alloc(arena, base64_decoded_max(token.len) + 1);
    if (base64_decode(token, sealed, &len) != BASE64_OK || len < SEAL_BYTES + HEAD_BYTES)
        return false;
    uint8_t *plain = arena_alloc(arena, len);
    struct slice texts[TEXTS];
    if (!seal_open(seal, seal_context, slice_of(sealed, len), plain) || plain[0] != VERSION ||
        plain[1] > SESSION_OF_ROLE ||
        !read_texts(slice_of(plain + HEAD_BYTES, len - SEAL_BYTES - HEAD_BYTES), texts))
        return false;
    *ret_session = (struct session){
        .of = (enum session_of)plain[1],
        .key_id = texts[0],
        .secret = texts[1],
        .principal = texts[2],
        .principal_id = texts[3],
        .name = texts[4],
        .policy = texts[5],
        .issued_ms = (int64_t)load_u64(plain + 2),
        .ends_ms = (int64_t)load_u64(plain + 10),
    };
    return true;
}
