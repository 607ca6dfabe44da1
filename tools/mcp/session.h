/* session.h - the Model Context Protocol: a message of JSON-RPC in, its answer out.
 *
 * An assistant that writes an application on the database looks at it through this: it lists the
 * tools, and calls them. Results are bounded: in items by a Limit that is always sent, in bytes by
 * a refusal that says how to ask for less. Without `writing` nothing is changed, whatever is asked.
 * Memory: what is made for a message lives in the arena of the call. One thread. */
#ifndef GRAMME_MCP_SESSION_H
#define GRAMME_MCP_SESSION_H

#include "base/arena.h"
#include "base/buffer.h"

/* The most bytes of a message, and of an answer of the database's that is passed on. */
enum { MCP_MESSAGE_BYTES_MAX = 4 * 1024 * 1024, MCP_RESULT_BYTES_MAX = 256 * 1024 };

struct mcp_session {
    const char *version; /* the program's */
    bool writing;
    /* Sends a request, whose body ends with a NUL. The text is the reply's, or, when false is
     * returned, one that says what is wrong. */
    bool (*call)(void *context, struct arena *arena, const char *operation, struct slice body,
                 struct slice *ret_text);
    void *context;
};

/* Appends the answer, without a line's end; nothing when the message wants none. */
void mcp_answer(const struct mcp_session *session, struct arena *arena, struct slice message,
                struct buffer *out);
/* The answer to a message that is longer than it may be. */
void mcp_refuse_length(struct buffer *out);

#endif
