/* guard.c - names out of headers, and whether they are on a list. */
#include "endpoint/guard.h"

static const struct slice own_hosts[] = {
    {(const uint8_t *)"localhost", 9},
    {(const uint8_t *)"127.0.0.1", 9},
    {(const uint8_t *)"[::1]", 5},
};

enum { OWN_HOSTS = sizeof(own_hosts) / sizeof(own_hosts[0]) };

/* ---- lists ---- */

static bool is_named(const struct guard_names *names, struct slice name) {
    for (size_t i = 0; i < names->count; i++)
        if (slice_equal_ignoring_case(names->list[i], name))
            return true;
    return false;
}

/* As it stands in a Host header. */
static struct slice with_brackets(struct arena *arena, struct slice host) {
    bool v6 = host.len > 0 && host.data[0] != '[' && memchr(host.data, ':', host.len) != NULL;
    return v6 ? arena_printf(arena, "[%.*s]", SLICE_ARGS(host)) : arena_slice(arena, host);
}

void guard_init(struct guard *guard, struct arena *arena, const struct guard_options *options) {
    const struct guard_names *more = &options->allow_hosts, *origins = &options->allow_origins;
    struct slice *hosts = ARENA_ARRAY(arena, struct slice, OWN_HOSTS + 1 + more->count);
    struct slice *copies = ARENA_ARRAY(arena, struct slice, origins->count);
    memcpy(hosts, own_hosts, sizeof(own_hosts));
    hosts[OWN_HOSTS] = with_brackets(arena, options->host);
    for (size_t i = 0; i < more->count; i++)
        hosts[OWN_HOSTS + 1 + i] = with_brackets(arena, more->list[i]);
    for (size_t i = 0; i < origins->count; i++)
        copies[i] = arena_slice(arena, origins->list[i]);
    guard->hosts = (struct guard_names){hosts, OWN_HOSTS + 1 + more->count};
    guard->origins = (struct guard_names){copies, origins->count};
    guard->checks_host = options->loopback || more->count > 0;
}

/* ---- names ---- */

struct authority {
    struct slice name; /* absent: it is not well formed */
    struct slice port; /* with its colon, or empty */
};

static bool is_port(struct slice text) {
    for (size_t i = 0; i < text.len; i++)
        if (i == 0 ? text.data[i] != ':' : text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

/* "localhost:8000", "[::1]". */
static struct authority split(struct slice text) {
    if (text.len == 0)
        return (struct authority){SLICE_NONE, SLICE_LITERAL("")};
    bool v6 = text.data[0] == '[';
    const uint8_t *end = memchr(text.data, v6 ? ']' : ':', text.len);
    size_t len = end == NULL ? text.len : (size_t)(end - text.data) + v6;
    struct authority result = {slice_first(text, len), slice_skip(text, len)};
    if (!is_port(result.port) || (v6 && end == NULL))
        result.name = SLICE_NONE;
    return result;
}

/* Of "https://app.example.com:3000". */
static struct authority of_origin(struct slice origin) {
    for (size_t i = 0; i + 3 <= origin.len; i++)
        if (memcmp(origin.data + i, "://", 3) == 0)
            return split(slice_skip(origin, i + 3));
    return split(SLICE_LITERAL(""));
}

/* ---- requests ---- */

struct slice guard_allowed_origin(const struct guard *guard, struct slice origin) {
    if (!slice_present(origin))
        return SLICE_NONE;
    if (is_named(&guard->origins, SLICE_LITERAL("*")))
        return SLICE_LITERAL("*");
    return is_named(&guard->origins, origin) ? origin : SLICE_NONE;
}

/* A page that came from this server, under whatever name of it. Where all names are taken, that is
 * the one in Host. */
static bool is_own(const struct guard *guard, struct slice origin, struct slice host) {
    struct authority page = of_origin(origin), server = split(host);
    if (!slice_present(page.name) || !slice_equal(page.port, server.port))
        return false;
    return is_named(&guard->hosts, page.name) ||
           (!guard->checks_host && slice_equal_ignoring_case(page.name, server.name));
}

/* Whether it can be shown, and typed, as it is. */
static bool is_plain(struct slice text) {
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-._:/[]";
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\0' || strchr(characters, text.data[i]) == NULL)
            return false;
    return text.len > 0 && text.len <= 255;
}

static struct slice advise(struct arena *arena, const char *whom, const char *option,
                           struct slice value) {
    if (!is_plain(value))
        value = SLICE_LITERAL("...");
    return arena_printf(
        arena, "This server does not answer %s; if it should, start it with --allow-%s %.*s", whom,
        option, SLICE_ARGS(value));
}

static void note(struct guard_seen *seen, struct slice host) {
    if (host.len > sizeof(seen->host) || host.len == 0)
        return;
    memcpy(seen->host, host.data, host.len);
    seen->len = (uint8_t)host.len;
}

/* A request without a Host is none of a browser's. */
struct slice guard_refusal(const struct guard *guard, struct guard_seen *seen,
                           const struct http_request *request, struct arena *arena) {
    struct slice host = request->known[HTTP_HOST], origin = request->known[HTTP_ORIGIN];
    struct slice name = split(host).name;
    if (guard->checks_host && slice_present(host) && !is_named(&guard->hosts, name))
        return advise(arena, "to the Host of this request", "host", name);
    note(seen, host);
    if (!slice_present(origin) || slice_present(guard_allowed_origin(guard, origin)) ||
        is_own(guard, origin, host))
        return SLICE_NONE;
    return advise(arena, "web pages of this Origin", "origin", origin);
}
