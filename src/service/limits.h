/* limits.h - gramme's limits on the services besides DynamoDB, each with where it comes from, as in
 * model/limits.h: "guide" is the service's user guide, "ours" a limit that the service does not
 * state. */
#ifndef GRAMME_SERVICE_LIMITS_H
#define GRAMME_SERVICE_LIMITS_H

enum {
    /* ours: of the arena of one request, and of one look at an alarm. The largest input, 1 MB,
     * takes 60 MB as a tree; 500 series of two weeks take 32 MB, and their sum as much again. */
    LIMIT_SERVICE_MEMORY_BYTES = 128 * 1024 * 1024,

    LIMIT_MATH_SERIES = 500,   /* guide: of a graph; here of every list within an expression */
    LIMIT_MATH_SEARCHES = 100, /* guide: SEARCHes of a graph; here of a request */
    /* ours: that all expressions of a request look at for a sum or make; about a second */
    LIMIT_MATH_POINTS = 16 * 1000 * 1000,
};

#endif
