/* simulator.c - a payment gateway to try the saga with. It keeps the contract of gateway.h.
 *
 * Whether it refuses a payment depends on the payment's name alone, so it always answers the same.
 * Its book, a text file, has one line for each payment that was charged; a lock on the file keeps
 * two calls for one payment from writing two. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "common/random.h"
#include "gateway.h"

enum { STATUS_LOST = 75 };

const struct app_option gateway_simulate_options[] = {
    {"fail", "PERCENT", "of the payments are refused; 0 when not given", false},
    {"lose", "PERCENT", "of the answers are lost, half of them after the charge; 0", false},
    {"delay", "MS", "how long it takes; 0", false},
    {"book", "FILE", "gets a line for each payment that was charged", false},
    {0},
};

/* A number from 0 to 99 that belongs to the name (FNV-1a). */
static int64_t percentile_of(const char *name) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (int64_t)((hash ^ hash >> 32) % 100);
}

static bool is_in_book(FILE *book, const char *key) {
    char line[512];
    while (fgets(line, sizeof(line), book) != NULL) {
        size_t size = strcspn(line, " ");
        if (strlen(key) == size && memcmp(line, key, size) == 0)
            return true;
    }
    return false;
}

static bool enter_in_book(const struct app *app, const char *path) {
    if (path == NULL)
        return true;
    FILE *book = fopen(path, "a+");
    if (book == NULL)
        return false;
    bool ok = flock(fileno(book), LOCK_EX) == 0;
    rewind(book);
    if (ok && !is_in_book(book, app_operand(app, 1)))
        fprintf(book, "%s %s %s\n", app_operand(app, 1), app_operand(app, 2), app_operand(app, 3));
    return (fclose(book) == 0) && ok;
}

enum app_status gateway_simulate(struct app *app) {
    int64_t fail = 0, lose = 0, delay_ms = 0;
    if (!app_number(app, "fail", 0, 100, &fail) || !app_number(app, "lose", 0, 100, &lose) ||
        !app_number(app, "delay", 0, 600000, &delay_ms))
        return APP_USAGE;
    const char *key = app_operand(app, 1), *path = app_option(app, "book", NULL);
    if (strcmp(app_operand(app, 0), "charge") != 0)
        return app_bad_usage(app, "the gateway can charge, not '%s'", app_operand(app, 0));
    nanosleep(&(struct timespec){.tv_sec = delay_ms / 1000, .tv_nsec = delay_ms % 1000 * 1000000},
              NULL);
    bool lost = (int64_t)(random_u64() % 100) < lose;
    if (lost && random_u64() % 2 == 0)
        exit(STATUS_LOST); /* nothing has happened, but who is to know */
    bool refused = percentile_of(key) < fail;
    if (!refused && !enter_in_book(app, path)) {
        app_fail(app, "cannot write %s: %s", path, strerror(errno));
        exit(STATUS_LOST);
    }
    if (lost)
        exit(STATUS_LOST);
    if (refused) {
        printf("refused by the simulator\n");
        return APP_FAILED;
    }
    printf("sim-%s\n", key);
    return APP_OK;
}
