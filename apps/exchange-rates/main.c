/* main.c - `exchange-rates`: the commands. */
#include "import.h"
#include "store.h"

static const struct app_command commands[] = {
    {"save", "BASE TARGET RATE", "saves a rate, in place of the one before", store_save,
     store_save_options},
    {"get", "BASE TARGET", "shows a rate that has not expired", store_get, NULL},
    {"get-stale", "BASE TARGET", "shows a rate even when it has expired", store_get_stale, NULL},
    {"by-base", "BASE", "lists the rates of a base currency", store_by_base, store_by_base_options},
    {"delete", "BASE TARGET", "deletes a rate", store_delete, NULL},
    {"mark-stale", "BASE TARGET", "marks a rate as out of date", store_mark_stale, NULL},
    {"import", "FILE", "saves the rates of a JSON or CSV file; - is standard input", import,
     import_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"exchange-rates", "a cache of exchange rates",
                                               commands};
    return app_main(&program, argc, argv);
}
