/* pages.c - answering them. */
#include "pipeline/pages.h"

#include <stdio.h>

#include "base/container.h"
#include "pipeline/routes.h"
#include "pipeline/thread.h"

/* A page on its way: to a worker and back. */
struct page_task {
    struct worker_task task;
    struct exchange *exchange;
    const struct pages *pages;
    struct slice content_type;
};

static void reply(struct exchange *exchange, int status, struct slice content_type) {
    exchange_reply_with(exchange, &(struct exchange_reply_options){
                                      .status = status,
                                      .content_type = content_type,
                                      .headers = SLICE_LITERAL("Cache-Control: no-store\r\n")});
}

/* ---- health ---- */

void pages_tell_leader(struct pages *pages, const char *leader) {
    pthread_mutex_lock(&pages->lock);
    snprintf(pages->leader, sizeof(pages->leader), "%s", leader);
    pthread_mutex_unlock(&pages->lock);
}

static void write_role(struct exchange *exchange, struct pages *pages) {
    static const char *const roles[] = {[PAGES_STARTING] = "waiting",
                                        [PAGES_WAITING] = "waiting",
                                        [PAGES_FOLLOWING] = "serving",
                                        [PAGES_READY] = "leading"};
    pthread_mutex_lock(&pages->lock);
    buffer_printf(&exchange->reply, ",\"role\":\"%s\",\"leader\":\"%s\"",
                  roles[atomic_load(&pages->state)], pages->leader);
    pthread_mutex_unlock(&pages->lock);
}

static void reply_health(struct exchange *exchange, struct pages *pages, bool well,
                         const char *word, const char *reason) {
    buffer_printf(&exchange->reply, "{\"status\":\"%s\"", word);
    if (pages->shared)
        write_role(exchange, pages);
    if (reason != NULL)
        buffer_printf(&exchange->reply, ",\"reason\":\"%s\"", reason);
    buffer_append_text(&exchange->reply, "}\n");
    reply(exchange, well ? 200 : 503, SLICE_LITERAL("application/json"));
}

static void handle_live(struct exchange *exchange, struct pages *pages) {
    reply_health(exchange, pages, true, "live", NULL);
}

static struct pages *pages_of(struct exchange *exchange) {
    const struct pipeline_thread *thread = exchange->thread_context;
    return thread->pages;
}

void pages_reply_ready(struct exchange *exchange, bool ready, const char *reason) {
    reply_health(exchange, pages_of(exchange), ready, ready ? "ready" : "waiting", reason);
}

/* Requests are served, by this server or by way of another one. */
static bool is_ready(const struct pages *pages) {
    enum pages_state state = atomic_load(&pages->state);
    return (state == PAGES_READY || state == PAGES_FOLLOWING) && !atomic_load(&pages->stopping);
}

static void handle_ready(struct exchange *exchange, struct pages *pages) {
    static const char *const words[] = {[PAGES_STARTING] = "starting",
                                        [PAGES_WAITING] = "waiting",
                                        [PAGES_FOLLOWING] = "ready",
                                        [PAGES_READY] = "ready"};
    enum pages_state state = atomic_load(&pages->state);
    bool stopping = atomic_load(&pages->stopping);
    bool follows = (state == PAGES_FOLLOWING || state == PAGES_WAITING) && !stopping;
    if (follows && pages->find_out != NULL && pages->find_out(pages->user, exchange))
        return;
    reply_health(exchange, pages, is_ready(pages), stopping ? "stopping" : words[state], NULL);
}

/* Scripts that waited for LocalStack look for a service and this word, with the space: what it says
 * of one that waits for its first request. */
static void handle_localstack(struct exchange *exchange, struct pages *pages) {
    if (!is_ready(pages)) {
        handle_ready(exchange, pages);
        return;
    }
    buffer_append_text(&exchange->reply,
                       "{\"services\": {\"application-autoscaling\": \"available\", "
                       "\"cloudwatch\": \"available\", \"dynamodb\": \"available\", "
                       "\"dynamodbstreams\": \"available\", \"iam\": \"available\", "
                       "\"sts\": \"available\"}, \"edition\": \"gramme\"}\n");
    reply(exchange, 200, SLICE_LITERAL("application/json"));
}

/* ---- metrics ---- */

static void send_page(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct page_task *page = exchange->user;
    reply(exchange, 200, page->content_type);
}

static void write_page(struct worker_task *task) {
    struct page_task *page = container_of(task, struct page_task, task);
    struct exchange *exchange = page->exchange;
    struct slice accept = http_request_find(&exchange->request, SLICE_LITERAL("accept"));
    page->content_type = page->pages->write(page->pages->user, accept, &exchange->reply);
    exchange->task.run = send_page;
    net_loop_post(exchange->loop, &exchange->task);
}

static bool comes_from_here(struct exchange *exchange) {
    struct slice peer = exchange_peer(exchange);
    return slice_starts_with(peer, SLICE_LITERAL("127.")) || slice_is(peer, "::1");
}

static bool may_read(struct exchange *exchange, const struct pages *pages) {
    return pages->open || comes_from_here(exchange) || routes_are_allowed(exchange);
}

/* Short enough for an I/O thread. */
static void send_following(struct exchange *exchange, const struct pages *pages) {
    struct slice accept = http_request_find(&exchange->request, SLICE_LITERAL("accept"));
    reply(exchange, 200, pages->write_following(pages->user, accept, &exchange->reply));
}

/* The server leads: its workers are there. */
static void send_leading(struct exchange *exchange, const struct pages *pages) {
    struct page_task *page = ARENA_NEW(&exchange->arena, struct page_task);
    page->exchange = exchange;
    page->pages = pages;
    page->task.run = write_page;
    exchange->user = page;
    workers_submit(pages->workers, &page->task);
}

static void handle_metrics(struct exchange *exchange, struct pages *pages) {
    enum pages_state state = atomic_load(&pages->state);
    bool leads = state == PAGES_READY;
    bool follows =
        (state == PAGES_WAITING || state == PAGES_FOLLOWING) && pages->write_following != NULL;
    if (!leads && !follows) {
        handle_ready(exchange, pages);
        return;
    }
    if (!may_read(exchange, pages)) {
        buffer_append_text(&exchange->reply, "metrics are for this machine, unless the server has "
                                             "--metrics-open or a --metrics-port\n");
        reply(exchange, 403, SLICE_LITERAL("text/plain"));
        return;
    }
    if (leads)
        send_leading(exchange, pages);
    else
        send_following(exchange, pages);
}

bool pages_handle(struct exchange *exchange) {
    static const struct {
        const char *path;
        void (*handle)(struct exchange *exchange, struct pages *pages);
    } paths[] = {
        {"/metrics", handle_metrics},
        {"/health", handle_live},
        {"/health/live", handle_live},
        {"/health/ready", handle_ready},
        {"/_localstack/health", handle_localstack},
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (slice_equal(exchange->request.path, slice_text(paths[i].path))) {
            paths[i].handle(exchange, pages_of(exchange));
            return true;
        }
    return false;
}
