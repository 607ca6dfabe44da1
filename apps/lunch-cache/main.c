/* main.c - `gramme-lunch-cache`: the commands. */
#include "load.h"
#include "menu.h"
#include "store.h"
#include "upkeep.h"
#include "view.h"

static const struct app_command commands[] = {
    {"store", "FILE", "checks a week's menu and stores it; - is standard input", store,
     store_options},
    {"show", "RESTAURANT [YEAR] [WEEK]", "shows a week's menu: this week's when none is given",
     view_show, menu_environment_option},
    {"history", "RESTAURANT", "lists the menus of a restaurant, the newest first", view_history,
     view_history_options},
    {"stats", NULL, "counts menus, lunches and errors", upkeep_stats, menu_environment_option},
    {"cleanup", NULL, "deletes the menus that have expired", upkeep_cleanup,
     menu_environment_option},
    {"health", NULL, "tries a put, a get and a delete", upkeep_health, menu_environment_option},
    {"load", NULL, "measures batch writes, reads and queries, many at once", load, load_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-lunch-cache",
                                               "lunch menus of restaurants, by week", commands};
    return app_main(&program, argc, argv);
}
