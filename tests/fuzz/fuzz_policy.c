/* fuzz_policy.c - any text as a policy document of each kind, and what is accepted on a few fixed
 * requests.
 *
 * Nothing may crash; what is refused is refused with a text that names the document; a policy says
 * the same to the same request twice; and values that it says it does not look at do not matter. */
#include "fuzz.h"
#include "policy/policy.h"

/* A value of each kind, by key; the names are as a caller may choose them. */
static const struct {
    enum policy_key key;
    const char *text;
} known[] = {
    {POLICY_KEY_FULL_TABLE_SCAN, "true"},
    {POLICY_KEY_SELECT, "COUNT"},
    {POLICY_KEY_LEADING_KEYS, "1.50"},
    {POLICY_KEY_USERNAME, "ann*"},
    {POLICY_KEY_PRINCIPAL_ARN, "arn:aws:iam::000000000000:user/ann*"},
    {POLICY_KEY_CURRENT_TIME, "2026-10-17T08:30:00Z"},
    {POLICY_KEY_EPOCH_TIME, "1792225800"},
};
enum { KNOWN_COUNT = sizeof(known) / sizeof(*known) };

static void check_request(const struct policy *policy, const struct policy_request *request) {
    uint64_t used = policy_keys_used(policy);
    enum policy_verdict verdict = policy_evaluate(policy, request);
    struct policy_request less = *request;
    for (unsigned key = 0; key < POLICY_KEY_COUNT; key++)
        if (!(used >> key & 1))
            less.values[key].count = 0;
    CHECK(used >> POLICY_KEY_COUNT == 0);
    CHECK(policy_evaluate(policy, request) == verdict);
    CHECK(policy_evaluate(policy, &less) == verdict);
}

static void check_policy(const struct policy *policy) {
    struct slice values[KNOWN_COUNT];
    const struct caller caller = {
        .kind = CALLER_SESSION,
        .account = SLICE_LITERAL("123456789012"),
        .arn = SLICE_LITERAL("arn:aws:sts::123456789012:assumed-role/r/s"),
        .principal_arn = SLICE_LITERAL("arn:aws:iam::123456789012:role/r"),
    };
    struct policy_request request = {.caller = &caller,
                                     .action = SLICE_LITERAL("dynamodb:ListTables"),
                                     .resource = SLICE_LITERAL("*")};
    check_request(policy, &request);
    request.action = SLICE_LITERAL("dynamodb:PartiQLSelect");
    request.resource = SLICE_LITERAL("arn:aws:dynamodb:us-east-1:000000000000:table/a/index/b");
    for (unsigned v = 0; v < KNOWN_COUNT; v++) {
        values[v] = slice_text(known[v].text);
        request.values[known[v].key] = (struct policy_values){.list = &values[v], .count = 1};
    }
    request.values[POLICY_KEY_LEADING_KEYS] =
        (struct policy_values){.list = &values[1], .count = 2};
    check_request(policy, &request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > POLICY_BYTES_MAX)
        return 0;
    for (unsigned kind = POLICY_OF_IDENTITY; kind <= POLICY_OF_TRUST; kind++) {
        struct arena arena;
        const struct policy *policy;
        const struct policy_document document = {kind, "name", slice_of(data, size)};
        arena_init(&arena);
        struct error *error = policy_parse(&arena, &document, &policy);
        if (error != NULL)
            CHECK(slice_starts_with(error->message, SLICE_LITERAL("name:")));
        else
            check_policy(policy);
        arena_release(&arena);
    }
    return 0;
}
