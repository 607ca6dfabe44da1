/* pay.c - the commands that make, cancel, refund and settle a payment: saga.c does the work. */
#include "pay.h"

#include <stdio.h>

#include "common/money.h"
#include "saga.h"

void print_ending(const struct payment *payment) {
    char amount[MONEY_TEXT_SIZE];
    money_format(payment->amount, amount);
    printf("%s %s %s %s\n", payment->id, ending_name(payment->ending), amount, payment->detail);
}

/* Runs it, and is content with one ending only. */
static enum app_status run(struct app *app, const struct saga_request *request,
                           enum ending wanted) {
    struct saga_settings settings;
    struct payment payment;
    if (!app_check_id(app, request->wish == WISH_PAY ? "--payment" : "PAYMENT", request->id) ||
        !saga_settings_read(app, &settings))
        return APP_USAGE;
    enum app_status status = saga_run(app, &settings, request, &payment);
    if (status != APP_OK)
        return status;
    print_ending(&payment);
    return payment.ending == wanted ? APP_OK : APP_FAILED;
}

const struct app_option pay_options[] = {
    {"user", "USER", "whose wallet pays", true},
    {"payment", "PAYMENT", "names the payment; the same name is paid once", true},
    {"amount", "AMOUNT", "in the currency of the wallet", true},
    {"deadline", "SECONDS", "by then it has ended, one way or the other; 900", false},
    SAGA_OPTIONS,
    {0},
};

enum app_status pay(struct app *app) {
    struct saga_request request = {.wish = WISH_PAY,
                                   .user = app_option(app, "user", ""),
                                   .id = app_option(app, "payment", "")};
    if (!app_check_id(app, "--user", request.user) ||
        !money_option(app, "amount", 1, &request.amount))
        return APP_USAGE;
    return run(app, &request, ENDING_SUCCESS);
}

const struct app_option pay_undo_options[] = {
    SAGA_OPTIONS,
    {0},
};

enum app_status pay_cancel(struct app *app) {
    return run(app, &(struct saga_request){.wish = WISH_CANCEL, .id = app_operand(app, 0)},
               ENDING_FAILED);
}

enum app_status pay_refund(struct app *app) {
    return run(app, &(struct saga_request){.wish = WISH_REFUND, .id = app_operand(app, 0)},
               ENDING_REFUNDED);
}

const struct app_option pay_resolve_options[] = {
    {"charged", "REFERENCE", "the gateway has charged, under this reference", false},
    {"not-charged", NULL, "the gateway has not charged and never will", false},
    {0},
};

enum app_status pay_resolve(struct app *app) {
    const char *reference = app_option(app, "charged", NULL);
    if ((reference != NULL) == app_flag(app, "not-charged"))
        return app_bad_usage(app, "either --charged or --not-charged is needed");
    if (reference != NULL && !app_check_text(app, "--charged", reference))
        return APP_USAGE;
    return run(app,
               &(struct saga_request){.wish = reference == NULL ? WISH_NOT_CHARGED : WISH_CHARGED,
                                      .id = app_operand(app, 0),
                                      .reference = reference},
               reference == NULL ? ENDING_FAILED : ENDING_SUCCESS);
}
