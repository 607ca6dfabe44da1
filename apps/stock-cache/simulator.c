/* simulator.c - a source of quotes to try the cache with. It keeps the contract of quote.h.
 *
 * It knows the quotes of two symbols and makes up the others: the same ones each time, from the
 * letters of the symbol. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/money.h"
#include "entry.h"
#include "quote.h"

const struct app_option source_simulate_options[] = {
    {"price", "AMOUNT", "the price, in place of the one it knows", false},
    {"delay", "MS", "how long it takes; 0", false},
    {"fail", NULL, "it fails", false},
    {"log", "FILE", "gets a line for each call", false},
    {0},
};

struct trade {
    const char *symbol;
    int64_t price; /* all of them in cents */
    int64_t previous_close;
    int64_t open;
    int64_t high;
    int64_t low;
    int64_t volume;
};

static const struct trade known[] = {
    {"AAPL", 17845, 17611, 17720, 17900, 17650, 58123456},
    {"MSFT", 40578, 40700, 40650, 40820, 40490, 24567890},
};

static struct trade trade_of(const char *symbol) {
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].symbol, symbol) == 0)
            return known[i];
    int64_t number = 0;
    for (const char *letter = symbol; *letter != '\0'; letter++)
        number = (number * 37 + *letter) % 1000003;
    int64_t price = 1000 + number % 50000, close = price + number % 401 - 200;
    return (struct trade){.symbol = symbol,
                          .price = price,
                          .previous_close = close,
                          .open = (price + close) / 2,
                          .high = (price > close ? price : close) + number % 89,
                          .low = (price < close ? price : close) - number % 83,
                          .volume = 100000 + number * 7};
}

/* Part of `whole` in hundredths of a percent, rounded to the nearest. */
static int64_t percent_of(int64_t part, int64_t whole) {
    int64_t half = part < 0 ? -whole / 2 : whole / 2;
    return (int64_t)(((money_sum)part * 10000 + half) / whole);
}

static void print_amount(const char *name, int64_t cents) {
    char text[MONEY_TEXT_SIZE];
    money_format(cents, text);
    printf(",\"%s\":%s", name, text);
}

static void print_trade(const struct trade *trade) {
    int64_t change = trade->price - trade->previous_close;
    printf("{\"symbol\":\"%s\"", trade->symbol);
    print_amount("price", trade->price);
    print_amount("change", change);
    print_amount("changePct", percent_of(change, trade->previous_close));
    printf(",\"volume\":%" PRId64 ",\"latestTradingDay\":\"2024-01-15\"", trade->volume);
    print_amount("previousClose", trade->previous_close);
    print_amount("open", trade->open);
    print_amount("high", trade->high);
    print_amount("low", trade->low);
    printf("}\n");
}

static bool write_log(const char *path, const char *symbol) {
    FILE *log = path == NULL ? NULL : fopen(path, "a");
    if (log == NULL)
        return path == NULL;
    fprintf(log, "%s\n", symbol);
    return fclose(log) == 0;
}

enum app_status source_simulate(struct app *app) {
    char symbol[SYMBOL_SIZE];
    const char *log = app_option(app, "log", NULL);
    int64_t delay_ms = 0;
    struct trade trade;
    if (!entry_symbol(app, app_operand(app, 0), symbol) ||
        !app_number(app, "delay", 0, 600000, &delay_ms))
        return APP_USAGE;
    trade = trade_of(symbol);
    if (app_option(app, "price", NULL) != NULL && !money_option(app, "price", 1, &trade.price))
        return APP_USAGE;
    if (!write_log(log, symbol))
        return app_fail(app, "cannot write %s: %s", log, strerror(errno));
    nanosleep(&(struct timespec){.tv_sec = delay_ms / 1000, .tv_nsec = delay_ms % 1000 * 1000000},
              NULL);
    if (app_flag(app, "fail"))
        return APP_FAILED;
    print_trade(&trade);
    return APP_OK;
}
