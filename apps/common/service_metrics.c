/* service_metrics.c - see service_metrics.h. */
#include "common/service_metrics.h"

#include <ctype.h>
#include <string.h>

#include "common/duration.h"

static const double bounds_s[METRICS_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5};

void metrics_count(struct route_metrics *route, int status, int64_t microseconds) {
    int bucket = 0;
    while (bucket < METRICS_BUCKETS && (double)microseconds > bounds_s[bucket] * 1e6)
        bucket++;
    atomic_fetch_add_explicit(&route->by_class[status / 100 % 6], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&route->buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&route->microseconds, (uint64_t)microseconds, memory_order_relaxed);
}

/* "gramme-ledger" may not stand in a name. */
struct name {
    char text[64];
};

static struct name name_of(const char *program) {
    struct name name;
    snprintf(name.text, sizeof(name.text), "%s", program);
    for (char *c = name.text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return name;
}

static unsigned long long number(const atomic_uint_fast64_t *count) {
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void write_head(FILE *out, const char *program, const char *name, const char *type,
                       const char *help) {
    fprintf(out, "# HELP %s_%s %s\n# TYPE %s_%s %s\n", program, name, help, program, name, type);
}

static const struct service_route unknown = {.method = "", .path = ""};

/* NULL behind the last one, which has no route. */
static const struct service_route *route_at(const struct service *service, size_t at) {
    size_t count = 0;
    while (service->routes[count].path != NULL)
        count++;
    return at < count ? &service->routes[at] : at == count ? &unknown : NULL;
}

static void write_requests(FILE *out, const char *program, const struct metrics_page *page) {
    const struct service_route *route;
    write_head(out, program, "requests_total", "counter", "Requests by route and class of status.");
    for (size_t i = 0; (route = route_at(page->service, i)) != NULL; i++)
        for (int class = 1; class <= 5; class ++)
            if (number(&page->routes[i].by_class[class]) > 0)
                fprintf(out, "%s_requests_total{method=\"%s\",route=\"%s\",status=\"%dxx\"} %llu\n",
                        program, route->method, route->path, class,
                        number(&page->routes[i].by_class[class]));
}

static void write_histogram(FILE *out, const char *program, const struct service_route *route,
                            const struct route_metrics *metrics) {
    unsigned long long sum = 0;
    const char *name = "request_duration_seconds";
    for (int i = 0; i <= METRICS_BUCKETS; i++) {
        char bound[16] = "+Inf";
        sum += number(&metrics->buckets[i]);
        if (i < METRICS_BUCKETS)
            snprintf(bound, sizeof(bound), "%g", bounds_s[i]);
        fprintf(out, "%s_%s_bucket{method=\"%s\",route=\"%s\",le=\"%s\"} %llu\n", program, name,
                route->method, route->path, bound, sum);
    }
    fprintf(out, "%s_%s_sum{method=\"%s\",route=\"%s\"} %.6f\n", program, name, route->method,
            route->path, (double)number(&metrics->microseconds) / 1e6);
    fprintf(out, "%s_%s_count{method=\"%s\",route=\"%s\"} %llu\n", program, name, route->method,
            route->path, sum);
}

static void write_durations(FILE *out, const char *program, const struct metrics_page *page) {
    const struct service_route *route;
    write_head(out, program, "request_duration_seconds", "histogram",
               "From the request to its reply, by route.");
    for (size_t i = 0; (route = route_at(page->service, i)) != NULL; i++)
        if (route != &unknown)
            write_histogram(out, program, route, &page->routes[i]);
}

static void write_tasks(FILE *out, const char *program, const struct metrics_page *page) {
    const struct service_task *tasks = page->service->tasks;
    if (tasks == NULL)
        return;
    write_head(out, program, "task_runs_total", "counter", "Runs of background work by outcome.");
    for (size_t i = 0; tasks[i].name != NULL; i++) {
        fprintf(out, "%s_task_runs_total{task=\"%s\",outcome=\"done\"} %llu\n", program,
                tasks[i].name, number(&page->tasks[i].done));
        fprintf(out, "%s_task_runs_total{task=\"%s\",outcome=\"failed\"} %llu\n", program,
                tasks[i].name, number(&page->tasks[i].failed));
    }
    write_head(out, program, "task_last_done_timestamp_seconds", "gauge",
               "When it last came to a good end; 0: not yet.");
    for (size_t i = 0; tasks[i].name != NULL; i++)
        fprintf(out, "%s_task_last_done_timestamp_seconds{task=\"%s\"} %lld\n", program,
                tasks[i].name, (long long)atomic_load(&page->tasks[i].last_done_s));
}

void metrics_write(FILE *out, const struct metrics_page *page) {
    struct name program = name_of(page->program);
    write_requests(out, program.text, page);
    write_durations(out, program.text, page);
    write_tasks(out, program.text, page);
    struct service_counter *counter = page->service->counters;
    for (; counter != NULL && counter->name != NULL; counter++) {
        write_head(out, program.text, counter->name, counter->age ? "gauge" : "counter",
                   counter->help);
        unsigned long long shown = number(&counter->count), now = (unsigned long long)ttl_now();
        if (counter->age)
            shown = now > shown ? now - shown : 0;
        fprintf(out, "%s_%s %llu\n", program.text, counter->name, shown);
    }
}
