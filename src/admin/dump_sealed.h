/* dump_sealed.h - the dump of an encrypted directory: a dump (store/dump) in sealed frames.
 *
 * Its key is random, sealed by the directory's key, which is there as well, sealed by the master
 * key: so the master key of the day on which a backup was made is all that opens it, anywhere.
 *   PREAMBLE
 *   OFFSET SIZE  MEANING
 *   0      12    "gramme seal\n"
 *   12     4     format: 1
 *   16     84    the directory's key, as in its file KEY (key_file.h)
 *   100    60    the dump's key, sealed by the directory's in the context of what is before it
 *   FRAME
 *   0      1     kind: M more follow, L the last, E given up
 *   1      3     zeros
 *   4      4     length of the content, at most 1 MB
 *   8      len   content, sealed in the context of the 8 bytes before it; its nonce is the number
 *                of the frame, from 0
 *   then   16    tag
 * Integers are little-endian. Frames can neither be changed nor change places, and a dump without
 * its last frame is cut off. The server seals: whoever takes a backup of one needs no key.
 * Memory: a frame. Threads: the caller's. */
#ifndef GRAMME_ADMIN_DUMP_SEALED_H
#define GRAMME_ADMIN_DUMP_SEALED_H

#include "admin/key_file.h"
#include "base/buffer.h"
#include "store/dump/dump.h"

enum {
    SEALED_FRAME_MAX = 1 << 20,
    SEALED_HEAD_BYTES = 16, /* magic and format */
    SEALED_PREAMBLE_BYTES = SEALED_HEAD_BYTES + KEY_BLOCK_BYTES + CIPHER_KEY_BYTES + SEAL_BYTES,
};

/* ---- making one ---- */

struct sealed_sink {
    struct dump_sink base;
    struct dump_sink *to;
    uint8_t preamble[SEALED_PREAMBLE_BYTES];
    struct seal *seal;
    uint64_t frames; /* that were sent */
    struct buffer plain;
    struct buffer frame;
};

/* Nothing is written to `to` before there is a frame, or the end. */
struct error *sealed_sink_open(struct arena *arena, struct sealed_sink *sink, const char *directory,
                               const struct keyring *keyring, struct dump_sink *to);
/* Of what is not encrypted where it is: as if it were in a directory with that master key. */
struct error *sealed_sink_open_new(struct arena *arena, struct sealed_sink *sink,
                                   const struct master_key *key, struct dump_sink *to);
/* Writes the rest. Of a dump that was given up: as such, or nothing when nothing was written. */
struct error *sealed_sink_end(struct sealed_sink *sink, struct arena *arena, bool given_up);
void sealed_sink_release(struct sealed_sink *sink);

/* ---- reading one ---- */

struct sealed_source {
    struct dump_source base;
    struct dump_source *from;
    struct seal *seal; /* NULL: the dump is plain, and passed on */
    uint64_t frames;
    bool ended;          /* the last frame was read */
    struct buffer frame; /* as it was read */
    struct buffer plain; /* of which so much has been taken: */
    size_t taken;
};

/* `key` is NULL where there is none, and a sealed dump an error. */
struct error *sealed_source_open(struct arena *arena, struct sealed_source *source,
                                 struct dump_source *from, const struct master_key *key);
void sealed_source_release(struct sealed_source *source);

/* Passes one on without its key: what it has in it is not looked at, only that it is whole. */
struct error *sealed_copy(struct arena *arena, struct dump_source *from, struct dump_sink *to,
                          uint64_t *ret_bytes);

/* Reads from `from`, and writes what was read to `to`. */
struct tee_source {
    struct dump_source base;
    struct dump_source *from;
    struct dump_sink *to;
};

struct tee_source tee_source_of(struct dump_source *from, struct dump_sink *to);

#endif
