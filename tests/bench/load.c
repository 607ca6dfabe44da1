/* load.c - a closed loop of clients on one thread: each connection sends, waits for the reply,
 * sends.
 *
 *     load PORT [--target OPERATION] [--body TEXT] [--connections N] [--seconds N] [--warmup N]
 *          [--count N] [--keys N] [--offset N] [--group N] [--payload N]
 *
 * In the body, %n becomes the next key, a number of eight digits: one of `keys` numbers from
 * `offset` on, in a scrambled order that visits each once before it repeats. %k is the same key
 * again, %g the key divided by `group`, and %p `payload` bytes of random letters. The request is
 * built once; before it is sent only those places are filled.
 *
 * With --count it ends after so many replies, otherwise after `seconds`; SIGTERM ends it sooner.
 * It prints one line of JSON, latencies in microseconds. Every status but 200 is an error, not a
 * reply, and the first one is shown. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

enum {
    BUCKETS = 1000 * 1000, /* of a microsecond each; the last takes all that is slower */
    INPUT_BYTES = 256 * 1024,
    KEY_DIGITS = 8,
    KEY_STEP = 7919, /* a prime, so that every key has its turn */
    EVENTS_MAX = 256,
    PLACES_MAX = 256,
    POOL_BYTES = 1 << 20, /* random letters to take payloads from */
    PAYLOAD_MAX = POOL_BYTES / 2,
};

struct options {
    const char *target;
    const char *body;
    double seconds;
    double warmup;
    unsigned port;
    unsigned connections;
    unsigned count;
    unsigned keys;
    unsigned offset;
    unsigned group;
    unsigned payload;
};

struct client {
    int fd;
    uint64_t sent_ns;
    size_t len;    /* of the reply so far */
    size_t needed; /* of the whole reply; 0 until its head is there */
    char *input;
};

/* Somewhere in the request that changes from one to the next. */
struct place {
    size_t at;
    char kind; /* the letter after the % */
};

struct load {
    struct options options;
    char *request;
    size_t request_len;
    struct place places[PLACES_MAX];
    size_t place_count;
    unsigned key; /* of the last %n, without the offset */
    uint64_t random;
    char *pool;
    uint64_t requests, replies, errors;
    uint64_t *histogram;
    uint64_t slowest_us;
    bool counting;
    bool stop;
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* xorshift64, from another seed in every run: an item that is replaced by the same bytes is no
 * write. */
static uint64_t next_random(struct load *load) {
    load->random ^= load->random << 13;
    load->random ^= load->random >> 7;
    load->random ^= load->random << 17;
    return load->random;
}

/* ---- the request ---- */

static size_t place_size(const struct load *load, char kind) {
    switch (kind) {
    case 'n':
    case 'k':
    case 'g':
        return KEY_DIGITS;
    case 'p':
        return load->options.payload;
    default:
        return 0;
    }
}

/* Where the text after a % at `text` starts, and how long its place is; NULL when it is no place.
 */
static const char *after_place(const struct load *load, const char *text, size_t *ret_size) {
    if (text[0] != '%' || text[1] == '\0')
        return NULL;
    *ret_size = place_size(load, text[1]);
    return *ret_size == 0 ? NULL : text + 2;
}

static size_t body_size(const struct load *load) {
    size_t total = 0, size;
    for (const char *text = load->options.body; *text != '\0';) {
        const char *next = after_place(load, text, &size);
        total += next == NULL ? 1 : size;
        text = next == NULL ? text + 1 : next;
    }
    return total;
}

static void write_body(struct load *load, char *body) {
    size_t size;
    for (const char *text = load->options.body; *text != '\0';) {
        const char *next = after_place(load, text, &size);
        if (next == NULL) {
            *body++ = *text++;
            continue;
        }
        CHECK(load->place_count < PLACES_MAX);
        load->places[load->place_count++] = (struct place){(size_t)(body - load->request), text[1]};
        body += size;
        text = next;
    }
}

static void make_request(struct load *load) {
    const struct options *options = &load->options;
    size_t body_len = body_size(load);
    size_t size = body_len + strlen(options->target) + 1024;
    load->request = malloc(size);
    CHECK(load->request != NULL);
    int len = snprintf(
        load->request, size,
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAccept-Encoding: identity\r\n"
        "X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "User-Agent: Boto3/1.26.27 md/Botocore#1.29.27 ua/2.0 os/linux lang/python#3.11\r\n"
        "X-Amz-Date: 20250101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
        "Credential=AKIAIOSFODNN7EXAMPLE/20250101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
        "Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
        "Content-Length: %zu\r\n\r\n",
        options->port, options->target, body_len);
    CHECK(len > 0 && (size_t)len + body_len < size);
    write_body(load, load->request + len);
    load->request_len = (size_t)len + body_len;
}

static void make_pool(struct load *load) {
    load->random = now_ns() | 1;
    load->pool = malloc(POOL_BYTES);
    CHECK(load->pool != NULL);
    for (size_t i = 0; i < POOL_BYTES; i++)
        load->pool[i] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"[next_random(load) %
                                                                               64];
}

static void write_digits(char *at, unsigned n) {
    for (int i = KEY_DIGITS - 1; i >= 0; i--) {
        at[i] = (char)('0' + n % 10);
        n /= 10;
    }
}

static void fill_places(struct load *load) {
    const struct options *options = &load->options;
    for (size_t i = 0; i < load->place_count; i++) {
        char *at = load->request + load->places[i].at;
        if (load->places[i].kind == 'p') {
            size_t from = next_random(load) % (POOL_BYTES - PAYLOAD_MAX);
            memcpy(at, load->pool + from, options->payload);
            continue;
        }
        if (load->places[i].kind == 'n')
            load->key = (unsigned)(((uint64_t)load->key + KEY_STEP) % options->keys);
        unsigned key = options->offset + load->key;
        write_digits(at, load->places[i].kind == 'g' ? key / options->group : key);
    }
}

/* ---- the clients ---- */

static void client_send(struct load *load, struct client *client) {
    if (load->options.count > 0 && load->requests == load->options.count)
        return;
    load->requests++;
    fill_places(load);
    client->len = client->needed = 0;
    client->sent_ns = now_ns();
    ssize_t sent = send(client->fd, load->request, load->request_len, MSG_NOSIGNAL);
    CHECK(sent == (ssize_t)load->request_len);
}

static void client_open(struct load *load, struct client *client, int epoll) {
    static const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)load->options.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    client->fd = socket(AF_INET, SOCK_STREAM, 0);
    client->input = malloc(INPUT_BYTES);
    CHECK(client->fd >= 0 && client->input != NULL);
    if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        perror("connect");
        exit(1);
    }
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, client->fd, &event) == 0);
    client_send(load, client);
}

static void find_length(struct client *client) {
    static const char name[] = "Content-Length:";
    const char *end = memmem(client->input, client->len, "\r\n\r\n", 4);
    if (end == NULL)
        return;
    const char *line = client->input;
    while (line < end && strncasecmp(line, name, sizeof(name) - 1) != 0)
        line = (const char *)memchr(line, '\n', (size_t)(end + 2 - line)) + 1;
    CHECK(line < end);
    client->needed = (size_t)(end + 4 - client->input) + strtoul(line + sizeof(name) - 1, NULL, 10);
    CHECK(client->needed < INPUT_BYTES);
}

static void count_reply(struct load *load, struct client *client) {
    if (memcmp(client->input, "HTTP/1.1 200 ", 13) != 0) {
        if (load->errors++ == 0)
            fprintf(stderr, "first error: %.*s\n", (int)client->len, client->input);
        return;
    }
    if (!load->counting)
        return;
    uint64_t us = (now_ns() - client->sent_ns) / 1000;
    load->histogram[us < BUCKETS ? us : BUCKETS - 1]++;
    load->slowest_us = us > load->slowest_us ? us : load->slowest_us;
    load->replies++;
}

static void client_receive(struct load *load, struct client *client) {
    ssize_t got =
        recv(client->fd, client->input + client->len, INPUT_BYTES - client->len, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0) {
        fprintf(stderr, "the server closed a connection\n");
        exit(1);
    }
    client->len += (size_t)got;
    if (client->needed == 0)
        find_length(client);
    if (client->needed == 0 || client->len < client->needed)
        return;
    count_reply(load, client);
    client_send(load, client);
    if (load->options.count > 0 && load->replies + load->errors == load->options.count)
        load->stop = true;
}

static void run_until(struct load *load, int epoll, uint64_t end_ns) {
    struct epoll_event events[EVENTS_MAX];
    while (!load->stop && now_ns() < end_ns) {
        int count = epoll_wait(epoll, events, EVENTS_MAX, 100);
        for (int i = 0; i < count && !load->stop; i++) {
            if (events[i].data.ptr == NULL)
                load->stop = true; /* a signal */
            else
                client_receive(load, events[i].data.ptr);
        }
    }
}

/* SIGTERM and SIGINT arrive as an event without a client. */
static int open_epoll(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int epoll = epoll_create1(0);
    int fd = signalfd(-1, &signals, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    CHECK(epoll >= 0 && fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
    return epoll;
}

/* ---- results ---- */

static uint64_t quantile_us(const struct load *load, double quantile) {
    uint64_t rank = (uint64_t)((double)load->replies * quantile), seen = 0;
    for (uint64_t us = 0; us < BUCKETS - 1; us++) {
        seen += load->histogram[us];
        if (seen > rank)
            return us;
    }
    return load->slowest_us;
}

static void print_results(const struct load *load, double seconds) {
    printf("{\"replies\": %lu, \"seconds\": %.3f, \"rate\": %.1f, \"p50_us\": %lu, "
           "\"p99_us\": %lu, \"p999_us\": %lu, \"max_us\": %lu, \"errors\": %lu}\n",
           load->replies, seconds, (double)load->replies / seconds, quantile_us(load, 0.5),
           quantile_us(load, 0.99), quantile_us(load, 0.999), load->slowest_us, load->errors);
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: load PORT [--target OPERATION] [--body TEXT] [--connections N] [--seconds N]\n"
    "            [--warmup N] [--count N] [--keys N] [--offset N] [--group N] [--payload N]\n";

/* False when there is no such option. */
static bool set_option(struct options *options, const char *name, const char *value) {
    const struct {
        const char *name;
        unsigned *target;
    } numbers[] = {
        {"--connections", &options->connections},
        {"--count", &options->count},
        {"--keys", &options->keys},
        {"--offset", &options->offset},
        {"--group", &options->group},
        {"--payload", &options->payload},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].target = (unsigned)strtoul(value, NULL, 10);
            return true;
        }
    }
    if (strcmp(name, "--seconds") == 0)
        options->seconds = atof(value);
    else if (strcmp(name, "--warmup") == 0)
        options->warmup = atof(value);
    else if (strcmp(name, "--target") == 0)
        options->target = value;
    else if (strcmp(name, "--body") == 0)
        options->body = value;
    else
        return false;
    return true;
}

static struct options read_options(int argc, char **argv) {
    struct options options = {.connections = 64,
                              .seconds = 5,
                              .warmup = 0.5,
                              .target = "GetItem",
                              .body = "{\"TableName\":\"bench\",\"Key\":{\"pk\":{\"S\":\"%n\"}}}",
                              .keys = 1000,
                              .group = 1};
    bool fine = argc >= 2 && argc % 2 == 0;
    for (int i = 2; i + 1 < argc; i += 2)
        fine = fine && set_option(&options, argv[i], argv[i + 1]);
    if (!fine || options.keys == 0 || options.group == 0 || options.connections == 0 ||
        options.payload > PAYLOAD_MAX) {
        fputs(usage, stderr);
        exit(2);
    }
    options.port = (unsigned)strtoul(argv[1], NULL, 10);
    return options;
}

/* Returns the seconds that counted. */
static double run(struct load *load, int epoll) {
    const struct options *options = &load->options;
    load->counting = options->count > 0;
    uint64_t begin = now_ns();
    struct client *clients = calloc(options->connections, sizeof(*clients));
    CHECK(clients != NULL);
    for (unsigned i = 0; i < options->connections; i++)
        client_open(load, &clients[i], epoll);
    if (!load->counting) {
        run_until(load, epoll, begin + (uint64_t)(options->warmup * 1e9));
        begin = now_ns();
    }
    load->counting = true;
    uint64_t end = options->count > 0 ? UINT64_MAX : begin + (uint64_t)(options->seconds * 1e9);
    run_until(load, epoll, end);
    double seconds = (double)(now_ns() - begin) / 1e9;
    for (unsigned i = 0; i < options->connections; i++) {
        close(clients[i].fd);
        free(clients[i].input);
    }
    free(clients);
    return seconds;
}

int main(int argc, char **argv) {
    struct load load = {.options = read_options(argc, argv)};
    load.histogram = calloc(BUCKETS, sizeof(*load.histogram));
    CHECK(load.histogram != NULL);
    make_pool(&load);
    make_request(&load);
    int epoll = open_epoll();
    double seconds = run(&load, epoll);
    print_results(&load, seconds);
    free(load.histogram);
    free(load.request);
    free(load.pool);
    close(epoll);
    return load.errors == 0 ? 0 : 1;
}
