/* command.h - what can be asked of users, roles and keys: a JSON object in, one out.
 *
 * So the command line, a running server and a directory at rest have one language. The member
 * "command" names what to do; errors are sentences for the person who asked.
 * A secret stands in an answer once: in that to the command that made it. */
#ifndef GRAMME_IAM_COMMAND_H
#define GRAMME_IAM_COMMAND_H

#include "base/buffer.h"
#include "base/clock.h"
#include "iam/iam.h"

struct error *iam_run_command(struct iam *iam, const struct clock *clock, struct arena *arena,
                              struct slice input, struct buffer *output);

/* Whether a command of that name changes something when all is well. */
bool iam_command_changes(struct slice name);

/* Makes a key for the owner when there is none that opens here. `ret_key` has an absent id when
 * there is one. */
struct error *iam_make_first_key(struct iam *iam, const struct clock *clock, struct arena *arena,
                                 struct access_key *ret_key);

#endif
