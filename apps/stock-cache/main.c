/* main.c - `gramme-stock-cache`: the commands. */
#include "entry.h"
#include "quote.h"
#include "serve.h"

static const struct app_command commands[] = {
    {"quote", "SYMBOL...", "shows quotes: from the cache, or else from the source", quote_command,
     quote_options},
    {"serve", NULL, "answers the same over HTTP, and keeps what is watched fresh", serve_command,
     serve_options},
    {"put", "SYMBOL FILE", "saves the JSON object of a file; - is standard input", entry_put,
     entry_put_options},
    {"get", "SYMBOL [TYPE]", "shows what is in the cache: the quote, or data of another type",
     entry_get, NULL},
    {"list", "SYMBOL", "lists all that the cache has of a symbol", entry_list, NULL},
    {"simulate-source", "SYMBOL", "plays a source of quotes, for --source", source_simulate,
     source_simulate_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-stock-cache", "stock quotes through a cache",
                                               commands};
    return app_main(&program, argc, argv);
}
