/* access_audit.h - a line of the audit log for a command that changes users, roles or keys. */
#ifndef GRAMME_SERVER_ACCESS_AUDIT_H
#define GRAMME_SERVER_ACCESS_AUDIT_H

#include "audit/audit_log.h"
#include "base/buffer.h"

/* After it was run. Of what it was asked and what it answered only names are told:
 *   {"time":"...","control":"create-key","user":"anna","made":"AKIA...","outcome":"ok"}
 * An error's text is for the person who asked, and so the outcome is "failed". */
void access_audit(struct audit_log *log, struct arena *arena, struct slice input,
                  const struct buffer *output, const struct error *error);

#endif
