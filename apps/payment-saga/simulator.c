/* simulator.c - a payment gateway to try the saga with. It keeps the contract of gateway.h.
 *
 * Whether it declines a payment depends on the payment's name alone, so it always answers the same.
 * Its book, a text file, has a line for each payment that was charged, "KEY AMOUNT CURRENCY", and
 * one for each that was refunded, "KEY refunded"; a lock on the file keeps two calls for one
 * payment from writing two. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "common/random.h"
#include "gateway.h"

enum { STATUS_FAILED = 2, STATUS_LOST = 75 };

const struct app_option gateway_simulate_options[] = {
    {"decline", "PERCENT", "of the payments are declined; 0 when not given", false},
    {"fail", "PERCENT", "of the calls fail and do nothing; 0", false},
    {"lose", "PERCENT", "of the answers are lost, half of them after the deed; 0", false},
    {"delay", "MS", "how long it takes; 0", false},
    {"book", "FILE", "gets a line for each payment that was charged or refunded", false},
    {0},
};

/* A number from 0 to 99 that belongs to the name (FNV-1a). */
static int64_t percentile_of(const char *name) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (int64_t)((hash ^ hash >> 32) % 100);
}

struct record {
    bool charged;
    bool refunded;
};

static struct record look_up(FILE *book, const char *key) {
    struct record record = {0};
    char line[512];
    while (fgets(line, sizeof(line), book) != NULL) {
        size_t size = strcspn(line, " ");
        if (strlen(key) != size || memcmp(line, key, size) != 0)
            continue;
        bool refunded = strcmp(line + size, " refunded\n") == 0;
        record.refunded = record.refunded || refunded;
        record.charged = record.charged || !refunded;
    }
    return record;
}

/* Does what is asked for and tells whether that is now so: charged and not refunded, or refunded. A
 * simulator without a book remembers nothing. Ends the program when the book cannot be written. */
static bool keep_book(const struct app *app, const char *path, bool refunds) {
    const char *key = app_operand(app, 1);
    FILE *book = path == NULL ? NULL : fopen(path, "a+");
    if (path == NULL)
        return true;
    bool ok = book != NULL && flock(fileno(book), LOCK_EX) == 0, done = true;
    if (ok) {
        rewind(book);
        struct record record = look_up(book, key);
        done = refunds || !record.refunded;
        if (refunds && !record.refunded)
            fprintf(book, "%s refunded\n", key);
        else if (!refunds && !record.refunded && !record.charged)
            fprintf(book, "%s %s %s\n", key, app_operand(app, 2), app_operand(app, 3));
    }
    if (book == NULL || fclose(book) != 0 || !ok) {
        app_fail(app, "cannot write %s: %s", path, strerror(errno));
        exit(STATUS_LOST);
    }
    return done;
}

static bool happens(int64_t percent) {
    return (int64_t)(random_u64() % 100) < percent;
}

enum app_status gateway_simulate(struct app *app) {
    int64_t decline = 0, fail = 0, lose = 0, delay_ms = 0;
    if (!app_number(app, "decline", 0, 100, &decline) || !app_number(app, "fail", 0, 100, &fail) ||
        !app_number(app, "lose", 0, 100, &lose) || !app_number(app, "delay", 0, 600000, &delay_ms))
        return APP_USAGE;
    const char *verb = app_operand(app, 0), *key = app_operand(app, 1);
    bool refunds = strcmp(verb, "refund") == 0;
    if (!refunds && strcmp(verb, "charge") != 0)
        return app_bad_usage(app, "the gateway can charge and refund, not '%s'", verb);
    nanosleep(&(struct timespec){.tv_sec = delay_ms / 1000, .tv_nsec = delay_ms % 1000 * 1000000},
              NULL);
    if (happens(fail)) {
        printf("the simulator is out of order\n");
        fflush(stdout);
        exit(STATUS_FAILED);
    }
    bool lost = happens(lose);
    if (lost && random_u64() % 2 == 0)
        exit(STATUS_LOST); /* nothing has happened, but who is to know */
    bool declined = (!refunds && percentile_of(key) < decline) ||
                    !keep_book(app, app_option(app, "book", NULL), refunds);
    if (lost)
        exit(STATUS_LOST);
    if (declined) {
        printf("declined by the simulator\n");
        return APP_FAILED;
    }
    printf("sim-%s\n", key);
    return APP_OK;
}
