/* saga_settings.c - what the options say about how payments run. */
#include "saga.h"

bool saga_settings_read(const struct app *app, struct saga_settings *ret_settings) {
    *ret_settings = (struct saga_settings){
        .gateway = app_option(app, "gateway", ""),
        .service = app_option(app, "service", "payment-gateway"),
        .gateway_timeout_ms = 10000,
        .breaker_failures = 5,
        .breaker_successes = 2,
        .breaker_reset_s = 30,
        .deadline_s = 15 * 60,
    };
    return app_check_id(app, "--service", ret_settings->service) &&
           app_number(app, "gateway-timeout", 1, 600000, &ret_settings->gateway_timeout_ms) &&
           app_number(app, "breaker-failures", 1, 1000000, &ret_settings->breaker_failures) &&
           app_number(app, "breaker-successes", 1, 1000000, &ret_settings->breaker_successes) &&
           app_number(app, "breaker-reset", 1, 86400, &ret_settings->breaker_reset_s) &&
           app_number(app, "deadline", 1, 86400, &ret_settings->deadline_s);
}
