/* copy_store.c - see copy_store.h. */
#include "admin/copy_store.h"

#include "admin/new_store.h"
#include "admin/secrets_file.h"
#include "admin/shared_secrets.h"
#include "base/clock.h"
#include "base/container.h"
#include "engine/whole.h"
#include "store/postgres/postgres.h"

/* ---- meanwhile ---- */

struct progress {
    struct copy_observer base;
    struct dump_observer *observer; /* or NULL */
    struct store *from, *to;
    uint64_t looked_ns;
};

/* Looking is what keeps the lead. Who lost it is told by its next commit, or at the end. */
static void report(struct copy_observer *base, uint64_t records, uint64_t bytes) {
    struct progress *progress = container_of(base, struct progress, base);
    uint64_t now_ns = monotonic_ns();
    if (progress->observer != NULL)
        progress->observer->report(progress->observer, records, bytes);
    if (now_ns - progress->looked_ns < (uint64_t)STORE_LEADS_MS * 1000000)
        return;
    progress->looked_ns = now_ns;
    (void)store_leads(progress->from);
    (void)store_leads(progress->to);
}

typedef struct error *pass(struct arena *arena, const struct copy_options *options,
                           struct copy_totals *ret_totals);

static struct error *run_pass(struct arena *arena, const struct copy_store_options *options,
                              pass *run, struct store *from, struct store *to,
                              struct copy_totals *ret_totals) {
    struct progress progress = {{report}, options->observer, from, to, monotonic_ns()};
    struct copy_options copy = {from, to, &progress.base, engine_look_whole};
    TRY(run(arena, &copy, ret_totals));
    if (store_leads(from) && store_leads(to))
        return NULL;
    return error_local(arena, "a server was started meanwhile, on %s or %s", options->from.name,
                       options->to.name);
}

/* ---- the key of access keys ---- */

static struct error *read_secrets(struct arena *arena, const struct copy_store_options *options,
                                  const struct found_store *from, struct keyring **ret_keyring) {
    if (from->place.url != NULL)
        return shared_secrets_find(arena, from->store, options->key, ret_keyring);
    return secrets_file_find(arena, from->data.path, from->data.keyring, ret_keyring);
}

static struct error *write_secrets(struct arena *arena, const struct copy_store_options *options,
                                   const struct new_store *to, const struct keyring *keyring) {
    const struct data_directory *data = &to->directory.data;
    if (keyring == NULL)
        return NULL;
    if (to->place.url != NULL)
        return shared_secrets_write(arena, to->store, options->new_key, keyring);
    return secrets_file_write(arena, data->path, data->keyring, keyring);
}

/* What would be open that was not. */
static struct error *check_secrecy(struct arena *arena, const struct copy_store_options *options,
                                   const struct found_store *from, const struct keyring *secrets) {
    const char *name = options->to.name;
    if (options->to.url != NULL && secrets != NULL && options->new_key == NULL)
        return error_local(arena,
                           "%s has access keys: give the key that the servers of %s are to be "
                           "started with, by --new-key",
                           options->from.name, name);
    bool encrypts = options->to.directory != NULL && options->new_key != NULL;
    if (from->data.keyring != NULL && !encrypts && !options->plain)
        return error_local(arena,
                           "%s is encrypted, and %s would not be%s: --plain says that this is "
                           "meant",
                           options->from.name, name,
                           options->to.url != NULL ? ", unless PostgreSQL's disks are" : "");
    return NULL;
}

/* ---- copying ---- */

static struct error *fill(struct arena *arena, const struct copy_store_options *options,
                          const struct found_store *from, struct new_store *to,
                          const struct keyring *secrets, struct copy_totals *ret_totals) {
    TRY(run_pass(arena, options, store_copy, from->store, to->store, ret_totals));
    TRY(new_store_reopen(arena, to));
    TRY(run_pass(arena, options, store_compare, from->store, to->store, ret_totals));
    return write_secrets(arena, options, to, secrets);
}

static struct error *copy_with(struct arena *arena, const struct copy_store_options *options,
                               const struct found_store *from, const struct keyring *secrets,
                               struct copy_totals *ret_totals) {
    struct new_store_options target = {.place = options->to,
                                       .key = options->new_key,
                                       .replace = options->replace,
                                       .by = "gramme copy-store"};
    struct new_store to;
    TRY(check_secrecy(arena, options, from, secrets));
    TRY(new_store_begin(arena, &target, &to));
    return new_store_end(arena, &to, fill(arena, options, from, &to, secrets, ret_totals));
}

static struct error *copy(struct arena *arena, const struct copy_store_options *options,
                          const struct found_store *from, struct copy_totals *ret_totals) {
    struct keyring *secrets = NULL;
    TRY(read_secrets(arena, options, from, &secrets));
    struct error *error = copy_with(arena, options, from, secrets, ret_totals);
    keyring_free(secrets);
    return error;
}

static struct error *verify(struct arena *arena, const struct copy_store_options *options,
                            const struct found_store *from, struct copy_totals *ret_totals) {
    struct found_store to;
    TRY(found_store_open(arena, &options->to, options->new_key, FOUND_ALONE, &to));
    struct error *error =
        run_pass(arena, options, store_compare, from->store, to.store, ret_totals);
    found_store_close(&to);
    return error;
}

struct error *copy_store(struct arena *arena, const struct copy_store_options *options,
                         struct copy_totals *ret_totals) {
    struct found_store from;
    struct error *error = NULL;
    TRY(found_store_open(arena, &options->from, options->key, FOUND_ALONE, &from));
    /* Rows that are still to be deleted would stay for ever where nobody knows of that. */
    if (from.place.url != NULL)
        error = postgres_finish_drops(from.store, arena);
    if (error == NULL)
        error = (options->verify_only ? verify : copy)(arena, options, &from, ret_totals);
    found_store_close(&from);
    return error;
}
