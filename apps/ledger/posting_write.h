/* posting_write.h - the writes of a posting, all in one transaction. */
#ifndef LEDGER_POSTING_WRITE_H
#define LEDGER_POSTING_WRITE_H

#include "posting.h"

enum posting_write {
    POSTING_NEW,      /* the transaction, completed, its legs and the accounts */
    POSTING_PENDING,  /* the transaction only */
    POSTING_COMPLETE, /* its legs and the accounts; the transaction was pending */
};

/* False when it was cancelled or failed; the client knows. */
bool posting_write(struct app *app, const struct posting *posting, enum posting_write what);

/* A name that belongs to the text, as a UUID of version 8. */
void uuid_from_text(const char *purpose, const char *text, char ret_id[UUID_TEXT_SIZE]);

#endif
