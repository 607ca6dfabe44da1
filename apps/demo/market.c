/* market.c - see market.h. A price is a few waves over the time, so that everybody who asks at the
 * same moment hears the same, and nothing has to be remembered. */
#include "market.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/random.h"
#include "common/timestamp.h"

static const struct {
    const char *code;
    double rate;
} currencies[] = {{"CAD", 1.37},  {"CHF", 0.89}, {"EUR", 0.92}, {"GBP", 0.79},
                  {"JPY", 156.2}, {"NOK", 10.8}, {"SEK", 10.5}, {"USD", 1.0}};

/* From the letters alone: the phase of its waves, and what a share costs. */
static double number_of(const char *name) {
    unsigned number = 7;
    for (; *name != '\0'; name++)
        number = (number * 37 + (unsigned char)*name) % 100003;
    return number;
}

/* About 1: between 0.97 and 1.03, times `swing`. */
static double wave(const char *name, double swing) {
    double seconds = (double)timestamp_now_ms() / 1000, phase = number_of(name);
    return 1 + swing * (0.018 * sin(seconds / 61 + phase) + 0.009 * sin(seconds / 17 + 3 * phase) +
                        0.003 * sin(seconds / 3 + 7 * phase));
}

enum app_status market_quote(struct app *app) {
    const char *symbol = app_operand(app, 0);
    if (!app_check_id(app, "SYMBOL", symbol))
        return APP_USAGE;
    if (random_u64() % 12 == 0)
        return app_fail(app, "the exchange does not answer");
    double base = 20 + fmod(number_of(symbol), 480);
    printf("{\"symbol\": \"%s\", \"price\": %.2f, \"open\": %.2f}\n", symbol,
           base * wave(symbol, 1), base);
    return APP_OK;
}

enum app_status market_rates(struct app *app) {
    const char *base = app_operand(app, 0), *comma = "";
    double of_base = 0;
    for (size_t i = 0; i < sizeof(currencies) / sizeof(*currencies); i++)
        if (strcmp(currencies[i].code, base) == 0)
            of_base = currencies[i].rate * wave(base, 0.3);
    if (of_base == 0)
        return app_bad_usage(app, "there is no market for '%s'", base);
    printf("{\"rates\": {");
    for (size_t i = 0; i < sizeof(currencies) / sizeof(*currencies); i++) {
        if (strcmp(currencies[i].code, base) == 0)
            continue;
        printf("%s\"%s\": %.4f", comma, currencies[i].code,
               currencies[i].rate * wave(currencies[i].code, 0.3) / of_base);
        comma = ", ";
    }
    printf("}}\n");
    return APP_OK;
}
