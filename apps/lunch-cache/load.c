/* load.c - batch writes, reads and queries of the index, many at once, and how long they took.
 *
 * Each request of a phase has a thread and a connection of its own, and all of them are let go at
 * the same moment. The latency of a request includes what it waits for the others.
 * The menus are of a restaurant that is made up for the run; they are deleted in the end, and their
 * ttl takes them away if this program dies.
 * Threads: a worker belongs to its thread while a phase runs, and `struct load` is only read. */
#include "load.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/percentile.h"
#include "common/random.h"
#include "menu.h"
#include "validate.h"

enum {
    BATCH = 25, /* what one BatchWriteItem takes */
    LUNCHES = 15,
    LIFETIME_S = 60 * 60,
    QUERY_LIMIT = 10,
    WEEKS = 52,
    STACK_SIZE = 512 * 1024,
    AT_ONCE_MAX = 5000,
    MENUS_MAX = 5000,
};

const struct app_option load_options[] = {
    {"menus", "COUNT", "menus to write, 25 in a batch; 100 when not given", false},
    {"reads", "COUNT", "reads at once; 1000 when not given", false},
    {"queries", "COUNT", "queries of the index at once; 100 when not given", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

struct load {
    struct app *app;
    char table[MENU_TABLE_SIZE];
    char restaurant[MENU_RESTAURANT_MAX + 1];
    struct ddb_item **menus;
    size_t menu_count;
    pthread_barrier_t start;
};

struct worker {
    struct load *load;
    struct ddb_client *client;
    size_t number; /* from 0 */
    bool (*request)(struct worker *worker);
    double latency_ms;
    const char *problem; /* NULL: it went well */
    pthread_t thread;
};

/* ---- menus ---- */

static void add_lunches(struct ddb_item *menu, int64_t week) {
    static const char *const weekdays[] = {"måndag", "tisdag", "onsdag", "torsdag", "fredag"};
    struct ddb_list *lunches = ddb_list_new();
    for (int i = 0; i < LUNCHES; i++) {
        struct ddb_item *lunch = ddb_list_add_map(lunches);
        ddb_item_set_string(lunch, "name", "Köttbullar med gräddsås");
        ddb_item_set_string(lunch, "description", "Serveras med kokt potatis och lingonsylt");
        ddb_item_set_int(lunch, "price", 125);
        ddb_item_set_string(lunch, "weekday", weekdays[i % 5]);
        ddb_item_set_int(lunch, "week", week);
        ddb_item_set_string(lunch, "place", "Niagara");
    }
    validate_lunches(lunches, week, menu);
    ddb_list_free(lunches);
}

static void make_menus(struct load *load) {
    load->menus = calloc(load->menu_count, sizeof(*load->menus));
    if (load->menus == NULL)
        abort();
    for (size_t i = 0; i < load->menu_count; i++) {
        struct menu_id id = {.restaurant = load->restaurant,
                             .year = MENU_YEAR_MIN + (int64_t)(i / WEEKS),
                             .week = 1 + (int64_t)(i % WEEKS)};
        load->menus[i] = menu_new(&id, "lunch-cache load", LIFETIME_S);
        add_lunches(load->menus[i], id.week);
    }
}

static const char *pk_of(const struct load *load, size_t menu) {
    return ddb_item_string(load->menus[menu], "pk", "");
}

/* ---- requests ---- */

static bool request_batch(struct worker *worker) {
    const struct load *load = worker->load;
    struct ddb_write writes[BATCH];
    size_t count = 0;
    for (size_t i = worker->number * BATCH; i < load->menu_count && count < BATCH; i++)
        writes[count++] =
            (struct ddb_write){.table = load->table, .action = DDB_PUT, .item = load->menus[i]};
    return ddb_batch_write_items(worker->client, writes, count, NULL);
}

static bool request_get(struct worker *worker) {
    struct ddb_item *key = menu_key(pk_of(worker->load, worker->number % worker->load->menu_count));
    struct ddb_item *menu = NULL;
    bool ok = ddb_get_item(
        worker->client,
        &(struct ddb_get){.table = worker->load->table, .key = key, .consistent = true}, &menu);
    if (ok && ddb_item_int(menu, "lunchCount", 0) != LUNCHES)
        worker->problem = "a menu that was written is not there";
    ddb_item_free(key);
    ddb_item_free(menu);
    return ok;
}

static bool request_query(struct worker *worker) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":restaurant", worker->load->restaurant);
    struct ddb_cursor *menus =
        ddb_query(worker->client, &(struct ddb_query){.table = worker->load->table,
                                                      .index = MENU_INDEX,
                                                      .key_condition = "restaurant = :restaurant",
                                                      .values = values,
                                                      .limit = QUERY_LIMIT,
                                                      .page_size = QUERY_LIMIT,
                                                      .descending = true});
    ddb_item_free(values);
    while (ddb_cursor_next(menus) != NULL)
        ;
    ddb_cursor_free(menus);
    return ddb_client_error(worker->client) == NULL;
}

/* ---- phases ---- */

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void *work(void *context) {
    struct worker *worker = context;
    pthread_barrier_wait(&worker->load->start);
    double start_ms = now_ms();
    bool ok = worker->request(worker);
    worker->latency_ms = now_ms() - start_ms;
    if (!ok)
        worker->problem = ddb_client_error(worker->client)->message;
    return NULL;
}

/* Every thread waits at the barrier for the last one, so a thread that cannot be started is the end
 * of the program. */
static void run_workers(struct load *load, struct worker *workers, size_t count) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_barrier_init(&load->start, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        int error = pthread_create(&workers[i].thread, &attributes, work, &workers[i]);
        if (error != 0) {
            app_fail(load->app, "cannot start %zu threads: %s", count, strerror(error));
            exit(APP_FAILED);
        }
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&load->start);
    pthread_attr_destroy(&attributes);
}

static bool print_phase(const struct load *load, const char *name, const struct worker *workers,
                        size_t count) {
    double *latencies = calloc(count, sizeof(*latencies));
    size_t failed = 0;
    const char *problem = "";
    if (latencies == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        latencies[i] = workers[i].latency_ms;
        if (workers[i].problem != NULL) {
            problem = workers[i].problem;
            failed++;
        }
    }
    percentile_sort(latencies, count);
    printf("%s: %zu at once, p50 %.2f p99 %.2f ms\n", name, count, percentile(latencies, count, 50),
           percentile(latencies, count, 99));
    free(latencies);
    if (failed > 0)
        app_fail(load->app, "%zu of %zu %s failed: %s", failed, count, name, problem);
    return failed == 0;
}

/* All requests of one kind at once. False, with a message, when one of them fails. */
static bool run_phase(struct load *load, const char *name, bool (*request)(struct worker *worker),
                      size_t count) {
    struct worker *workers = calloc(count, sizeof(*workers));
    if (workers == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        workers[i] = (struct worker){
            .load = load, .client = app_client_new(load->app), .number = i, .request = request};
    run_workers(load, workers, count);
    bool ok = print_phase(load, name, workers, count);
    for (size_t i = 0; i < count; i++)
        ddb_client_free(workers[i].client);
    free(workers);
    return ok;
}

static enum app_status delete_menus(struct load *load) {
    struct ddb_write *writes = calloc(load->menu_count, sizeof(*writes));
    struct ddb_item **keys = calloc(load->menu_count, sizeof(*keys));
    if (writes == NULL || keys == NULL)
        abort();
    for (size_t i = 0; i < load->menu_count; i++) {
        keys[i] = menu_key(pk_of(load, i));
        writes[i] = (struct ddb_write){.table = load->table, .action = DDB_DELETE, .key = keys[i]};
    }
    bool ok = ddb_batch_write_items(app_client(load->app), writes, load->menu_count, NULL);
    for (size_t i = 0; i < load->menu_count; i++) {
        ddb_item_free(keys[i]);
        ddb_item_free(load->menus[i]);
    }
    free(keys);
    free(writes);
    free(load->menus);
    return ok ? APP_OK : app_db_fail(load->app, "cannot delete the menus of %s", load->restaurant);
}

/* A connection is a file; as many as the system lets us have. */
static void raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

enum app_status load(struct app *app) {
    struct load load = {.app = app};
    int64_t menus = 100, reads = 1000, queries = 100;
    if (!menu_table(app, load.table) || !app_number(app, "menus", 1, MENUS_MAX, &menus) ||
        !app_number(app, "reads", 1, AT_ONCE_MAX, &reads) ||
        !app_number(app, "queries", 1, AT_ONCE_MAX, &queries))
        return APP_USAGE;
    raise_file_limit();
    snprintf(load.restaurant, sizeof(load.restaurant), "load-%016" PRIx64, random_u64());
    load.menu_count = (size_t)menus;
    make_menus(&load);
    bool ok =
        run_phase(&load, "batch writes", request_batch, (load.menu_count + BATCH - 1) / BATCH);
    ok = ok && run_phase(&load, "reads", request_get, (size_t)reads) &&
         run_phase(&load, "queries", request_query, (size_t)queries);
    enum app_status status = delete_menus(&load);
    return ok ? status : APP_FAILED;
}
