/* parcel.h - a message and where it goes, and how one attempt to bring it there ended. */
#ifndef GRAMME_NOTIFY_PARCEL_H
#define GRAMME_NOTIFY_PARCEL_H

#include "base/slice.h"

enum { PARCEL_HEADERS_MAX = 4, OUTCOME_TEXT_MAX = 256 };

enum parcel_by {
    PARCEL_BY_POST,    /* `to` is a URL, of http or https */
    PARCEL_BY_COMMAND, /* `to` is a program and its arguments, apart by spaces: no shell sees it */
};

struct parcel {
    struct slice id; /* the sender's, for when it hears of it again */
    enum parcel_by by;
    struct slice to;
    struct slice headers[PARCEL_HEADERS_MAX]; /* "Content-Type: application/json"; absent: none */
    struct slice body;                        /* of the request; of a command, its standard input */
};

enum outcome_kind {
    OUTCOME_DELIVERED,
    OUTCOME_FAILED, /* another attempt may do better */
    OUTCOME_REFUSED /* none will */
};

struct outcome {
    enum outcome_kind kind;
    char text[OUTCOME_TEXT_MAX]; /* unless it was delivered: what happened, for people */
};

#endif
