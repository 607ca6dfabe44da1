/* signer.h - Signature Version 4 of requests that are built beforehand.
 *
 * The key of the day is made once a day and the date's text once a second; what is left for each
 * request is a hash of its body, one of its canonical form, and an HMAC. Threads: one. */
#ifndef GRAMME_BENCH_SIGNER_H
#define GRAMME_BENCH_SIGNER_H

#include "bench/request.h"
#include "crypto/digest.h"

enum { SIGNER_TEXT_MAX = 512 };

struct signer {
    struct digest *digest;
    const struct credentials *credentials;
    int64_t second; /* that `date` tells */
    char date[DATE_CHARS + 1];
    char day[DAY_CHARS + 1];    /* whose key is set */
    char text[SIGNER_TEXT_MAX]; /* to sign: only date, day and the hash at its end change */
    size_t text_len;
};

/* The credentials outlive the signer. */
struct error *signer_init(struct signer *signer, struct arena *arena,
                          const struct credentials *credentials);
void signer_release(struct signer *signer);

/* After the request was filled. */
void signer_sign(struct signer *signer, struct request *request, int64_t now_s);

#endif
