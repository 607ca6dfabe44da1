/* fuzz_resource_policy.c - any text as the policy of a table or a stream.
 *
 * Nothing may crash; what is refused is refused as a ValidationException; what is accepted has a
 * form that can be evaluated, that stands for itself, and that says the same. */
#include "fuzz.h"
#include "model/limits.h"
#include "ops/policy/resource_document.h"

static void check_same(const struct policy *a, const struct policy *b) {
    const struct caller callers[] = {
        {CALLER_ROOT, .account = SLICE_LITERAL("111122223333"),
         .arn = SLICE_LITERAL("arn:aws:iam::111122223333:root")},
        {CALLER_USER, .account = SLICE_LITERAL("111122223333"),
         .arn = SLICE_LITERAL("arn:aws:iam::111122223333:user/ann")},
    };
    for (size_t i = 0; i < sizeof(callers) / sizeof(*callers); i++) {
        const struct policy_request request = {
            .caller = &callers[i],
            .action = SLICE_LITERAL("dynamodb:GetItem"),
            .resource = SLICE_LITERAL("arn:aws:dynamodb:us-east-1:111122223333:table/t"),
        };
        CHECK(policy_evaluate(a, &request) == policy_evaluate(b, &request));
    }
}

static void check_document(struct arena *arena, struct slice text, bool stream) {
    struct resource_document document, again;
    struct error *error = resource_document_read(arena, text, stream, &document);
    if (error != NULL) {
        CHECK(error->code == ERROR_VALIDATION);
        return;
    }
    CHECK(!policy_is_unbounded(document.policy));
    /* The form may be longer than what was sent: accounts are written out. */
    if (document.form.len > LIMIT_POLICY_BYTES)
        return;
    CHECK(resource_document_read(arena, document.form, stream, &again) == NULL);
    CHECK(slice_equal(document.form, again.form) && !again.unversioned);
    check_same(document.policy, again.policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    check_document(&arena, slice_of(data, size), false);
    check_document(&arena, slice_of(data, size), true);
    arena_release(&arena);
    return 0;
}
