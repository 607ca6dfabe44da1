/* inside_call.c - see inside_call.h. */
#include "pipeline/inside_call.h"

#include <pthread.h>

#include "base/check.h"

enum { REPLY_BYTES_MAX = 16 << 20 };

struct inside {
    struct op_call call;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool woken;
};

/* Any thread. */
static void wake(struct op_call *call) {
    struct inside *inside = call->user;
    pthread_mutex_lock(&inside->lock);
    inside->woken = true;
    pthread_cond_signal(&inside->ended);
    pthread_mutex_unlock(&inside->lock);
}

static void wait_for(struct inside *inside) {
    pthread_mutex_lock(&inside->lock);
    while (!inside->woken)
        pthread_cond_wait(&inside->ended, &inside->lock);
    pthread_mutex_unlock(&inside->lock);
}

static struct error *decode(struct op_call *call, struct slice json) {
    const struct shape *input = call->op->input;
    enum value_layer own = op_layer(call->op);
    call->layer = own;
    call->request = arena_zalloc(call->arena, input->size);
    TRY(fields_decode(call->arena, json, input, &call->layer, call->request));
    return fields_check(call->arena, input, call->layer != own, call->request);
}

static struct error *run(struct inside *inside) {
    struct op_call *call = &inside->call;
    enum op_state state = OP_DONE;
    if (call->op->validate != NULL)
        TRY(call->op->validate(call));
    TRY(call->op->run(call, &state));
    if (state == OP_ELSEWHERE) {
        call->elsewhere = true;
        TRY(call->op->run(call, &state));
    }
    if (state != OP_WAITING)
        return NULL;
    wait_for(inside);
    return call->op->finish(call);
}

struct error *inside_call(struct op_context *context, struct arena *arena, const char *operation,
                          struct slice json) {
    struct buffer reply;
    struct inside inside = {
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .ended = PTHREAD_COND_INITIALIZER,
        .call = {.op = op_find(slice_text(operation)),
                 .context = context,
                 .arena = arena,
                 .reply = &reply,
                 .wake = wake},
    };
    CHECK(inside.call.op != NULL);
    inside.call.user = &inside;
    buffer_init(&reply, REPLY_BYTES_MAX);
    struct error *error = decode(&inside.call, json);
    if (error == NULL) {
        error = run(&inside);
        if (inside.call.op->release != NULL)
            inside.call.op->release(&inside.call);
    }
    buffer_release(&reply);
    return error;
}
