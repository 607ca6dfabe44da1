/* cases_threads.c - a client for each thread: they share nothing but the server. */
#include <pthread.h>
#include <stdio.h>

#include "cases.h"

enum { THREADS = 8, WRITES = 40 };

struct worker {
    pthread_t thread;
    int number;
    int written;
    int64_t seen;
};

static void write_some(struct ddb_client *db, struct worker *worker) {
    for (int i = 0; i < WRITES; i++) {
        struct ddb_item *item = make_key("threads", worker->number * WRITES + i);
        ddb_item_set_format(item, "by", "thread %d", worker->number);
        worker->written +=
            ddb_put_item(db, &(struct ddb_write){.table = "table", .item = item}, NULL);
        ddb_item_free(item);
    }
}

static void *work(void *context) {
    struct worker *worker = context;
    struct ddb_client *db = ddb_client_new(NULL);
    write_some(db, worker);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_format(values, ":by", "thread %d", worker->number);
    struct ddb_cursor *own =
        ddb_scan(db, &(struct ddb_query){.table = "table",
                                         .filter = "#b = :by",
                                         .names = (const char *[]){"#b", "by", NULL},
                                         .values = values,
                                         .page_size = 7,
                                         .consistent = true});
    while (ddb_cursor_next(own) != NULL)
        worker->seen++;
    ddb_cursor_free(own);
    ddb_item_free(values);
    ddb_client_free(db);
    return NULL;
}

static void threads(struct ddb_client *db, const char *argument) {
    (void)db, (void)argument;
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            printf("thread %d could not be started\n", i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        printf("%d written, %lld seen\n", workers[i].written, (long long)workers[i].seen);
    }
}

const struct client_case thread_cases[] = {
    {"threads", threads},
    {NULL, NULL},
};
