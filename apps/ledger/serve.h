/* serve.h - `gramme-ledger serve`: the ledger as a service. */
#ifndef LEDGER_SERVE_H
#define LEDGER_SERVE_H

#include "common/app.h"

extern const struct app_option serve_options[];
enum app_status serve_command(struct app *app);

#endif
