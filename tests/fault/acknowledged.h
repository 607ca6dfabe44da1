/* acknowledged.h - what a client knows of a request after a fault. Included after cmocka.h. */
#ifndef GRAMME_TESTS_FAULT_ACKNOWLEDGED_H
#define GRAMME_TESTS_FAULT_ACKNOWLEDGED_H

#include "base/error.h"

/* Whether it was told that it is done. Else it was told of a failure on this machine, and nothing
 * else. */
static inline bool acknowledged(const struct error *error) {
    if (error != NULL)
        assert_int_equal(error->code, ERROR_LOCAL);
    return error == NULL;
}

#endif
