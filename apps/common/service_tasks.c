/* service_tasks.c - background work: a thread for each task, which runs it again and again. */
#include <string.h>
#include <time.h>

#include "common/duration.h"
#include "common/service_frame.h"

struct task_thread {
    struct frame *frame;
    const struct service_task *task;
    struct task_metrics *metrics;
    int64_t every_s;
    pthread_t thread;
    bool started;
};

static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_told = PTHREAD_COND_INITIALIZER;
static atomic_bool stopping;

bool service_is_stopping(void) {
    return atomic_load(&stopping);
}

enum app_status service_each(struct app *app, const char *list,
                             enum app_status (*run)(struct app *app, const char *word,
                                                    void *context),
                             void *context) {
    enum app_status status = APP_OK;
    while (*list != '\0' && !service_is_stopping()) {
        char word[SERVICE_WORD_SIZE] = ""; /* of one that is too long */
        size_t size = strcspn(list, ",");
        if (size < sizeof(word))
            memcpy(word, list, size);
        if (run(app, word, context) != APP_OK)
            status = APP_FAILED;
        list += size + (list[size] == ',');
    }
    return status;
}

/* True: it is to end. */
static bool wait_seconds(int64_t seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&stop_lock);
    int waited = 0;
    while (!service_is_stopping() && waited == 0)
        waited = pthread_cond_timedwait(&stop_told, &stop_lock, &until);
    pthread_mutex_unlock(&stop_lock);
    return service_is_stopping();
}

static void *run_task(void *user) {
    const struct task_thread *thread = user;
    struct app *app = app_copy(thread->frame->app);
    do {
        if (thread->task->run(app) == APP_OK) {
            atomic_fetch_add(&thread->metrics->done, 1);
            atomic_store(&thread->metrics->last_done_s, ttl_now());
        } else {
            atomic_fetch_add(&thread->metrics->failed, 1);
            app_warn(thread->frame->app, "%s: %s", thread->task->name, app_message(app));
        }
    } while (!wait_seconds(thread->every_s));
    app_free(app);
    return NULL;
}

bool tasks_prepare(struct frame *frame) {
    frame->tasks = frame_make(frame->task_count, sizeof(*frame->tasks));
    frame->task_metrics = frame_make(frame->task_count, sizeof(*frame->task_metrics));
    for (size_t i = 0; i < frame->task_count; i++) {
        struct task_thread *thread = &frame->tasks[i];
        thread->frame = frame;
        thread->task = &frame->service->tasks[i];
        thread->metrics = &frame->task_metrics[i];
        thread->every_s = thread->task->every_s;
        if (!duration_option(frame->app, thread->task->every, &thread->every_s))
            return false;
    }
    return true;
}

void tasks_start(struct frame *frame) {
    for (size_t i = 0; i < frame->task_count; i++) {
        struct task_thread *thread = &frame->tasks[i];
        thread->started =
            thread->every_s > 0 && pthread_create(&thread->thread, NULL, run_task, thread) == 0;
    }
}

void tasks_stop(struct frame *frame) {
    pthread_mutex_lock(&stop_lock);
    atomic_store(&stopping, true);
    pthread_cond_broadcast(&stop_told);
    pthread_mutex_unlock(&stop_lock);
    for (size_t i = 0; i < frame->task_count; i++)
        if (frame->tasks[i].started)
            pthread_join(frame->tasks[i].thread, NULL);
}
