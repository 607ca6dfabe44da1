/* import.h - many rates at once, from a file. */
#ifndef EXCHANGE_RATES_IMPORT_H
#define EXCHANGE_RATES_IMPORT_H

#include "common/app.h"

extern const struct app_option import_options[];
enum app_status import(struct app *app);

#endif
