/* apply_service.h - the service as `gramme apply` needs it: what a table is like, one call,
 * waiting.
 *
 * Errors are texts for the user and live in the arena given at the beginning, as do the answers.
 * One thread. */
#ifndef GRAMME_CLI_APPLY_SERVICE_H
#define GRAMME_CLI_APPLY_SERVICE_H

#include "client/gramme_client.h"
#include "template/plan.h"

struct service_options {
    const char *endpoint; /* NULL: the environment's, else the local server's */
    const char *region;
    const char *access_key_id; /* NULL: the environment's */
    const char *secret_access_key;
    double timeout_s; /* of one wait */
};

struct service {
    struct ddb_client *client;
    struct arena *arena;
    const char *endpoint;
    double timeout_s;
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

/* Waits until the table stands still, then reads all that a template can say about it.
 * `ret_there` is false when there is no such table. */
struct error *service_describe(struct service *service, const struct table_state *wanted,
                               struct found_table *ret_found, bool *ret_there);
/* Sends the request and waits for what it sets in motion. */
struct error *service_carry_out(struct service *service, struct slice table,
                                const struct plan_step *step);

#endif
