/* top.c - `gramme top`: what a running server does, live.
 *
 * Looks at the server's metrics every few seconds and shows what changed. On a terminal it has the
 * screen to itself until q or Ctrl-C, and leaves it as it was; elsewhere, and with --once, it
 * prints what happened in one stretch of time, and ends. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/check.h"
#include "base/clock.h"
#include "cli/ask.h"
#include "cli/options.h"
#include "cli/service.h"
#include "server/server.h"
#include "top/fetch.h"
#include "top/view.h"

enum { SCREEN_BYTES_MAX = 4 << 20 };

struct top_options {
    const char *source;
    double interval_s;
    bool once;
};

/* What was seen, and when. */
struct look {
    struct arena arena;
    struct top_page page;
    uint64_t ns;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

static void note_size(int number) {
    (void)number; /* it only ends a wait: the next picture has the new size */
}

/* ---- looking ---- */

/* An error is in its arena. */
static struct error *look(const char *source, struct look *ret_look) {
    struct slice text;
    arena_reset(&ret_look->arena);
    if (strstr(source, "://") != NULL)
        TRY(fetch(&ret_look->arena, source, "/metrics", false, &text));
    else
        TRY(ask_directory(&ret_look->arena, source, SERVER_METRICS_SERVICE, &text));
    ret_look->ns = monotonic_ns();
    top_page_read(&ret_look->arena, text, &ret_look->page);
    return NULL;
}

static double seconds_between(const struct look *before, const struct look *now) {
    return (double)(now->ns - before->ns) / 1e9;
}

static void draw(struct buffer *out, const struct look *before, const struct look *now,
                 struct top_size size) {
    top_view_write(out, &before->page, &now->page, seconds_between(before, now), size);
}

/* ---- once ---- */

static void rest(double seconds) {
    poll(NULL, 0, (int)(seconds * 1000));
}

static struct error *show_once(const struct top_options *options, struct look looks[2]) {
    CLEANUP(buffer_release) struct buffer out;
    buffer_init(&out, SCREEN_BYTES_MAX);
    TRY(look(options->source, &looks[0]));
    rest(options->interval_s);
    TRY(look(options->source, &looks[1]));
    draw(&out, &looks[0], &looks[1], (struct top_size){0, SIZE_MAX});
    fwrite(out.data, 1, out.len, stdout);
    return NULL;
}

/* ---- the screen ---- */

static struct top_size screen_size(void) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return (struct top_size){24, 80};
    return (struct top_size){size.ws_row, size.ws_col};
}

/* Line by line over what was there, so that nothing flickers. */
static void paint(struct buffer *out, const struct look *before, const struct look *now) {
    CLEANUP(buffer_release) struct buffer lines;
    buffer_init(&lines, SCREEN_BYTES_MAX);
    struct top_size size = screen_size();
    size.rows -= size.rows > 1; /* the last line stays free, or the screen would scroll */
    draw(&lines, before, now, size);
    buffer_reset(out);
    buffer_append_text(out, "\033[H");
    for (size_t i = 0; i < lines.len; i++) {
        if (lines.data[i] == '\n')
            buffer_append_text(out, "\033[K\r");
        buffer_append_byte(out, lines.data[i]);
    }
    buffer_append_text(out, "\033[J");
    ssize_t written = write(STDOUT_FILENO, out->data, out->len);
    (void)written;
}

/* False: enough. */
static bool wait_for_key(double seconds) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;
    if (poll(&input, 1, (int)(seconds * 1000)) > 0 && read(STDIN_FILENO, &key, 1) != 1)
        return false;
    return key != 'q' && key != 'Q' && !interrupted;
}

static struct error *show_until_enough(const struct top_options *options, struct look looks[2]) {
    CLEANUP(buffer_release) struct buffer out;
    buffer_init(&out, SCREEN_BYTES_MAX);
    unsigned turn = 0;
    TRY(look(options->source, &looks[0]));
    double next_s = 0.5; /* so that there is soon something to see */
    while (wait_for_key(next_s)) {
        struct look *before = &looks[turn], *now = &looks[turn ^ 1];
        TRY(look(options->source, now));
        paint(&out, before, now);
        turn ^= 1;
        next_s = options->interval_s;
    }
    return NULL;
}

static struct error *show_live(const struct top_options *options, struct look looks[2]) {
    struct termios before, raw;
    struct sigaction end = {.sa_handler = interrupt}, resized = {.sa_handler = note_size};
    tcgetattr(STDIN_FILENO, &before);
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGWINCH, &resized, NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs("\033[?1049h\033[?25l", stdout); /* a screen of its own, without a cursor */
    fflush(stdout);
    struct error *error = show_until_enough(options, looks);
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return error;
}

static int run_top(const struct invocation *invocation) {
    struct top_options options = *(const struct top_options *)invocation->values;
    struct look looks[2] = {0};
    bool live = !options.once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    options.source = service_endpoint(options.source);
    arena_init(&looks[0].arena);
    arena_init(&looks[1].arena);
    struct error *error = (live ? show_live : show_once)(&options, looks);
    if (error != NULL)
        fprintf(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    arena_release(&looks[0].arena);
    arena_release(&looks[1].arena);
    return error == NULL ? 0 : 1;
}

static const struct argument top_arguments[] = {
    {"SERVER", "its URL, or its data directory", OPTION_TEXT, OPTION_AT(struct top_options, source),
     .otherwise = SERVICE_ENDPOINT_DEFAULT},
    {.name = NULL},
};

static const struct option top_options[] = {
    {"interval", "SECONDS", .kind = OPTION_SECONDS, OPTION_AT(struct top_options, interval_s),
     .decimal = {0.1, 3600}, .preset = "2", .help = "how often to look"},
    {"once", .kind = OPTION_FLAG, OPTION_AT(struct top_options, once),
     .otherwise = "until q is pressed",
     .help = "print what happens in one interval, and end; so it is, too, without a terminal"},
    {.name = NULL},
};

const struct command command_top = {
    .name = "top",
    .summary = "show what a running server does: busiest operations and tables, times, commits",
    .about = "Shows the busiest operations and tables of a running server with their rates and "
             "times, and its commit thread. SERVER is asked for GET /metrics, or through the "
             "control socket in its data directory, which works with TLS and --auth as well.",
    .arguments = top_arguments,
    .options = top_options,
    .values_size = sizeof(struct top_options),
    .run = run_top,
};
