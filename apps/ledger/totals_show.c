/* totals_show.c - shows totals. */
#include "totals_show.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/service_reply.h"
#include "common/timestamp.h"
#include "totals.h"
#include "totals_place.h"

enum { TOTALS_SHOWN_MAX = 1000 };

/* Whether they are kept, and whole. */
static enum app_status check_place(struct app *app) {
    struct totals_place place;
    enum app_status status = APP_FAILED;
    if (!place_read(app, &place))
        status = APP_FAILED;
    else if (!place.found)
        app_fail(app, "there are no totals yet; `gramme-ledger serve` keeps them");
    else if (place.position == NULL)
        app_fail(app, "the totals are being built");
    else
        status = APP_OK;
    place_release(&place);
    return status;
}

/* "2024-01-15" or "2024-01". */
static bool check_period(const struct app *app, const char *what, const char *text) {
    char day[TIMESTAMP_SIZE];
    int64_t day_ms;
    snprintf(day, sizeof(day), "%.12s%s", text, strlen(text) == 7 ? "-01" : "");
    if (timestamp_parse_day(day, &day_ms))
        return true;
    app_bad_usage(app, "%s takes a day or a month, 2024-01-15 or 2024-01, not '%s'", what, text);
    return false;
}

struct request {
    enum total_kind kind;
    const char *id;
    const char *from; /* or NULL: from the first on */
    const char *to;   /* or NULL: to the last one */
};

static enum app_status query(struct app *app, const struct request *request,
                             struct ddb_cursor **ret_totals) {
    char from[LEDGER_KEY_SIZE], to[LEDGER_KEY_SIZE];
    const char *prefix = total_sort_prefix(request->kind);
    int length = request->kind == TOTAL_ACCOUNT ? 7 : 10;
    if ((request->from != NULL && !check_period(app, "--from", request->from)) ||
        (request->to != NULL && !check_period(app, "--to", request->to)))
        return APP_USAGE;
    snprintf(from, sizeof(from), "%s%.*s", prefix, length,
             request->from == NULL ? "" : request->from);
    /* '~' is behind all that may follow. */
    snprintf(to, sizeof(to), "%s%.*s~", prefix, length, request->to == NULL ? "" : request->to);
    if (strcmp(from, to) > 0)
        return app_bad_usage(app, "--to is before --from");
    if (check_place(app) != APP_OK)
        return APP_FAILED;
    *ret_totals = entity_query(
        app, &(struct entity_query){.condition = "PK = :pk AND SK BETWEEN :from AND :to",
                                    .pk_prefix = total_key_prefix(request->kind),
                                    .pk = request->id,
                                    .from = from,
                                    .to = to});
    return APP_OK;
}

/* ---- the commands ---- */

const struct app_option totals_options[] = {
    {"from", "PERIOD", "a day or a month: 2026-01-15, 2026-01; the first when not given", false},
    {"to", "PERIOD", "the last one that counts; a month counts whole", false},
    {0},
};

static void print_total(enum total_kind kind, const struct ddb_item *item) {
    const char *figure;
    char name[32];
    printf("%s %s", ddb_item_string(item, "Period", "?"), ddb_item_string(item, "Currency", "?"));
    for (size_t i = 0; (figure = total_figure(kind, i)) != NULL; i++) {
        snprintf(name, sizeof(name), "%sCount", figure);
        printf(" %c%s %s", tolower((unsigned char)*figure), figure + 1,
               ddb_item_number(item, name, "?"));
        char sum[MONEY_TEXT_SIZE] = "?";
        money_sum cents;
        snprintf(name, sizeof(name), "%sSum", figure);
        if (money_sum_get(item, name, &cents))
            money_format(cents, sum);
        printf(" %s", sum);
    }
    printf("\n");
}

static enum app_status show(struct app *app, enum total_kind kind) {
    struct request request = {kind, app_operand(app, 0), app_option(app, "from", NULL),
                              app_option(app, "to", NULL)};
    struct ddb_cursor *totals = NULL;
    if (!app_check_id(app, kind == TOTAL_ACCOUNT ? "ACCOUNT" : "MERCHANT", request.id))
        return APP_USAGE;
    enum app_status status = query(app, &request, &totals);
    if (status != APP_OK)
        return status;
    for (const struct ddb_item *item; (item = ddb_cursor_next(totals)) != NULL;)
        print_total(kind, item);
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the totals");
    ddb_cursor_free(totals);
    return status;
}

enum app_status totals_merchant(struct app *app) {
    return show(app, TOTAL_MERCHANT);
}

enum app_status totals_account(struct app *app) {
    return show(app, TOTAL_ACCOUNT);
}

/* ---- over HTTP ---- */

const struct service_parameter totals_parameters[] = {
    {"from", SERVICE_QUERY, SERVICE_STRING, false, "a day or a month; the first"},
    {"to", SERVICE_QUERY, SERVICE_STRING, false, "the last one that counts"},
    {0},
};

static enum app_status send(struct service_call *call, enum total_kind kind, const char *what) {
    struct request request = {kind, call->path[0], service_query(call, "from", NULL),
                              service_query(call, "to", NULL)};
    struct ddb_cursor *totals = NULL;
    if (!app_check_id(call->app, what, request.id))
        return APP_USAGE;
    enum app_status status = query(call->app, &request, &totals);
    if (status != APP_OK)
        return status == APP_FAILED ? reply_failure(call) : status;
    return reply_items(call, "totals", totals, TOTALS_SHOWN_MAX);
}

enum app_status get_merchant_totals(struct service_call *call) {
    return send(call, TOTAL_MERCHANT, "merchant");
}

enum app_status get_account_totals(struct service_call *call) {
    return send(call, TOTAL_ACCOUNT, "account");
}
