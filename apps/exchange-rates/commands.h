/* commands.h - the commands about single rates. */
#ifndef EXCHANGE_RATES_COMMANDS_H
#define EXCHANGE_RATES_COMMANDS_H

#include "rate.h"

/* BASE, TARGET and, where there is one, RATE. Says what is wrong. */
bool commands_take_rate(const struct app *app, const char *const texts[3], struct rate *ret_rate);

extern const struct app_option save_options[];
enum app_status save_command(struct app *app);
extern const struct app_option get_options[];
enum app_status get_command(struct app *app);
enum app_status get_stale_command(struct app *app);
extern const struct app_option by_base_options[];
enum app_status by_base_command(struct app *app);
enum app_status delete_command(struct app *app);
enum app_status mark_stale_command(struct app *app);

#endif
