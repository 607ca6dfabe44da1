/* metric_math.h - metric math: expressions over time series ("m1/m2*100", "SUM(METRICS())").
 *
 * A text is compiled once into steps of a tree, and run on the series that its names stand for. A
 * value is a number, a series or a list of series. Operators and functions work on each point:
 * where one of two series has none, the result has none; neither has it where a result would be no
 * number (a division by 0). SUM, AVG, MIN, MAX and STDDEV of a list are a series, of one series a
 * number.
 *
 *   + - * / ^ - ! == != < <= > >= && || AND OR ( )   numbers, [a, b], "text"
 *   ABS CEIL FLOOR LOG LOG10   SUM AVG MIN MAX STDDEV   DIFF RATE DIFF_TIME RUNNING_SUM
 *   FILL(m, 0 | REPEAT | LINEAR)   IF(c, a, b)   PERIOD(m)   TIME_SERIES(n)   METRICS(["text"])
 *   SEARCH("text", "Sum", 300)
 *
 * Memory: the arena; a compiled expression is immutable. Pure: no file but these knows it. */
#ifndef GRAMME_CLOUDWATCH_METRIC_MATH_H
#define GRAMME_CLOUDWATCH_METRIC_MATH_H

#include "base/error.h"

enum {
    MATH_TEXT_MAX = 2048, /* characters, as in the service */
    MATH_DEPTH_MAX = 32,
};

struct math_series {
    struct slice label;
    int64_t period_s;
    size_t count;
    int64_t *times; /* ms, the oldest first */
    double *values;
};

enum math_kind { MATH_NUMBER, MATH_SERIES, MATH_LIST };

struct math_value {
    enum math_kind kind;
    double number;
    struct math_series *list; /* MATH_SERIES: one */
    size_t count;
};

struct math_node;

/* The error tells where, for the person who wrote it. */
struct error *math_compile(struct arena *arena, struct slice text,
                           const struct math_node **ret_node);

struct math_search {
    struct slice text;
    struct slice stat;
    double period_s;
};

/* What names stand for. */
struct math_scope {
    struct error *(*find)(void *user, struct slice name, struct math_value *ret_value);
    /* All metrics whose names have the text in them, as a list. */
    struct error *(*metrics)(void *user, struct slice text, struct math_value *ret_value);
    /* All metrics that are meant (search.h), as a list; a period of 0 is that of the others. */
    struct error *(*search)(void *user, const struct math_search *search,
                            struct math_value *ret_value);
    void *user;
    int64_t from_ms, to_ms; /* the time that is asked for */
    int64_t period_s;       /* of series that are made of a number */
    size_t *points;         /* made so far, of LIMIT_MATH_POINTS for all runs of a request */
};

/* Series in the result may be those that the scope gave: nobody changes them. */
struct error *math_run(struct arena *arena, const struct math_node *node,
                       const struct math_scope *scope, struct math_value *ret_value);

#endif
