/* main.c - `gramme-lunch-cache`: the commands. */
#include "commands.h"
#include "load.h"
#include "menu.h"
#include "serve.h"

static const struct app_command commands[] = {
    {"store", "FILE...", "checks menus of a week and stores them; - is standard input",
     store_command, store_options},
    {"show", "RESTAURANT [YEAR] [WEEK]", "shows a week's menu: this week's when none is given",
     show_command, show_options},
    {"delete", "RESTAURANT YEAR WEEK", "deletes a week's menu", delete_command,
     menu_environment_option},
    {"history", "RESTAURANT", "lists the menus of a restaurant, the newest first", history_command,
     history_options},
    {"stats", "[RESTAURANT]", "counts menus, lunches and errors: of all when none is given",
     stats_command, menu_environment_option},
    {"cleanup", NULL, "deletes the menus that have expired", cleanup_command,
     menu_environment_option},
    {"grade", NULL, "checks and grades the menus that others have written", grade_command,
     menu_environment_option},
    {"health", NULL, "tries a put, a get and a delete", health_command, menu_environment_option},
    {"load", NULL, "measures batch writes, reads and queries, many at once", load, load_options},
    {"serve", NULL, "answers the same over HTTP, cleans up and grades", serve_command,
     serve_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-lunch-cache",
                                               "lunch menus of restaurants, by week", commands};
    return app_main(&program, argc, argv);
}
