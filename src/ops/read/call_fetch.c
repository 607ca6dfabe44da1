/* call_fetch.c - a reader in the call's arena, and the call's way back to its thread. */
#include "ops/read/call_fetch.h"

#include "base/container.h"

static void wake(struct item_fetch *items) {
    struct op_call *call = container_of(items, struct call_fetch, items)->call;
    call->wake(call);
}

struct error *call_reader_begin(struct op_call *call, struct call_read read,
                                struct reader *ret_reader) {
    struct engine *engine = call->context->engine;
    if (read.consistent)
        return reader_begin(engine, call->arena, read.mode, ret_reader);
    struct error *error = reader_begin_eventual(engine, call->arena, read.mode, ret_reader);
    call->eventual |= ret_reader->eventual;
    return error;
}

void call_eventual_failed(const struct op_call *call) {
    engine_eventual_failed(call->context->engine);
}

struct error *call_fetch_start(struct op_call *call, struct call_read read, size_t count,
                               const struct read_key *keys, struct call_fetch **ret_fetch) {
    struct call_fetch *fetch = ARENA_NEW(call->arena, struct call_fetch);
    fetch->call = call;
    fetch->items.keys = keys;
    fetch->items.count = count;
    fetch->items.done = wake;
    TRY(call_reader_begin(call, read, &fetch->reader));
    call->fetches = true;
    *ret_fetch = fetch;
    reader_fetch(&fetch->reader, &fetch->items);
    return NULL;
}

void call_fetch_release(struct call_fetch *fetch) {
    if (fetch != NULL)
        reader_end(&fetch->reader);
}
