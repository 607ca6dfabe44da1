/* upkeep.h - looks after the cache: what is in it, what has to go, whether it works. */
#ifndef LUNCH_CACHE_UPKEEP_H
#define LUNCH_CACHE_UPKEEP_H

#include "common/app.h"

enum app_status upkeep_stats(struct app *app);
enum app_status upkeep_cleanup(struct app *app);
enum app_status upkeep_health(struct app *app);

#endif
