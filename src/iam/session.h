/* session.h - temporary credentials that carry themselves: the session token is the session,
 * sealed.
 *
 * Nothing is stored of a session, so it survives a restart, and any server that has the seal knows
 * it. It ends with its time, or when the role or user that it is of goes or gets another id. */
#ifndef GRAMME_IAM_SESSION_H
#define GRAMME_IAM_SESSION_H

#include "base/random.h"
#include "crypto/cipher.h"
#include "iam/principal.h"

enum {
    SESSION_NAME_MAX = 64,
    SESSION_POLICY_MAX = 2048,
    SESSION_TOKEN_MAX = 16 * 1024,
};

enum session_of { SESSION_OF_OWNER, SESSION_OF_USER, SESSION_OF_ROLE };

struct session {
    enum session_of of;
    struct slice key_id; /* ASIA... */
    struct slice secret;
    struct slice principal;    /* its name; empty of the owner */
    struct slice principal_id; /* likewise */
    struct slice name;         /* of a role's session */
    struct slice policy;       /* a document that narrows what the role may; empty: none */
    int64_t issued_ms;
    int64_t ends_ms;
};

/* Gives the session a key and a secret. */
void session_make_key(struct arena *arena, const struct random *random, struct session *session);
/* Its text: base64. */
struct slice session_seal(struct arena *arena, struct seal *seal, const struct session *session);
/* False: it is no token of ours. */
bool session_open(struct arena *arena, struct seal *seal, struct slice token,
                  struct session *ret_session);

#endif
