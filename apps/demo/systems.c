/* systems.c - see systems.h. */
#include "systems.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/process.h"

enum { ARGUMENTS_MAX = 16, APPLY_TIMEOUT_MS = 60000, APPLY_OUTPUT_MAX = 1 << 16 };

#define EMBEDDED(name) extern const char name[], name##_end[]
#define SYSTEM_FILES(word)          \
    EMBEDDED(demo_template_##word); \
    EMBEDDED(demo_readme_##word)
#define FILES_OF(word)                                              \
    .template = {demo_template_##word, demo_template_##word##_end}, \
    .readme = {demo_readme_##word, demo_readme_##word##_end}

EMBEDDED(demo_readme_gramme);
SYSTEM_FILES(payment_saga);
SYSTEM_FILES(ledger);
SYSTEM_FILES(stock_cache);
SYSTEM_FILES(exchange_rates);
SYSTEM_FILES(lunch_cache);

struct system systems[SYSTEM_COUNT] = {
    [GRAMME] = {{.name = "gramme"},
                "gramme",
                .readme = {demo_readme_gramme, demo_readme_gramme_end}},
    [PAYMENT_SAGA] = {{.name = "gramme-payment-saga"}, "payment-saga", FILES_OF(payment_saga)},
    [LEDGER] = {{.name = "gramme-ledger"}, "ledger", FILES_OF(ledger)},
    [STOCK_CACHE] = {{.name = "gramme-stock-cache"}, "stock-cache", FILES_OF(stock_cache)},
    [EXCHANGE_RATES] = {{.name = "gramme-exchange-rates"},
                        "exchange-rates",
                        FILES_OF(exchange_rates)},
    [LUNCH_CACHE] = {{.name = "gramme-lunch-cache"}, "lunch-cache", FILES_OF(lunch_cache)},
};

/* What each serves with, besides a free port. Their times are short, so that there is something to
 * see: a breaker that closes again, quotes that end. The shell that runs a command of these finds
 * the variables in its environment. */
#define GATEWAY "\"$DEMO_SAGA\" simulate-gateway --delay 20 $(cat \"$DEMO_GATEWAY\")"
static const char *const arguments[SYSTEM_COUNT][ARGUMENTS_MAX] = {
    [PAYMENT_SAGA] = {"--gateway", GATEWAY, "--breaker-reset", "15", "--deadline", "30",
                      "--work-every", "1s"},
    [STOCK_CACHE] = {"--source", "\"$DEMO_SELF\" quote", "--ttl", "6s"},
    [EXCHANGE_RATES] = {"--source", "\"$DEMO_SELF\" rates", "--bases", "USD", "--refresh-every",
                        "5s", "--ttl", "1m"},
};

static char folder[PATH_MAX - 64];
static bool folder_is_ours; /* and goes with us */

int system_find(const char *name) {
    for (int i = 0; i < SYSTEM_COUNT; i++)
        if (strcmp(systems[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- where things are ---- */

static bool find_program(const struct app *app, const struct system *system,
                         char ret_path[PATH_MAX]) {
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[size < 0 ? 0 : size] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    const char *program = system->child.name;
    bool fits = snprintf(ret_path, PATH_MAX, "%s/%s", self, program) < PATH_MAX;
    if (fits && access(ret_path, X_OK) == 0)
        return true;
    if (system == &systems[GRAMME])
        fits = snprintf(ret_path, PATH_MAX, "%s/../../%s", self, program) < PATH_MAX;
    else
        fits = snprintf(ret_path, PATH_MAX, "%s/../%s/%s", self, system->name, program) < PATH_MAX;
    if (fits && access(ret_path, X_OK) == 0)
        return true;
    app_fail(app, "there is no program %s beside this one", program);
    return false;
}

static bool make_folder(const struct app *app) {
    const char *data = app_option(app, "data", NULL), *temporary = getenv("TMPDIR");
    folder_is_ours = data == NULL;
    if (data != NULL)
        snprintf(folder, sizeof(folder), "%s", data);
    else
        snprintf(folder, sizeof(folder), "%s/gramme-demo-XXXXXX",
                 temporary == NULL || *temporary == '\0' ? "/tmp" : temporary);
    if (data == NULL ? mkdtemp(folder) != NULL : mkdir(folder, 0700) == 0 || errno == EEXIST)
        return true;
    app_fail(app, "cannot make %s: %s", folder, strerror(errno));
    return false;
}

static bool write_file(const struct app *app, const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "we");
    bool ok = file != NULL && fwrite(text, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0)
        ok = false;
    if (!ok)
        app_fail(app, "cannot write %s: %s", path, strerror(errno));
    return ok;
}

static const char *path_in_folder(const char *name, const char *end, char ret_path[PATH_MAX]) {
    snprintf(ret_path, PATH_MAX, "%s/%s%s", folder, name, end);
    return ret_path;
}

/* ---- starting ---- */

static bool start(struct app *app, struct system *system, const char *const argv[]) {
    if (child_start(&system->child, folder, argv))
        return true;
    if (!child_stop_is_wanted())
        app_fail(app, "%s did not start", system->child.name);
    return false;
}

static bool start_gramme(struct app *app, const char *program) {
    char data[PATH_MAX];
    const char *argv[] = {program, "serve", "--port", "0", "--memory", NULL, NULL};
    if (!folder_is_ours) {
        argv[4] = "--data";
        argv[5] = path_in_folder("tables", "", data);
    }
    bool ok = start(app, &systems[GRAMME], argv);
    setenv("AWS_ENDPOINT_URL", systems[GRAMME].child.address, 1);
    return ok;
}

static bool make_tables(struct app *app, const char *gramme, const struct system *system) {
    char path[PATH_MAX];
    path_in_folder(system->name, ".yaml", path);
    if (!write_file(app, path, system->template.start,
                    (size_t)(system->template.end - system->template.start)))
        return false;
    const char *words[] = {gramme, "apply", path, NULL};
    struct process_call call = {"exec", words, APPLY_TIMEOUT_MS, APPLY_OUTPUT_MAX};
    struct process_result result;
    process_run(&call, &result);
    bool ok = result.outcome == PROCESS_EXITED && result.status == 0;
    if (!ok)
        app_fail(app, "cannot make the tables of %s:\n%s", system->name,
                 result.output == NULL ? "" : result.output);
    free(result.output);
    return ok;
}

static bool start_system(struct app *app, const char *gramme, int at) {
    struct system *system = &systems[at];
    char program[PATH_MAX];
    const char *argv[ARGUMENTS_MAX + 5] = {program, "serve", "--port", "0"};
    for (int i = 0; arguments[at][i] != NULL; i++)
        argv[i + 4] = arguments[at][i];
    return find_program(app, system, program) && make_tables(app, gramme, system) &&
           start(app, system, argv);
}

/* Of this machine's user only what leads to our own server. */
static void set_environment(const char *saga) {
    static const char *const theirs[] = {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_PROFILE",
                                         "AWS_SESSION_TOKEN", "AWS_CA_BUNDLE"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++)
        unsetenv(theirs[i]);
    setenv("AWS_REGION", "us-east-1", 1);
    setenv("AWS_ACCESS_KEY_ID", "demo", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "demo", 1);
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[size < 0 ? 0 : size] = '\0';
    setenv("DEMO_SELF", path, 1);
    setenv("DEMO_SAGA", saga, 1);
    setenv("DEMO_GATEWAY", path_in_folder("gateway", "", path), 1);
}

bool systems_start(struct app *app) {
    char gramme[PATH_MAX], saga[PATH_MAX];
    if (!find_program(app, &systems[GRAMME], gramme) ||
        !find_program(app, &systems[PAYMENT_SAGA], saga) || !make_folder(app))
        return false;
    set_environment(saga);
    systems_break_gateway(false);
    bool ok = start_gramme(app, gramme);
    for (int i = GRAMME + 1; ok && i < SYSTEM_COUNT; i++)
        ok = start_system(app, gramme, i);
    return ok;
}

void systems_break_gateway(bool broken) {
    char path[PATH_MAX], other[PATH_MAX];
    /* Whole or not at all: a call of the gateway may read it at any time. */
    FILE *file = fopen(path_in_folder("gateway", ".new", other), "we");
    if (file == NULL)
        return;
    fputs(broken ? "--fail 100" : "--decline 12 --fail 3 --lose 3", file);
    if (fclose(file) == 0)
        rename(other, path_in_folder("gateway", "", path));
}

/* ---- watching and stopping ---- */

bool systems_watch(struct app *app) {
    char how[CHILD_TEXT_SIZE];
    bool ended = false;
    for (int i = 0; i < SYSTEM_COUNT; i++)
        if (child_has_ended(&systems[i].child, how)) {
            app_fail(app, "%s %s", systems[i].child.name, how);
            child_show_log(&systems[i].child);
            ended = true;
        }
    return ended;
}

static void remove_folder(void) {
    static const char *const ends[] = {".log", ".yaml"};
    char path[PATH_MAX];
    for (int i = 0; i < SYSTEM_COUNT; i++) {
        unlink(path_in_folder(systems[i].child.name, ends[0], path));
        unlink(path_in_folder(systems[i].name, ends[1], path));
    }
    unlink(path_in_folder("gateway", "", path));
    rmdir(folder);
}

bool systems_stop(struct app *app) {
    char how[CHILD_TEXT_SIZE];
    bool ok = true;
    for (int i = SYSTEM_COUNT; i-- > 0;)
        if (!child_stop(&systems[i].child, how)) {
            app_fail(app, "%s %s", systems[i].child.name, how);
            child_show_log(&systems[i].child);
            ok = false;
        }
    if (folder_is_ours && *folder != '\0')
        remove_folder();
    return ok;
}
