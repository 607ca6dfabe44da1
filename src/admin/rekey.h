/* rekey.h - another key for a data directory, or its first, or none: what `gramme rekey` does.
 *
 * Another master key is a new file KEY, in one step, and a server may run meanwhile. To encrypt a
 * plain directory, or the other way round, its store is copied to the other kind beside it and
 * compared; then the directory's marker is replaced, which is the one step that counts; then the
 * old store is removed. A crash before the step leaves the directory as it was, a crash after it
 * as it is to be; what is left over is removed by the next start or the next rekey. */
#ifndef GRAMME_ADMIN_REKEY_H
#define GRAMME_ADMIN_REKEY_H

#include "admin/dump_file.h"
#include "admin/master_key.h"
#include "store/copy.h"

enum rekey_outcome {
    REKEY_CHANGED,   /* encrypted as before, opened by another key */
    REKEY_ENCRYPTED, /* it was plain */
    REKEY_DECRYPTED, /* it is plain */
};

struct rekey_options {
    const char *directory;
    const struct master_key *key;     /* that opens it; NULL: it is plain */
    const struct master_key *new_key; /* that is to open it; NULL: it is to be plain */
    struct dump_observer *observer;
};

struct rekey_summary {
    enum rekey_outcome outcome;
    struct copy_totals totals; /* that were copied */
};

/* Errors are texts for the person at the command line. */
struct error *rekey(struct arena *arena, const struct rekey_options *options,
                    struct rekey_summary *ret_summary);

#endif
