/* script.c - see script.h. */
#include "script.h"

const struct step *script;
char waits[2048];
char sent[4096];
int64_t script_ms;
int64_t timeout_ms;

char signer[64];

static void sign_as(struct transport *transport, const struct credentials *credentials) {
    (void)transport;
    snprintf(signer, sizeof(signer), "%s", credentials->id == NULL ? "" : credentials->id);
}

static void follow(struct transport *transport, const struct exchange *exchange,
                   struct buffer *body, struct answer *ret_answer) {
    (void)transport;
    timeout_ms = exchange->timeout_ms;
    script_ms += script->kind == ANSWER_TIMEOUT ? timeout_ms : 1;
    snprintf(sent, sizeof(sent), "%s %.*s", exchange->target, SLICE_ARGS(exchange->body));
    *ret_answer = (struct answer){.kind = script->kind, .status = script->status};
    if (script->kind == ANSWER_REPLY) {
        strcpy(ret_answer->request_id, "ID");
        buffer_append_text(body, script->body);
    } else {
        strcpy(ret_answer->detail, "no");
    }
    script++;
}

static void keep_wait(struct transport *transport, int64_t duration_ms) {
    (void)transport;
    size_t len = strlen(waits);
    snprintf(waits + len, sizeof(waits) - len, "%lld ", (long long)duration_ms);
    script_ms += duration_ms;
}

static int64_t now_ms(struct transport *transport) {
    (void)transport;
    return script_ms;
}

static void fill(const struct random *random, void *bytes, size_t size) {
    (void)random;
    memset(bytes, 0xff, size);
}

static void no_free(struct transport *transport) {
    (void)transport;
}

const struct random fake_random = {fill};

const char *no_variable(const char *name) {
    (void)name;
    return NULL;
}

struct transport *script_transport(const struct step *steps) {
    static struct transport transport = {sign_as, follow, keep_wait, now_ms, no_free};
    script = steps;
    script_ms = 0;
    waits[0] = sent[0] = '\0';
    return &transport;
}

struct ddb_client *script_client(const struct step *steps) {
    return client_new(&(struct ddb_options){.endpoint = "http://x",
                                            .region = "r",
                                            .access_key_id = "a",
                                            .secret_access_key = "b",
                                            .backoff_max_ms = 300},
                      no_variable, script_transport(steps), &fake_random);
}
