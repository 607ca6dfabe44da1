/* serve.h - `gramme-lunch-cache serve`: the cache as a service. */
#ifndef LUNCH_CACHE_SERVE_H
#define LUNCH_CACHE_SERVE_H

#include "common/app.h"

extern const struct app_option serve_options[];
enum app_status serve_command(struct app *app);

#endif
