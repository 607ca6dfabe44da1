/* policy_file.h - the file with the policy of all callers: read, and read again.
 *
 * What cannot be understood is told in the log, and what is in force stays. Those that another text
 * has replaced stay until the end, some kilobytes each: a request may decide by one. Threads: one,
 * but for what looks at policy_file_common(). */
#ifndef GRAMME_SERVER_POLICY_FILE_H
#define GRAMME_SERVER_POLICY_FILE_H

#include "base/error.h"
#include "policy/common.h"

struct policy_file;

/* The name of the file must stay. */
struct error *policy_file_open(struct arena *arena, const char *path,
                               struct policy_file **ret_file);
void policy_file_close(struct policy_file *file); /* NULL is fine */

/* Of NULL it is NULL. */
const struct common_policy *policy_file_common(const struct policy_file *file);
/* The log tells how that went. */
void policy_file_reload(struct policy_file *file);

#endif
