/* display.c - see display.h. */
#include "cli/display.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/container.h"
#include "cli/say.h"

enum { SHOW_EVERY_MS = 200 };

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double display_seconds(const struct display *display) {
    return now_s() - display->begin_s;
}

double display_rate(const struct display *display, uint64_t bytes) {
    double seconds = display_seconds(display);
    return (double)bytes / 1e6 / (seconds < 1e-3 ? 1e-3 : seconds);
}

static void report(struct dump_observer *observer, uint64_t records, uint64_t bytes) {
    struct display *display = container_of(observer, struct display, observer);
    double now = now_s();
    if (!display->terminal || now < display->next_s)
        return;
    display->next_s = now + SHOW_EVERY_MS / 1000.0;
    fprintf(stderr, "\r%llu records, %.1f MB, %.0f MB/s\033[K", (unsigned long long)records,
            (double)bytes / 1e6, display_rate(display, bytes));
}

struct display display_begin(void) {
    double now = now_s();
    return (struct display){{report}, isatty(STDERR_FILENO) != 0, now, now};
}

void display_clear(const struct display *display) {
    if (display->terminal)
        fputs("\r\033[K", stderr);
}

int display_failed(const struct display *display, const struct error *error) {
    display_clear(display);
    say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}
