/* read.c - a dump is verified, passed on, or becomes a store again.
 *
 * One pass does it all, so that a dump may come from a pipe. Whoever loads it must not use the
 * store before dump_read has returned without an error: damage may show only at the end.
 * Invariants: keyspaces and keys come in ascending order, none twice; a block of records is one
 * commit. Memory: one block; the arena is taken back after every commit. Threads: the caller's. */
#include "store/dump/block.h"

struct reader {
    const struct dump_read_options *options;
    struct block_reader blocks;
    struct dump_summary summary;
    uint8_t places[STORE_KEYSPACES_MAX]; /* of the dump's keyspaces in those of the options */
    uint8_t keyspace;                    /* of the last record */
    uint8_t key[STORE_KEY_MAX];          /* of the last record of this keyspace */
    size_t key_len;                      /* 0: there was none */
    uint32_t block_records;              /* that were read of this block */
};

/* ---- fields of a payload ---- */

static bool take_bytes(struct slice *payload, size_t len, struct slice *ret_bytes) {
    if (len > payload->len)
        return false;
    *ret_bytes = slice_first(*payload, len);
    *payload = slice_skip(*payload, len);
    return true;
}

static bool take_u64(struct slice *payload, uint64_t *ret_n) {
    struct slice bytes;
    if (!take_bytes(payload, 8, &bytes))
        return false;
    *ret_n = load_u64(bytes.data);
    return true;
}

static bool take_varint(struct slice *payload, uint32_t *ret_n) {
    size_t len = varint_decode_checked(payload->data, payload->len, ret_n);
    *payload = slice_skip(*payload, len);
    return len > 0;
}

static bool take_text(struct slice *payload, size_t len_max, struct slice *ret_text) {
    uint32_t len;
    return take_varint(payload, &len) && len <= len_max && take_bytes(payload, len, ret_text);
}

static bool take_byte(struct slice *payload, uint8_t *ret_byte) {
    struct slice byte;
    if (!take_bytes(payload, 1, &byte))
        return false;
    *ret_byte = byte.data[0];
    return true;
}

/* ---- header ---- */

static bool header_decode(struct reader *reader, struct slice payload) {
    struct arena *arena = reader->blocks.arena;
    struct dump_summary *summary = &reader->summary;
    uint64_t made_ms;
    uint8_t count;
    if (!take_u64(&payload, &made_ms) ||
        !take_text(&payload, DUMP_PROGRAM_MAX, &summary->program) || !take_byte(&payload, &count) ||
        count == 0 || count > STORE_KEYSPACES_MAX)
        return false;
    summary->made_ms = (int64_t)made_ms;
    summary->program = arena_slice(arena, summary->program);
    summary->keyspace_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!take_text(&payload, DUMP_NAME_MAX, &summary->names[i]) || summary->names[i].len == 0)
            return false;
        for (size_t before = 0; before < i; before++)
            if (slice_equal(summary->names[before], summary->names[i]))
                return false;
        summary->names[i] = arena_slice(arena, summary->names[i]);
    }
    return payload.len == 0;
}

static struct error *find_places(struct reader *reader) {
    const struct dump_read_options *options = reader->options;
    for (size_t i = 0; i < reader->summary.keyspace_count; i++) {
        struct slice name = reader->summary.names[i];
        size_t place = 0;
        while (place < options->keyspace_count && !slice_is(name, options->keyspaces[place].name))
            place++;
        if (place == options->keyspace_count)
            return error_local(
                reader->blocks.arena,
                "the backup has a keyspace '%.*s', which this version of gramme does "
                "not know: it was made by %.*s",
                SLICE_ARGS(name), SLICE_ARGS(reader->summary.program));
        reader->places[i] = (uint8_t)place;
    }
    return NULL;
}

static struct error *read_header(struct reader *reader) {
    struct block_reader *blocks = &reader->blocks;
    TRY(block_read(blocks));
    if (blocks->kind != DUMP_HEADER || blocks->records != 0 ||
        !header_decode(reader, block_payload(blocks)))
        return block_damaged(blocks, "its header cannot be read");
    return find_places(reader);
}

/* ---- records ---- */

/* The key goes on in reader->key; the value is in the payload. */
static bool record_decode(struct reader *reader, struct slice *payload, bool first,
                          struct slice *ret_value) {
    uint32_t shared, rest_len, value_len;
    struct slice rest;
    if (!take_varint(payload, &shared) || !take_varint(payload, &rest_len) ||
        !take_varint(payload, &value_len) || shared > reader->key_len || (first && shared > 0) ||
        rest_len > STORE_KEY_MAX - shared || value_len > DUMP_VALUE_MAX ||
        !take_bytes(payload, rest_len, &rest) || !take_bytes(payload, value_len, ret_value))
        return false;
    struct slice rest_before = slice_of(reader->key + shared, reader->key_len - shared);
    if (slice_compare(rest, rest_before) <= 0) /* also when a keyspace begins with an empty key */
        return false;
    memcpy(reader->key + shared, rest.data, rest.len);
    reader->key_len = shared + rest_len;
    return true;
}

static struct error *check_record(struct reader *reader, const struct store_key *key,
                                  struct slice value) {
    struct dump_check *check = reader->options->check;
    struct arena *arena = reader->blocks.arena;
    struct error *error = check == NULL ? NULL : check->check(check, arena, key, value);
    if (error == NULL)
        return NULL;
    uint64_t number = reader->summary.record_count + reader->block_records + 1;
    return error_local(arena, "the backup is damaged: record %llu, in '%s': %.*s",
                       (unsigned long long)number, reader->options->keyspaces[key->keyspace].name,
                       SLICE_ARGS(error->message));
}

/* Writes to `txn` unless it is NULL. */
static struct error *records_decode(struct reader *reader, struct store_txn *txn) {
    struct block_reader *blocks = &reader->blocks;
    struct slice payload = block_payload(blocks), value;
    uint8_t keyspace;
    if (!take_byte(&payload, &keyspace) || keyspace >= reader->summary.keyspace_count ||
        keyspace < reader->keyspace || blocks->records == 0)
        return block_damaged(blocks, "a block of records cannot be read");
    if (keyspace != reader->keyspace)
        reader->key_len = 0;
    reader->keyspace = keyspace;
    for (uint32_t i = 0; i < blocks->records; i++) {
        if (!record_decode(reader, &payload, i == 0, &value))
            return block_damaged(blocks, "a record cannot be read");
        struct store_key key = {reader->places[keyspace], slice_of(reader->key, reader->key_len)};
        reader->block_records = i;
        TRY(check_record(reader, &key, value));
        if (txn != NULL)
            store_put(txn, &key, value);
    }
    if (payload.len > 0)
        return block_damaged(blocks, "a block has bytes after its records");
    reader->summary.records[keyspace] += blocks->records;
    reader->summary.record_count += blocks->records;
    return NULL;
}

static struct error *records_commit(struct reader *reader, struct store_txn *txn) {
    enum store_outcome outcome = STORE_UNKNOWN;
    TRY(records_decode(reader, txn));
    TRY(store_commit(txn, STORE_RELAXED, &outcome));
    if (outcome != STORE_COMMITTED)
        return error_local(reader->blocks.arena,
                           "the store is used by someone else while the backup is loaded");
    return NULL;
}

static struct error *take_records(struct reader *reader) {
    struct store *store = reader->options->store;
    struct arena *arena = reader->blocks.arena;
    if (store == NULL)
        return records_decode(reader, NULL);
    struct arena_mark mark = arena_mark(arena);
    struct store_txn *txn = NULL;
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    struct error *error = records_commit(reader, txn);
    store_end(txn);
    if (error == NULL)
        arena_rewind(arena, mark);
    return error;
}

/* ---- trailer, and the whole ---- */

static struct error *check_trailer(struct reader *reader) {
    struct block_reader *blocks = &reader->blocks;
    struct slice payload = block_payload(blocks);
    uint64_t n = 0;
    bool agrees = blocks->records == 0;
    for (size_t i = 0; i < reader->summary.keyspace_count; i++)
        agrees = agrees && take_u64(&payload, &n) && n == reader->summary.records[i];
    agrees = agrees && take_u64(&payload, &n) && n == blocks->block_offset && payload.len == 0;
    return agrees ? NULL : block_damaged(blocks, "its end mark does not agree with what it holds");
}

static struct error *take_block(struct reader *reader, bool *ret_more) {
    struct block_reader *blocks = &reader->blocks;
    switch (blocks->kind) {
    case DUMP_RECORDS:
        return take_records(reader);
    case DUMP_TRAILER:
        TRY(check_trailer(reader));
        *ret_more = false;
        return block_read_end(blocks);
    default:
        return block_damaged(blocks, "a block of an unknown kind");
    }
}

static struct error *pass_on(struct reader *reader, struct slice bytes) {
    struct dump_sink *sink = reader->options->sink;
    return sink == NULL ? NULL : sink->write(sink, reader->blocks.arena, bytes);
}

static struct error *read_all(struct reader *reader) {
    struct block_reader *blocks = &reader->blocks;
    struct dump_progress *progress = reader->options->progress;
    uint8_t preamble[DUMP_PREAMBLE_BYTES];
    bool more = true;
    TRY(block_reader_open(blocks, preamble));
    TRY(pass_on(reader, slice_of(preamble, sizeof(preamble))));
    TRY(read_header(reader));
    TRY(pass_on(reader, buffer_slice(&blocks->bytes)));
    while (more) {
        TRY(block_read(blocks));
        TRY(take_block(reader, &more));
        TRY(pass_on(reader, buffer_slice(&blocks->bytes)));
        if (progress != NULL)
            progress->report(progress, reader->summary.record_count, blocks->offset);
    }
    reader->summary.bytes = blocks->offset;
    return NULL;
}

static struct error *keyspace_is_empty(struct store_txn *txn, size_t keyspace) {
    struct store_range all = {(uint8_t)keyspace, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan = NULL;
    struct slice key, value;
    bool found = false;
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = store_scan_next(scan, &found, &key, &value);
    store_scan_close(scan);
    TRY(error);
    return found ? error_local(txn->arena,
                               "a backup is loaded into an empty store, and this one is not empty")
                 : NULL;
}

static struct error *store_is_empty(struct arena *arena, const struct dump_read_options *options) {
    struct store_txn *txn = NULL;
    TRY(store_begin(options->store, arena, STORE_READ, &txn));
    struct error *error = NULL;
    for (size_t i = 0; i < options->keyspace_count && error == NULL; i++)
        error = keyspace_is_empty(txn, i);
    store_end(txn);
    return error;
}

struct error *dump_read(struct arena *arena, const struct dump_read_options *options,
                        struct dump_summary *ret_summary) {
    if (options->store != NULL)
        TRY(store_is_empty(arena, options));
    struct reader reader = {.options = options,
                            .blocks = {.arena = arena, .source = options->source}};
    struct error *error = read_all(&reader);
    block_reader_close(&reader.blocks);
    TRY(error);
    if (options->store != NULL)
        TRY(store_sync(options->store, arena));
    *ret_summary = reader.summary;
    return NULL;
}
