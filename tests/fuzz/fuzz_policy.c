/* fuzz_policy.c - any text as a policy document, and what is accepted on a few fixed requests.
 *
 * Nothing may crash; what is refused is refused with a text that names the document; a policy says
 * the same to the same request twice; and values that it says it does not look at do not matter. */
#include "fuzz.h"
#include "policy/policy.h"

static const struct policy_key key_list[] = {
    {"dynamodb:FullTableScan", 0, false, false}, {"dynamodb:Select", 1, false, false},
    {"dynamodb:LeadingKeys", 2, true, false},    {"aws:username", 3, false, true},
    {"aws:PrincipalArn", 4, false, true},        {"aws:CurrentTime", 5, false, false},
    {"aws:EpochTime", 6, false, false},
};
static const struct policy_keys keys = {key_list, sizeof(key_list) / sizeof(*key_list)};

enum { VALUES = 7 };

/* A value of each kind, by key; the names are as a caller may choose them. */
static const char *const texts[VALUES] = {"true",
                                          "COUNT",
                                          "1.50",
                                          "ann*",
                                          "arn:aws:iam::000000000000:user/ann*",
                                          "2026-10-17T08:30:00Z",
                                          "1792225800"};

static void check_request(const struct policy *policy, const struct policy_request *request) {
    uint32_t used = policy_values_used(policy);
    enum policy_verdict verdict = policy_evaluate(policy, request);
    struct policy_request less = *request;
    for (unsigned v = 0; v < VALUES; v++)
        if (!(used >> v & 1))
            less.values[v].count = 0;
    CHECK(used >> VALUES == 0);
    CHECK(policy_evaluate(policy, request) == verdict);
    CHECK(policy_evaluate(policy, &less) == verdict);
}

static void check_policy(const struct policy *policy) {
    struct slice values[VALUES];
    struct policy_request request = {.action = SLICE_LITERAL("dynamodb:ListTables"),
                                     .resource = SLICE_LITERAL("*")};
    check_request(policy, &request);
    request.action = SLICE_LITERAL("dynamodb:PartiQLSelect");
    request.resource = SLICE_LITERAL("arn:aws:dynamodb:us-east-1:000000000000:table/a/index/b");
    for (unsigned v = 0; v < VALUES; v++) {
        values[v] = slice_text(texts[v]);
        request.values[v] = (struct policy_values){&values[v], 1};
    }
    request.values[2] = (struct policy_values){&values[1], 2};
    check_request(policy, &request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    const struct policy *policy;
    arena_init(&arena);
    struct error *error = size > POLICY_BYTES_MAX
                              ? NULL
                              : policy_parse(&arena, &keys, "name", slice_of(data, size), &policy);
    if (error != NULL)
        CHECK(slice_starts_with(error->message, SLICE_LITERAL("name:")));
    else if (size <= POLICY_BYTES_MAX)
        check_policy(policy);
    arena_release(&arena);
    return 0;
}
