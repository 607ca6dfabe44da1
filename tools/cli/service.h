/* service.h - a server as the tools talk to it: one request by its operation's name, the reply as a
 * tree, and waiting for a table.
 *
 * Errors are texts for the user and live in the arena given at the beginning, as do the replies.
 * One thread. */
#ifndef GRAMME_CLI_SERVICE_H
#define GRAMME_CLI_SERVICE_H

#include <stdio.h>

#include "base/error.h"
#include "client/gramme_client.h"
#include "json/tree.h"

struct service_options {
    const char *endpoint; /* NULL: the environment's, else the local server's */
    const char *region;
    const char *access_key_id; /* NULL: the environment's */
    const char *secret_access_key;
    const char *signing_name; /* NULL: dynamodb's */
    double timeout_s;         /* of one wait */
    FILE *progress;           /* gets a dot now and then during a long wait; NULL: nothing does */
};

struct service {
    struct ddb_client *client;
    struct arena *arena;
    const char *endpoint;
    double timeout_s;
    FILE *progress;
};

/* What is given, or else the environment's, or else the local server and us-east-1. In words: */
#define SERVICE_LOCAL_ENDPOINT "http://127.0.0.1:8000"
#define SERVICE_LOCAL_REGION "us-east-1"
#define SERVICE_ENDPOINT_DEFAULT \
    "AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL, else " SERVICE_LOCAL_ENDPOINT
#define SERVICE_REGION_DEFAULT "AWS_REGION or AWS_DEFAULT_REGION, else " SERVICE_LOCAL_REGION
const char *service_endpoint(const char *given);
const char *service_region(const char *given);

/* Sends nothing yet. The service is to be closed, whatever this returns. */
struct error *service_open(struct service *service, struct arena *arena,
                           const struct service_options *options);
void service_close(struct service *service);

/* The body ends with a NUL. The reply is NULL when it is empty, as that to TagResource is. An
 * operation that the server does not have is an ERROR_UNKNOWN_OPERATION. */
struct error *service_call(struct service *service, const char *operation, struct slice body,
                           const struct json_value **ret_reply);
/* Of the latest call of the client, which has failed. */
struct error *service_error(struct service *service, const char *operation);
/* Whether the latest call failed with this type. */
bool service_failed_with(const struct service *service, const char *type);

enum service_wait { SERVICE_ACTIVE, SERVICE_GONE };

/* Until the table and its indexes are ACTIVE, or until there is no such table. A table that is gone
 * ends either wait. */
struct error *service_wait(struct service *service, struct slice table, enum service_wait wait,
                           bool *ret_there);
/* The reply of DescribeTable when the table is ACTIVE; NULL when there is none. */
struct error *service_describe(struct service *service, struct slice table,
                               const struct json_value **ret_description);

#endif
