/* iam_fixture.h - users and roles in an in-memory store. */
#ifndef GRAMME_TESTS_IAM_FIXTURE_H
#define GRAMME_TESTS_IAM_FIXTURE_H

#include "iam/iam.h"
#include "support/engine_fixture.h"

#define IAM_FIXTURE_ACCOUNT "000000000000"

struct iam_fixture {
    struct engine_fixture f;
    struct keyring *keyring;
    struct seal *seal;
    struct iam *iam;
    struct iam_view *view;
};

void iam_fixture_open(struct iam_fixture *fixture);
void iam_fixture_close(struct iam_fixture *fixture);

/* Creates or replaces the user; `policy` NULL: it has none. */
void iam_fixture_put_user(struct iam_fixture *fixture, const char *name, const char *policy);
void iam_fixture_put_role(struct iam_fixture *fixture, const char *name, const char *trust,
                          int64_t session_max_s);

/* The caller of requests that they sign; valid until the next change. */
struct caller iam_fixture_user(struct iam_fixture *fixture, const char *name);
struct caller iam_fixture_owner(void);

#endif
