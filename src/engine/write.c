/* write.c - what a caller does with writes, on its own thread. */
#include "engine/write.h"

#include "codec/item.h"
#include "engine/state.h"

void item_write_prepare(struct engine *engine, struct arena *arena, struct item_write *write) {
    const struct table_definition *definition = &write->table->definition;
    struct value attributes = write->kind == WRITE_PUT ? write->item : write->key;
    write->store_key =
        key_encode(arena, &engine->format.keys, definition->id, &definition->keys, attributes);
    if (write->kind == WRITE_PUT) {
        write->new_size = item_size(write->item);
        write->stored = item_encode(arena, write->item, write->new_size);
    }
}

void engine_fingerprint(const struct engine *engine, struct slice canonical, uint8_t ret_hash[16]) {
    siphash128(engine->format.keys.secret, canonical, ret_hash);
}
