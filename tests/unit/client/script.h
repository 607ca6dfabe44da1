/* script.h - a client whose server follows a script: what is answered, what was sent, how long was
 * waited. Time is made of the waits, of a millisecond for each exchange, and of those that time
 * out. */
#ifndef TESTS_UNIT_CLIENT_SCRIPT_H
#define TESTS_UNIT_CLIENT_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/client.h"

struct step {
    enum answer_kind kind;
    int status;
    const char *body;
};

#define THROTTLED \
    { ANSWER_REPLY, 400, "{\"__type\":\"x#ThrottlingException\"}" }
#define DONE \
    { ANSWER_REPLY, 200, "{}" }
#define REPLY(body) \
    { ANSWER_REPLY, 200, body }

extern const struct step *script;       /* the next step */
extern char waits[2048];                /* the longest that each wait might have been */
extern char sent[4096];                 /* the latest request: its target and its body */
extern char signer[64];                 /* the key id that it was signed with */
extern int64_t script_ms;               /* the time */
extern int64_t timeout_ms;              /* that the latest request had */
extern const struct random fake_random; /* all bits are set: each wait is the longest possible */

const char *no_variable(const char *name);
/* A transport of the script's, and a client on it with the longest wait set to 300 ms. */
struct transport *script_transport(const struct step *steps);
struct ddb_client *script_client(const struct step *steps);

#endif
