/* commands.h - the commands, but for `serve` and `load`. */
#ifndef LUNCH_CACHE_COMMANDS_H
#define LUNCH_CACHE_COMMANDS_H

#include "common/app.h"

extern const struct app_option store_options[];
enum app_status store_command(struct app *app);
extern const struct app_option show_options[];
enum app_status show_command(struct app *app);
enum app_status delete_command(struct app *app);
extern const struct app_option history_options[];
enum app_status history_command(struct app *app);
enum app_status stats_command(struct app *app);
enum app_status cleanup_command(struct app *app);
enum app_status grade_command(struct app *app);
enum app_status health_command(struct app *app);

#endif
