/* main.c - `gramme-exchange-rates`: the commands. */
#include "commands.h"
#include "import.h"
#include "refresh.h"
#include "serve.h"

static const struct app_command commands[] = {
    {"save", "BASE TARGET RATE", "saves a rate, in place of the one before", save_command,
     save_options},
    {"get", "BASE TARGET", "shows a rate that has not expired", get_command, get_options},
    {"get-stale", "BASE TARGET", "shows a rate even when it has expired", get_stale_command, NULL},
    {"by-base", "BASE", "lists the rates of a base currency", by_base_command, by_base_options},
    {"delete", "BASE TARGET", "deletes a rate", delete_command, NULL},
    {"mark-stale", "BASE TARGET", "marks a rate as out of date", mark_stale_command, NULL},
    {"import", "FILE", "saves the rates of a JSON or CSV file; - is standard input", import,
     import_options},
    {"refresh", "BASE...", "asks a source for the rates of base currencies, and saves them",
     refresh_command, refresh_options},
    {"serve", NULL, "answers the same over HTTP, and refreshes on a schedule", serve_command,
     serve_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-exchange-rates", "a cache of exchange rates",
                                               commands};
    return app_main(&program, argc, argv);
}
