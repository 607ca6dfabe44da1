/* store.h - stores a week's menu. */
#ifndef LUNCH_CACHE_STORE_H
#define LUNCH_CACHE_STORE_H

#include "common/app.h"

extern const struct app_option store_options[];
enum app_status store(struct app *app);

#endif
