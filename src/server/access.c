/* access.c - see access.h. */
#include "server/access.h"

#include <stdlib.h>

#include "admin/secrets_file.h"
#include "base/check.h"
#include "base/secret.h"
#include "crypto/secret.h"
#include "iam/credentials.h"
#include "json/member.h"

enum { COMMAND_MAX = 1 << 20 };

struct access {
    struct keyring *keyring;
    struct seal *seal;
    struct iam *iam;
};

static struct error *open_parts(struct access *access, struct arena *arena,
                                const struct access_options *options) {
    if (options->shared != NULL)
        access->keyring = keyring_new(keyring_key(options->shared).data);
    else if (options->directory == NULL)
        access->keyring = keyring_new_random();
    else
        TRY(secrets_file_open(arena, options->directory, options->over, &access->keyring));
    TRY(keyring_seal(arena, access->keyring, "iam", &access->seal));
    struct iam_options iam = {
        .engine = options->engine,
        .seal = access->seal,
        .account = options->account,
        .random = &system_random,
    };
    return iam_open(arena, &iam, &access->iam);
}

struct error *access_open(struct arena *arena, const struct access_options *options,
                          struct access **ret_access) {
    struct access *access = calloc(1, sizeof(*access));
    CHECK(access != NULL);
    secret_process();
    struct error *error = open_parts(access, arena, options);
    if (error != NULL) {
        access_close(access);
        return error;
    }
    *ret_access = access;
    return NULL;
}

void access_close(struct access *access) {
    if (access == NULL)
        return;
    iam_close(access->iam);
    seal_free(access->seal);
    keyring_free(access->keyring);
    free(access);
}

struct iam *access_iam(const struct access *access) {
    return access->iam;
}

/* As if it were asked for by a command. */
struct error *access_import_root_key(struct access *access, struct arena *arena, const char *path) {
    struct credentials_key key;
    CLEANUP(buffer_release) struct buffer input;
    CLEANUP(buffer_release) struct buffer output;
    struct json_writer json;
    buffer_init(&input, COMMAND_MAX);
    buffer_init(&output, COMMAND_MAX);
    TRY(credentials_read(arena, path, NULL, &key));
    json_writer_init(&json, &input);
    json_object_begin(&json);
    member_word(&json, "command", "import-key");
    member_text(&json, "id", key.id);
    member_text(&json, "secret", key.secret);
    json_object_end(&json);
    struct error *error = access_run(access, arena, buffer_slice(&input), &output);
    secret_wipe((uint8_t *)(uintptr_t)key.secret.data, key.secret.len);
    secret_wipe(input.data, input.len);
    return error;
}

struct error *access_run(void *access, struct arena *arena, struct slice input,
                         struct buffer *output) {
    if (access == NULL)
        return error_local(arena, "it does not verify signatures: start it with --auth, or stop it "
                                  "first");
    return iam_run_command(((struct access *)access)->iam, &system_clock, arena, input, output);
}
