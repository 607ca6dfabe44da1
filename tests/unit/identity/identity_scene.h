/* identity_scene.h - calls operations of IAM as the server does: by name, with validated
 * input and a JSON reply. */
#ifndef GRAMME_TESTS_IDENTITY_SCENE_H
#define GRAMME_TESTS_IDENTITY_SCENE_H

#include "identity/identity.h"
#include "support/iam_fixture.h"

#define ARN(name) "arn:aws:iam::" IAM_FIXTURE_ACCOUNT ":" name

struct identity_scene {
    struct iam_fixture iam;
    struct identity identity;
    struct caller caller; /* the owner at first */
    struct buffer out;
    struct slice subject; /* of the last call */
};

extern struct identity_scene scene;

/* For cmocka. */
int scene_set_up(void **state);
int scene_tear_down(void **state);

/* The input is JSON with ' for ". On success the reply is in scene.out. */
struct error *scene_call(const char *operation, const char *input);
/* Expects exactly this reply, with ' for ". */
void scene_expect(const char *operation, const char *input, const char *answer);
void scene_expect_fine(const char *operation, const char *input);
/* `type` is the AWS error type. */
void scene_expect_error(const char *operation, const char *input, const char *type,
                        const char *message);
/* The first string member of this name in the last reply, at any depth. */
const char *scene_member(const char *name);
/* The ARN that authorization checks, counted from 0; absent: there are no more. */
struct slice scene_resource(const char *operation, const char *input, size_t number);

/* printf into the scene's arena. */
const char *scene_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
