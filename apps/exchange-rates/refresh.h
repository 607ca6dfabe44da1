/* refresh.h - rates from a source: a command or an HTTP API (common/source.h).
 *
 * It is asked for a base currency and answers {"rates": {"EUR": 0.85, ...}}, texts or numbers; what
 * is no currency of ISO 4217, or the base itself, is left out. --source-map "rates=/path" picks
 * the object of the rates in another answer. */
#ifndef EXCHANGE_RATES_REFRESH_H
#define EXCHANGE_RATES_REFRESH_H

#include "common/service.h"
#include "common/source.h"

struct refresh_settings {
    struct source source;
    int64_t lifetime_s;
};

bool refresh_settings_of(const struct app *app, struct refresh_settings *ret_settings);
/* Says what is wrong. */
enum app_status refresh_base(struct app *app, const struct refresh_settings *settings,
                             const char *base, size_t *ret_count);

extern const struct app_option refresh_options[];
enum app_status refresh_command(struct app *app);

extern struct service_counter refresh_counters[];

#endif
