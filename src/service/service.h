/* service.h - a service besides DynamoDB on the same port: its operations, and how requests for it
 * are told from others.
 *
 * An operation is one function, whatever protocol it is asked by: it gets its input as a checked
 * tree (input.h) and writes its output as members (answer.h). Services are told apart by their
 * target (JSON), their path (CBOR) or the Version of a form; each is signed for by its own name.
 *
 * Threads: operations run on workers, several at a time; resource() on an I/O thread.
 * Memory: the arena of the request. */
#ifndef GRAMME_SERVICE_SERVICE_H
#define GRAMME_SERVICE_SERVICE_H

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "service/answer.h"
#include "service/input.h"

struct caller;

struct service_call {
    struct arena *arena;
    const struct json_value *input;
    /* Who asks: kind, account, name, ARN and since when they may, and nothing else of them. */
    const struct caller *caller;
    struct answer *answer;
    /* What of its resource a change was about, for the audit log: a key's id, a policy's name. Set
     * by the operation; absent: all there is to tell is the resource. */
    struct slice subject;
    void *state;         /* the service's own */
    struct slice region; /* of the server, as the next */
    struct slice account;
    const struct clock *clock; /* DynamoDB's time */
    const struct random *random;
};

enum service_flags {
    SERVICE_CHANGES = 1 << 0,   /* the audit log has a line for it */
    SERVICE_NO_OUTPUT = 1 << 1, /* its output is no structure, not even an empty one */
};

struct service_op {
    const char *name;
    struct error *(*run)(struct service_call *call);
    const struct input_field *input; /* NULL: nothing of it is checked */
    uint32_t flags;
    /* The ARNs that permissions are needed for, of a checked input, one after another from 0;
     * absent: there are no more. NULL: "*". */
    struct slice (*resource)(const struct service_call *call, size_t number);
};

struct service {
    const char *name;         /* of its actions: "cloudwatch" */
    const char *signing_name; /* "monitoring" */
    /* Before the dot of X-Amz-Target, and in the path of CBOR requests; NULL: it takes forms. */
    const char *target;
    const char *json_type;               /* of its JSON requests and answers */
    bool cbor;                           /* it speaks that too */
    const char *form_version;            /* Version of its forms; NULL: it takes none */
    const char *name_space;              /* of its XML; NULL: likewise */
    enum error_code missing;             /* of a member that must be there (input.h) */
    enum error_code internal;            /* when this server is at fault */
    enum error_code exhausted;           /* of a request that takes too much memory */
    const struct service_op *const *ops; /* NULL ends them */
};

/* A service with its state. */
struct service_instance {
    const struct service *service; /* NULL ends a list */
    void *state;
};

/* The largest body that a service takes, unpacked. */
enum { SERVICE_BODY_BYTES_MAX = 1024 * 1024 };

/* NULL: there is no such operation. */
const struct service_op *service_find_op(const struct service *service, struct slice name);

/* The code that the query protocol has for an error, which SDKs that once spoke it still show. */
struct slice service_query_code(struct arena *arena, const struct error *error);
/* And its status in that protocol. */
int service_query_status(const struct error *error);

#endif
