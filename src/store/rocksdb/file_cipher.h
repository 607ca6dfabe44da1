/* file_cipher.h - what an encrypted file of RocksDB looks like.
 *
 * A file begins with a header that holds its own key, sealed by the key of the directory; what
 * follows is the file's content, encrypted by its offset from the header's end (crypto/cipher.h).
 * Integers are little-endian.
 *   OFFSET SIZE  MEANING
 *   0      12    "gramme file\n"
 *   12     4     format: 1
 *   16     60    the file's key, sealed in the context of the 16 bytes before it
 *   76     4020  zeros
 * A page of header leaves the pages of the content where RocksDB thinks they are.
 *
 * A header that was never synced may be missing after a loss of power, or be zeros: then nothing
 * in the file was promised to anybody, and it counts as empty, as RocksDB's logs do at their end.
 *
 * This header is also read by C++ (encrypted_files.cc), which gets at the functions through
 * `file_cipher_calls`. Threads: any. */
#ifndef GRAMME_STORE_ROCKSDB_FILE_CIPHER_H
#define GRAMME_STORE_ROCKSDB_FILE_CIPHER_H

#include <stddef.h>
#include <stdint.h>

enum { FILE_HEADER_BYTES = 4096 };

enum file_state {
    FILE_KEYED,   /* its content can be read */
    FILE_EMPTY,   /* it has none */
    FILE_FOREIGN, /* not encrypted by this directory's key */
};

struct arena;
struct ctr;
struct keyring;
struct file_cipher;

struct file_cipher_calls {
    /* The key of a new file, and the FILE_HEADER_BYTES that it begins with. */
    struct ctr *(*create)(struct file_cipher *cipher, uint8_t *ret_header);
    /* The key of a file that begins with so many bytes, up to FILE_HEADER_BYTES; unless it is keyed
     * there is none. */
    enum file_state (*open)(struct file_cipher *cipher, const uint8_t *header, size_t len,
                            struct ctr **ret_key);
    void (*apply)(struct ctr *key, uint64_t offset, const void *from, void *to, size_t len);
    void (*release)(struct ctr *key);
};

extern const struct file_cipher_calls file_cipher_calls;

struct error *file_cipher_new(struct arena *arena, const struct keyring *keyring,
                              struct file_cipher **ret_cipher);
/* After all keys of its files. file_cipher_free(NULL) is fine. */
void file_cipher_free(struct file_cipher *cipher);

#endif
