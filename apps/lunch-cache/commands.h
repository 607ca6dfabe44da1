/* view.h - shows menus. */
#ifndef LUNCH_CACHE_VIEW_H
#define LUNCH_CACHE_VIEW_H

#include "common/app.h"

enum app_status view_show(struct app *app);
extern const struct app_option view_history_options[];
enum app_status view_history(struct app *app);

#endif
