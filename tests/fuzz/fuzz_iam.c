/* fuzz_iam.c - any bytes as a credentials file, as a form, and as the stored record of a user, a
 * role or a key: nothing crashes, and what is accepted holds together. */
#include "crypto/keyring.h"
#include "fuzz.h"
#include "iam/credentials.h"
#include "iam/stored.h"
#include "query/form.h"

static void check_credentials(struct slice text) {
    struct credentials_key key = credentials_find(text, NULL);
    CHECK(slice_present(key.id) == slice_present(key.secret));
    key = credentials_find(text, "work");
    CHECK(slice_present(key.id) == slice_present(key.secret));
}

static void check_form(struct arena *arena, struct slice text) {
    struct form form;
    if (!form_read(arena, text, &form))
        return;
    CHECK(form.count <= FORM_FIELDS_MAX);
    for (size_t i = 0; i < form.count; i++)
        CHECK(form.fields[i].name.len + form.fields[i].value.len <= text.len);
}

/* What was read is written, and read again. */
static void check_principal(struct arena *arena, enum principal_kind kind, struct slice text) {
    struct record record = {
        .kind = SLICE_LITERAL("user"), .name = SLICE_LITERAL("name"), .value = text};
    struct principal first, second;
    if (principal_of_record(arena, kind, &record, &first) != NULL)
        return;
    struct record again = principal_record(arena, &first);
    CHECK(principal_of_record(arena, kind, &again, &second) == NULL);
    CHECK(first.policy_count == second.policy_count && first.tag_count == second.tag_count);
    CHECK(slice_equal(first.id, second.id) && first.created_ms == second.created_ms);
}

static void check_key(struct arena *arena, struct slice text) {
    static struct seal *seal;
    static const uint8_t bytes[CIPHER_KEY_BYTES] = {1};
    if (seal == NULL)
        CHECK(seal_new(arena, bytes, &seal) == NULL);
    struct record record = {
        .kind = SLICE_LITERAL("key"), .name = SLICE_LITERAL("AKIA"), .value = text};
    struct access_key key;
    if (key_of_record(arena, seal, &record, &key) == NULL)
        CHECK(!slice_present(key.secret)); /* nobody guesses what opens */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct slice text = slice_of(data, size);
    arena_init(&arena);
    check_credentials(text);
    check_form(&arena, text);
    check_principal(&arena, PRINCIPAL_USER, text);
    check_principal(&arena, PRINCIPAL_ROLE, text);
    check_key(&arena, text);
    arena_release(&arena);
    return 0;
}
