/* metrics.h - measurements over time, a partition for each kind and day.
 *
 * Table Metrics: "metricType#date", timestamp -> value, dimensions. The kinds are
 *   PAYMENT_LATENCY  how long a payment or a refund took, from its begin to its end, in ms
 *   PAYMENT_AMOUNT   what it was about
 *   GATEWAY_LATENCY  how long a call of the gateway took, in ms
 *   TOP_UP_AMOUNT    what was put into a wallet
 * and each has the dimensions service, operation and status. */
#ifndef PAYMENT_SAGA_METRICS_H
#define PAYMENT_SAGA_METRICS_H

#include "common/app.h"

struct metric {
    const char *type;
    const char *service;
    const char *operation;
    const char *status;
};

/* A measurement is not worth a failure: where it cannot be written there is only a warning. */
void metrics_record_ms(struct app *app, const struct metric *metric, int64_t value_ms);
void metrics_record_money(struct app *app, const struct metric *metric, int64_t cents);

/* What the measurements of a day, or of several, come to. */
struct metrics_group {
    char name[72]; /* the value of the dimension; "" when there is none to tell apart */
    size_t count;
    double sum, average, least, p50, p90, p99, most;
};
struct metrics_question {
    const char *type;
    int64_t from_ms; /* the first day and the last */
    int64_t to_ms;
    const char *dimension; /* or NULL: all together */
};
/* Groups in the order of their names; free() them. False, with a message, when they cannot be
 * read. */
bool metrics_sum_up(struct app *app, const struct metrics_question *question,
                    struct metrics_group **ret_groups, size_t *ret_count);

extern const struct app_option metrics_show_options[];
enum app_status metrics_show(struct app *app);
/* Reads TYPE, DATE and TO as people write them; `to` may be NULL. Says what is wrong. */
bool metrics_question_read(const struct app *app, const char *type, const char *from,
                           const char *to, struct metrics_question *ret_question);

#endif
