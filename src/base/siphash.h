/* siphash.h - SipHash-2-4 with a 128-bit result: a keyed hash that a client cannot steer.
 *
 * Written here because it is on every request's path: the library's MAC interface costs an
 * allocation and a fetch per call. Checked against the reference vectors in tests/unit/base. */
#ifndef GRAMME_BASE_SIPHASH_H
#define GRAMME_BASE_SIPHASH_H

#include "base/slice.h"

enum { SIPHASH_KEY_BYTES = 16, SIPHASH_BYTES = 16 };

void siphash128(const uint8_t key[SIPHASH_KEY_BYTES], struct slice input,
                uint8_t ret_hash[SIPHASH_BYTES]);

#endif
