/* request.h - a request that is built once and sent often.
 *
 * The body is a text with places, which are filled before each sending; head and all else stay as
 * they are. A place has a fixed width:
 *   %n  the next key, eight digits      %s  the number after the last key, for batches
 *   %k  the last key again              %g  the last key divided by the group's size
 *   %i  a new key                       %h  the next key divided by the group's size
 *   %p  the payload, random letters     %l  a number from 1 to 100
 *   %%  a percent sign
 * Memory: in the arena that it was built in. Threads: one. */
#ifndef GRAMME_BENCH_REQUEST_H
#define GRAMME_BENCH_REQUEST_H

#include "base/error.h"
#include "bench/keys.h"
#include "crypto/signer.h"

enum {
    REQUEST_PLACES_MAX = 1024,
    REQUEST_BODY_MAX = 16 * 1024 * 1024,
    PAYLOAD_MAX = 512 * 1024,
    POOL_BYTES = 2 * PAYLOAD_MAX,
};

struct request_text {
    const char *operation; /* its name, or all of X-Amz-Target when there is a dot in it */
    const char *body;
};

struct request_settings {
    const char *host; /* as in the Host header */
    const struct credentials *credentials;
    size_t payload_bytes;
    uint64_t group;
};

struct request_place {
    uint32_t at; /* from the request's first byte */
    char kind;   /* the letter after the % */
};

struct request {
    char *bytes;
    size_t len;
    size_t head_len;
    struct request_place *places;
    size_t place_count;
    unsigned turns; /* how many times %n or %h is there */
    size_t date_at; /* in the head: the values of X-Amz-Date and Authorization, and the signature */
    size_t authorization_at;
    size_t signature_at;
    int64_t dated_s;             /* the second that is written in it */
    struct signer_request parts; /* that are signed */
};

/* An error when the text has a place that there is not, or is too long. Until it is signed, the
 * signature is one that nobody can have made. */
struct error *request_build(struct arena *arena, const struct request_text *text,
                            const struct request_settings *settings, struct request **ret_request);

/* Random letters to take payloads from: POOL_BYTES of them. */
char *payload_pool_new(struct arena *arena, uint64_t seed);

/* What the places are filled from. */
struct filler {
    struct key_space *keys;
    struct bench_random random;
    const char *pool;
    size_t payload_bytes;
    uint64_t group;
};

/* The keys of one operation. */
struct key_state {
    uint64_t turn; /* the first of those that were taken, in sequential order */
    uint64_t key;  /* the last one */
};

void request_fill(struct request *request, struct filler *filler, struct key_state *state);
/* After it was filled, by the credentials that it was built with. */
void request_sign(struct request *request, struct signer *signer, int64_t now_s);

#endif
