/* iam_fixture.c - see iam_fixture.h. */
#include "iam_fixture.h"

#include "base/check.h"
#include "crypto/keyring.h"
#include "iam/change.h"

void iam_fixture_open(struct iam_fixture *fixture) {
    CHECK(fixture_open(&fixture->f, fixture_store()) == NULL);
    fixture->keyring = keyring_new_random();
    CHECK(keyring_seal(&fixture->f.arena, fixture->keyring, "test", &fixture->seal) == NULL);
    struct iam_options options = {
        .engine = fixture->f.engine,
        .seal = fixture->seal,
        .account = SLICE_LITERAL(IAM_FIXTURE_ACCOUNT),
        .random = &system_random,
    };
    CHECK(iam_open(&fixture->f.arena, &options, &fixture->iam) == NULL);
    fixture->view = iam_view_new(fixture->iam);
}

void iam_fixture_close(struct iam_fixture *fixture) {
    iam_view_free(fixture->view);
    iam_close(fixture->iam);
    seal_free(fixture->seal);
    keyring_free(fixture->keyring);
    fixture_close(&fixture->f);
}

static struct principal new_principal(struct iam_fixture *fixture, enum principal_kind kind,
                                      const char *name) {
    return principal_new(&fixture->f.arena, iam_options(fixture->iam), kind, slice_text(name),
                         clock_now_ms(&fixture_clock.clock));
}

static void put(struct iam_fixture *fixture, const struct principal *principal) {
    struct record record = principal_record(&fixture->f.arena, principal);
    iam_change_begin(fixture->iam);
    CHECK(iam_change(fixture->iam, &fixture->f.arena, &record, 1) == NULL);
    iam_change_end(fixture->iam);
}

void iam_fixture_put_user(struct iam_fixture *fixture, const char *name, const char *policy) {
    struct principal user = new_principal(fixture, PRINCIPAL_USER, name);
    if (policy != NULL)
        CHECK(principal_put_policy(&fixture->f.arena, &user, SLICE_LITERAL("policy"),
                                   slice_text(policy)) == NULL);
    put(fixture, &user);
}

void iam_fixture_put_role(struct iam_fixture *fixture, const char *name, const char *trust,
                          int64_t session_max_s) {
    struct principal role = new_principal(fixture, PRINCIPAL_ROLE, name);
    CHECK(principal_set_trust(&fixture->f.arena, &role, slice_text(trust)) == NULL);
    CHECK(principal_set_session_max(&fixture->f.arena, &role, session_max_s) == NULL);
    put(fixture, &role);
}

struct caller iam_fixture_user(struct iam_fixture *fixture, const char *name) {
    const struct principal *user =
        directory_find(iam_view_directory(fixture->view), PRINCIPAL_USER, slice_text(name));
    CHECK(user != NULL);
    return iam_caller_of_user(fixture->iam, user);
}

struct caller iam_fixture_owner(void) {
    const struct slice arn = SLICE_LITERAL("arn:aws:iam::" IAM_FIXTURE_ACCOUNT ":root");
    return (struct caller){.kind = CALLER_ROOT,
                           .account = SLICE_LITERAL(IAM_FIXTURE_ACCOUNT),
                           .arn = arn,
                           .principal_arn = arn,
                           .id = SLICE_LITERAL(IAM_FIXTURE_ACCOUNT)};
}
