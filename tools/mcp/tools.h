/* tools.h - what an assistant may ask for: operations of the API under names of their own, with
 * those of their members that are of use to it.
 *
 * Plain constant data. Members and values are the API's own, so that what is learned here is true
 * elsewhere. */
#ifndef GRAMME_MCP_TOOLS_H
#define GRAMME_MCP_TOOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum mcp_kind { MCP_TEXT, MCP_OBJECT, MCP_ARRAY, MCP_COUNT, MCP_FLAG };

struct mcp_member {
    const char *name; /* NULL ends a table */
    enum mcp_kind kind;
    bool needed;
    const char *help;
};

/* What writes is there only when writing is allowed; what may write is judged by its statement. */
enum mcp_effect { MCP_READS, MCP_MAY_WRITE, MCP_WRITES };

struct mcp_tool {
    const char *name; /* NULL ends the table */
    const char *operation;
    const char *help;
    const struct mcp_member *members;
    enum mcp_effect effect;
    uint32_t limit_max; /* of its member Limit; 0: it has none */
};

extern const struct mcp_tool mcp_tools[];

/* NULL when there is none. */
const struct mcp_tool *mcp_tool_find(struct slice name);
const struct mcp_member *mcp_member_find(const struct mcp_tool *tool, struct slice name);

#endif
