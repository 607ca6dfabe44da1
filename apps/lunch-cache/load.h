/* load.h - measures the cache under load. */
#ifndef LUNCH_CACHE_LOAD_H
#define LUNCH_CACHE_LOAD_H

#include "common/app.h"

extern const struct app_option load_options[];
enum app_status load(struct app *app);

#endif
