/* cert.c - `gramme cert create`: a private authority in a directory, and certificates of it for a
 * server and for clients.
 *
 * The authority is made with the first certificate and used for all later ones. Keys are their
 * owner's alone, and nothing that is there is written over. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/random.h"
#include "cli/options.h"
#include "cli/say.h"
#include "crypto/certificate.h"

enum { AUTHORITY_DAYS = 3650, FILE_BYTES_MAX = 1024 * 1024, NAMES_MAX = 256 };

struct cert_values {
    const char *directory;
    const char **names; /* NULL ends them, or is for none */
    const char *client;
    unsigned days;
};

/* ---- files ---- */

/* A certificate and its key lie side by side. */
struct pair {
    char certificate[PATH_MAX];
    char key[PATH_MAX];
};

static struct error *pair_at(struct arena *arena, const char *directory, const char *name,
                             struct pair *ret_pair) {
    int first = snprintf(ret_pair->certificate, PATH_MAX, "%s/%s.pem", directory, name);
    int second = snprintf(ret_pair->key, PATH_MAX, "%s/%s.key", directory, name);
    if (first < PATH_MAX && second < PATH_MAX)
        return NULL;
    return error_local(arena, "the name of %s is too long", directory);
}

static struct error *failed(struct arena *arena, const char *what, const char *path) {
    return error_local(arena, "cannot %s %s: %s", what, path, strerror(errno));
}

static bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static struct error *read_file(struct arena *arena, const char *path, struct slice *ret_text) {
    uint8_t *text = arena_alloc(arena, FILE_BYTES_MAX);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed(arena, "read", path);
    ssize_t len = read(fd, text, FILE_BYTES_MAX);
    struct error *error = len < 0 ? failed(arena, "read", path) : NULL;
    close(fd);
    *ret_text = slice_of(text, len < 0 ? 0 : (size_t)len);
    return error;
}

static struct error *write_file(struct arena *arena, const char *path, struct slice text,
                                mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return failed(arena, "make", path);
    bool whole = write(fd, text.data, text.len) == (ssize_t)text.len && fsync(fd) == 0;
    struct error *error = whole ? NULL : failed(arena, "write", path);
    close(fd);
    if (error != NULL)
        unlink(path);
    return error;
}

static struct error *write_pair(struct arena *arena, const struct pair *pair,
                                const struct certificate_pem *pem) {
    if (exists(pair->certificate) || exists(pair->key))
        return error_local(arena, "%s is there already: remove it, and its key, to have a new one",
                           exists(pair->certificate) ? pair->certificate : pair->key);
    TRY(write_file(arena, pair->key, pem->key, 0600));
    struct error *error = write_file(arena, pair->certificate, pem->certificate, 0644);
    if (error != NULL)
        unlink(pair->key);
    return error;
}

static struct error *make_directory(struct arena *arena, const char *path) {
    return mkdir(path, 0755) == 0 || errno == EEXIST ? NULL : failed(arena, "make", path);
}

/* ---- the authority ---- */

/* Two authorities of one name would be hard to tell apart. */
static struct error *make_authority(struct arena *arena, const struct pair *pair,
                                    struct certificate_pem *ret_pem) {
    char subject[CERTIFICATE_SUBJECT_BYTES_MAX];
    snprintf(subject, sizeof(subject), "gramme authority %08x",
             (unsigned)random_below(&system_random, UINT32_MAX));
    struct certificate_wish wish = {
        .use = CERTIFICATE_AUTHORITY, .subject = subject, .days = AUTHORITY_DAYS};
    TRY(certificate_make(arena, &wish, ret_pem));
    TRY(write_pair(arena, pair, ret_pem));
    say(stdout,
        "made %s  the authority: clients need it to know the server\n"
        "made %s  its key: nobody needs it but this command\n",
        pair->certificate, pair->key);
    return NULL;
}

static struct error *open_authority(struct arena *arena, const struct pair *pair,
                                    struct certificate_pem *ret_pem) {
    if (!exists(pair->certificate) && !exists(pair->key))
        return make_authority(arena, pair, ret_pem);
    TRY(read_file(arena, pair->certificate, &ret_pem->certificate));
    return read_file(arena, pair->key, &ret_pem->key);
}

/* ---- certificates ---- */

static void add_name(const char **names, size_t *count, const char *name) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return;
    if (*count < NAMES_MAX)
        names[(*count)++] = name;
}

static size_t collect_names(struct arena *arena, const struct cert_values *values,
                            const char **ret_names) {
    size_t count = 0;
    char *host = arena_alloc(arena, HOST_NAME_MAX + 1);
    add_name(ret_names, &count, "localhost");
    add_name(ret_names, &count, "127.0.0.1");
    add_name(ret_names, &count, "::1");
    if (gethostname(host, HOST_NAME_MAX + 1) == 0 && certificate_is_name(host))
        add_name(ret_names, &count, host);
    for (const char **name = values->names; name != NULL && *name != NULL; name++)
        add_name(ret_names, &count, *name);
    return count;
}

static void print_server(const struct pair *pair, const struct pair *authority,
                         const struct certificate_wish *wish) {
    char path[PATH_MAX];
    const char *ca = realpath(authority->certificate, path) == NULL ? authority->certificate : path;
    say(stdout, "made %s  for", pair->certificate);
    for (size_t i = 0; i < wish->name_count; i++)
        say(stdout, "%s %s", i == 0 ? "" : ",", wish->names[i]);
    say(stdout,
        "\nmade %s\n"
        "\n"
        "The server speaks TLS with them:\n"
        "  gramme serve --tls-cert %s --tls-key %s\n"
        "\n"
        "Clients know it by the authority:\n"
        "  export AWS_CA_BUNDLE=%s        # AWS CLI, Python, Go, gramme\n"
        "  export NODE_EXTRA_CA_CERTS=%s  # Node.js\n"
        "  export SSL_CERT_FILE=%s        # Rust, Ruby, OpenSSL: trusts nobody else\n",
        pair->key, pair->certificate, pair->key, ca, ca, ca);
}

static struct error *create_server(struct arena *arena, const struct cert_values *values,
                                   const struct pair *authority,
                                   const struct certificate_pem *issuer) {
    const char *names[NAMES_MAX];
    struct certificate_wish wish = {.use = CERTIFICATE_SERVER,
                                    .subject = "gramme server",
                                    .names = names,
                                    .name_count = collect_names(arena, values, names),
                                    .days = values->days,
                                    .issuer = issuer};
    struct certificate_pem pem;
    struct pair pair;
    TRY(pair_at(arena, values->directory, "server", &pair));
    TRY(certificate_make(arena, &wish, &pem));
    TRY(write_pair(arena, &pair, &pem));
    print_server(&pair, authority, &wish);
    return NULL;
}

static struct error *create_client(struct arena *arena, const struct cert_values *values,
                                   const struct pair *authority,
                                   const struct certificate_pem *issuer) {
    struct certificate_wish wish = {.use = CERTIFICATE_CLIENT,
                                    .subject = values->client,
                                    .days = values->days,
                                    .issuer = issuer};
    char name[sizeof("client-") + CERTIFICATE_SUBJECT_BYTES_MAX];
    struct certificate_pem pem;
    struct pair pair;
    snprintf(name, sizeof(name), "client-%s", values->client);
    TRY(pair_at(arena, values->directory, name, &pair));
    TRY(certificate_make(arena, &wish, &pem));
    TRY(write_pair(arena, &pair, &pem));
    say(stdout,
        "made %s  for %s\n"
        "made %s\n"
        "\n"
        "A server asks for it with:\n"
        "  gramme serve --tls-cert ... --tls-key ... --tls-client-ca %s\n",
        pair.certificate, values->client, pair.key, authority->certificate);
    return NULL;
}

static struct error *create(const struct invocation *invocation) {
    const struct cert_values *values = invocation->values;
    struct arena *arena = invocation->arena;
    struct pair authority;
    struct certificate_pem issuer;
    TRY(make_directory(arena, values->directory));
    TRY(pair_at(arena, values->directory, "ca", &authority));
    TRY(open_authority(arena, &authority, &issuer));
    return (values->client != NULL ? create_client : create_server)(arena, values, &authority,
                                                                    &issuer);
}

static int run_create(const struct invocation *invocation) {
    struct error *error = create(invocation);
    if (error == NULL)
        return 0;
    say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}

/* ---- what it takes ---- */

/* As the name of a user may be; and of a file. */
static bool is_client(const char *text) {
    size_t len = strlen(text);
    return len <= CERTIFICATE_SUBJECT_BYTES_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "_+=,.@-") == len;
}

#define AT(member) OPTION_AT(struct cert_values, member)

static const struct argument create_arguments[] = {
    {"DIR", .kind = OPTION_DIRECTORY, AT(directory),
     .help = "where the authority is and the files go; made when it is not there"},
    {.name = NULL},
};

static const struct option create_options[] = {
    {"name", "NAME", .kind = OPTION_TEXTS, AT(names),
     .form = {"a host's name or an address", certificate_is_name},
     .help = "a name by which clients reach the server, besides localhost, 127.0.0.1, ::1 and the "
             "name of this machine; any number of times"},
    {"client", "NAME", .kind = OPTION_TEXT, AT(client), .excludes = "name",
     .form = {"up to 64 letters, digits and _+=,.@-", is_client}, .otherwise = "one for a server",
     .help = "make a certificate for a client: with --auth it is the user of this name"},
    {"days", "N", .kind = OPTION_NUMBER, AT(days), .number = {1, AUTHORITY_DAYS}, .preset = "365",
     .help = "how long it holds"},
    {.name = NULL},
};

static const struct command command_create = {
    .name = "cert create",
    .summary = "make a certificate, and the authority that signs it",
    .about = "Makes server.pem and server.key in DIR, or client-NAME.pem and client-NAME.key, "
             "signed by the private authority in ca.pem and ca.key, which is made when it is not "
             "there. For laptops and tests: an authority of yours is better where you have one.",
    .arguments = create_arguments,
    .options = create_options,
    .values_size = sizeof(struct cert_values),
    .run = run_create,
};

static const struct command *const cert_commands[] = {&command_create, NULL};

const struct command_family family_cert = {
    .name = "cert",
    .summary = "make certificates for TLS",
    .about = "Certificates of a private authority, for gramme serve --tls-cert.",
    .commands = cert_commands,
};
