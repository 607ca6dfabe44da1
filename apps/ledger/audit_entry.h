/* audit_entry.h - an entry of the audit trail: one change of the table, sealed.
 *
 *     table FinancialTransactionsAudit, Day and Number -> of every change, numbered from 1 on,
 *     RecordedAt, whose day is Day and which never goes back; ChangedAt, when it happened;
 *     Event, INSERT, MODIFY or REMOVE, or EXPIRE when its time to live removed the item;
 *     Sequence, its number in the stream; Account, where it is about one: then it is in the index
 *     ByAccount; Key, Old and New, as DynamoDB's JSON: of Old and New only what is different;
 *     Previous, the digest of the entry before; and Digest
 *
 * The digest is SHA-256, in hexadecimal digits, of these lines, each with a newline at its end:
 * Previous, Number, RecordedAt, ChangedAt, Event, Sequence, Account, Key, Old, New. So nothing of
 * an entry can be changed, and none taken out, without all that follow being different.
 *
 * Two events are none of the table: BEGIN, the first entry, before which nothing is known, and GAP:
 * changes from ChangedAt on may be missing, for the stream has lost them.
 *
 * Memory: texts belong to the entry; audit_entry_release(). */
#ifndef LEDGER_AUDIT_ENTRY_H
#define LEDGER_AUDIT_ENTRY_H

#include "common/timestamp.h"
#include "entity.h"

#define AUDIT_TABLE LEDGER_TABLE "Audit"

enum { AUDIT_DIGEST_SIZE = 65, AUDIT_SEQUENCE_SIZE = 41, AUDIT_DAY_SIZE = 11 };

struct audit_entry {
    int64_t number;
    char recorded_at[TIMESTAMP_SIZE];
    char changed_at[TIMESTAMP_SIZE];
    char event[8];
    char sequence[AUDIT_SEQUENCE_SIZE]; /* "": of no change */
    char account[LEDGER_ID_SIZE];       /* "": about none */
    char *key;
    char *old; /* {} when there is nothing; "sha256 ..." of a text that is too long to keep */
    char *new;
    char previous[AUDIT_DIGEST_SIZE];
    char digest[AUDIT_DIGEST_SIZE];
};

/* What a change comes to, and what is none; neither is sealed. */
void audit_entry_of(const struct ddb_record *record, struct audit_entry *ret_entry);
void audit_entry_mark(const char *event, const char *changed_at, struct audit_entry *ret_entry);
void audit_entry_release(struct audit_entry *entry);

/* Bytes of its texts. */
size_t audit_entry_size(const struct audit_entry *entry);
/* Sets the digest by what else the entry has. */
void audit_entry_seal(struct audit_entry *entry);
bool audit_entry_is_sealed(const struct audit_entry *entry);

/* As an item, which is yours, and back. False when it is none. */
struct ddb_item *audit_entry_item(const struct audit_entry *entry);
bool audit_entry_read(const struct ddb_item *item, struct audit_entry *ret_entry);

#endif
