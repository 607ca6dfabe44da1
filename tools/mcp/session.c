/* session.c - see session.h. */
#include "mcp/session.h"

#include "json/member.h"
#include "json/text.h"
#include "json/tree.h"
#include "mcp/tools.h"

enum { LIMIT_PRESET = 25 };

/* JSON-RPC's own numbers. */
enum {
    NO_JSON = -32700,
    NO_REQUEST = -32600,
    NO_METHOD = -32601,
    WRONG_PARAMETERS = -32602,
};

/* The versions of the protocol that are understood; the first one is answered to any other. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05", NULL};

#define INSTRUCTIONS                                                                         \
    "A database with the API of DynamoDB. Members and values are the API's own: a value is " \
    "written with its type, as {\"S\": \"text\"} or {\"N\": \"1.5\"}. Pages end with "       \
    "LastEvaluatedKey or NextToken when there is more. "

/* ---- answers ---- */

struct exchange {
    const struct mcp_session *session;
    struct arena *arena;
    struct slice message;
    const struct json_value *id; /* NULL: a notification, which gets no answer */
    struct json_writer json;
};

static void write_id(struct exchange *exchange) {
    const struct json_value *id = exchange->id;
    member_word(&exchange->json, "jsonrpc", "2.0");
    json_name(&exchange->json, slice_text("id"));
    if (id == NULL) {
        json_null(&exchange->json);
    } else if (id->kind == JSON_STRING) {
        json_string(&exchange->json, id->text);
    } else {
        buffer_append_slice(exchange->json.out, id->text);
        exchange->json.comma = true;
    }
}

static void answer_error(struct exchange *exchange, int code, struct slice message) {
    json_object_begin(&exchange->json);
    write_id(exchange);
    member_object(&exchange->json, "error");
    member_integer(&exchange->json, "code", code);
    member_text(&exchange->json, "message", message);
    json_object_end(&exchange->json);
    json_object_end(&exchange->json);
}

static void result_begin(struct exchange *exchange) {
    json_object_begin(&exchange->json);
    write_id(exchange);
    member_object(&exchange->json, "result");
}

static void result_end(struct exchange *exchange) {
    json_object_end(&exchange->json);
    json_object_end(&exchange->json);
}

/* What a tool says, whether it worked or not: the assistant reads either. */
static void answer_text(struct exchange *exchange, struct slice text, bool failed) {
    result_begin(exchange);
    member_array(&exchange->json, "content");
    json_object_begin(&exchange->json);
    member_word(&exchange->json, "type", "text");
    member_text(&exchange->json, "text", text);
    json_object_end(&exchange->json);
    json_array_end(&exchange->json);
    member_bool(&exchange->json, "isError", failed);
    result_end(exchange);
}

/* ---- initialize ---- */

static const char *agreed_version(const struct json_value *parameters) {
    struct slice wanted = json_find_text(parameters, "protocolVersion");
    for (const char *const *version = versions; *version != NULL; version++)
        if (slice_is(wanted, *version))
            return *version;
    return versions[0];
}

static void initialize(struct exchange *exchange, const struct json_value *parameters) {
    struct json_writer *json = &exchange->json;
    result_begin(exchange);
    member_word(json, "protocolVersion", agreed_version(parameters));
    member_object(json, "capabilities");
    member_object(json, "tools");
    json_object_end(json);
    json_object_end(json);
    member_object(json, "serverInfo");
    member_word(json, "name", "gramme");
    member_word(json, "version", exchange->session->version);
    json_object_end(json);
    member_word(json, "instructions",
                exchange->session->writing ? INSTRUCTIONS "Items may be written."
                                           : INSTRUCTIONS "Nothing can be changed.");
    result_end(exchange);
}

/* ---- tools/list ---- */

static const char *const kinds[] = {
    [MCP_TEXT] = "string",   [MCP_OBJECT] = "object", [MCP_ARRAY] = "array",
    [MCP_COUNT] = "integer", [MCP_FLAG] = "boolean",
};

static void write_member(struct json_writer *json, const struct mcp_tool *tool,
                         const struct mcp_member *member) {
    member_object(json, member->name);
    member_word(json, "type", kinds[member->kind]);
    member_word(json, "description", member->help);
    if (member->kind == MCP_COUNT) {
        member_integer(json, "minimum", 1);
        member_integer(json, "maximum", tool->limit_max);
    }
    json_object_end(json);
}

static void write_schema(struct json_writer *json, const struct mcp_tool *tool) {
    member_object(json, "inputSchema");
    member_word(json, "type", "object");
    member_object(json, "properties");
    for (const struct mcp_member *member = tool->members; member->name != NULL; member++)
        write_member(json, tool, member);
    json_object_end(json);
    member_array(json, "required");
    for (const struct mcp_member *member = tool->members; member->name != NULL; member++)
        if (member->needed)
            json_string(json, slice_text(member->name));
    json_array_end(json);
    member_bool(json, "additionalProperties", false);
    json_object_end(json);
}

static bool is_there(const struct mcp_session *session, const struct mcp_tool *tool) {
    return session->writing || tool->effect != MCP_WRITES;
}

static bool only_reads(const struct mcp_session *session, const struct mcp_tool *tool) {
    return tool->effect == MCP_READS || (tool->effect == MCP_MAY_WRITE && !session->writing);
}

static void list_tools(struct exchange *exchange) {
    struct json_writer *json = &exchange->json;
    result_begin(exchange);
    member_array(json, "tools");
    for (const struct mcp_tool *tool = mcp_tools; tool->name != NULL; tool++) {
        if (!is_there(exchange->session, tool))
            continue;
        json_object_begin(json);
        member_word(json, "name", tool->name);
        member_word(json, "description", tool->help);
        write_schema(json, tool);
        member_object(json, "annotations");
        member_bool(json, "readOnlyHint", only_reads(exchange->session, tool));
        json_object_end(json);
        json_object_end(json);
    }
    json_array_end(json);
    result_end(exchange);
}

/* ---- tools/call ---- */

static bool fits(const struct mcp_member *member, enum json_token kind) {
    switch (member->kind) {
    case MCP_TEXT:
        return kind == JSON_STRING;
    case MCP_OBJECT:
        return kind == JSON_OBJECT_BEGIN;
    case MCP_ARRAY:
        return kind == JSON_ARRAY_BEGIN;
    case MCP_COUNT:
        return kind == JSON_INTEGER;
    case MCP_FLAG:
        return kind == JSON_TRUE || kind == JSON_FALSE;
    }
    return false;
}

/* A positive number of few digits; 0: it is none. */
static uint32_t count_of(struct slice text) {
    uint32_t n = 0;
    if (text.len == 0 || text.len > 6)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return 0;
        n = n * 10 + (uint32_t)(text.data[i] - '0');
    }
    return n;
}

/* The text that says what is wrong with an argument; absent when nothing is. A name that is there
 * twice is wrong: what was judged must be what the server takes. */
static struct slice judge_argument(struct arena *arena, const struct mcp_tool *tool,
                                   const struct json_value *argument) {
    const struct mcp_member *member = mcp_member_find(tool, argument->name);
    for (const struct json_value *other = argument->next; other != NULL; other = other->next)
        if (slice_equal(other->name, argument->name))
            return arena_printf(arena, "%.*s is there twice", SLICE_ARGS(argument->name));
    if (member == NULL)
        return arena_printf(arena, "%s takes no %.*s", tool->name, SLICE_ARGS(argument->name));
    if (!fits(member, argument->kind))
        return arena_printf(arena, "%s is to be of type %s", member->name, kinds[member->kind]);
    uint32_t count = member->kind == MCP_COUNT ? count_of(argument->text) : 1;
    if (count == 0 || (member->kind == MCP_COUNT && count > tool->limit_max))
        return arena_printf(arena, "%s is to be from 1 to %u", member->name, tool->limit_max);
    return SLICE_NONE;
}

static struct slice judge_arguments(struct arena *arena, const struct mcp_tool *tool,
                                    const struct json_value *arguments) {
    const struct json_value *first = arguments == NULL ? NULL : arguments->first;
    for (const struct json_value *each = first; each != NULL; each = each->next) {
        struct slice wrong = judge_argument(arena, tool, each);
        if (slice_present(wrong))
            return wrong;
    }
    for (const struct mcp_member *member = tool->members; member->name != NULL; member++)
        if (member->needed && json_find(arguments, member->name) == NULL)
            return arena_printf(arena, "%s needs %s", tool->name, member->name);
    return SLICE_NONE;
}

static bool is_select(struct slice statement) {
    size_t at = 0;
    while (at < statement.len && strchr(" \t\r\n", statement.data[at]) != NULL)
        at++;
    if (statement.len - at < 7 || strchr(" \t\r\n", statement.data[at + 6]) == NULL)
        return false;
    return slice_equal_ignoring_case((struct slice){statement.data + at, 6}, slice_text("SELECT"));
}

/* Whether a call of that tool would change something that may not be. */
static bool is_forbidden(const struct mcp_session *session, const struct mcp_tool *tool,
                         const struct json_value *arguments) {
    if (session->writing || tool->effect == MCP_READS)
        return false;
    return tool->effect == MCP_WRITES || !is_select(json_find_text(arguments, "Statement"));
}

/* The arguments as they stand in the message, from the brace that opens them, with a Limit where
 * there is none. */
static struct slice body_of(struct exchange *exchange, const struct mcp_tool *tool,
                            const struct json_value *arguments) {
    struct slice members = slice_text("{}");
    if (arguments != NULL) {
        struct slice rest = {exchange->message.data + arguments->at,
                             exchange->message.len - arguments->at};
        struct json_reader reader;
        json_reader_init(&reader, rest, exchange->arena);
        json_next(&reader);
        json_skip(&reader);
        members = (struct slice){rest.data, (size_t)(reader.next - rest.data)};
    }
    if (tool->limit_max == 0 || json_find(arguments, "Limit") != NULL)
        return arena_printf(exchange->arena, "%.*s", SLICE_ARGS(members));
    bool empty = arguments == NULL || arguments->first == NULL;
    return arena_printf(exchange->arena, "{\"Limit\":%d%s%.*s", LIMIT_PRESET, empty ? "" : ",",
                        (int)members.len - 1, (const char *)members.data + 1);
}

static void call_operation(struct exchange *exchange, const struct mcp_tool *tool,
                           const struct json_value *arguments) {
    struct slice text;
    bool good = exchange->session->call(exchange->session->context, exchange->arena,
                                        tool->operation, body_of(exchange, tool, arguments), &text);
    if (good && text.len > MCP_RESULT_BYTES_MAX)
        answer_text(exchange,
                    arena_printf(exchange->arena,
                                 "the answer has %zu bytes, of which none are shown: at most %d "
                                 "are. Ask for fewer items by Limit, or for fewer attributes by "
                                 "ProjectionExpression.",
                                 text.len, MCP_RESULT_BYTES_MAX),
                    true);
    else
        answer_text(exchange, text, !good);
}

static void call_tool(struct exchange *exchange, const struct json_value *parameters) {
    struct slice name = json_find_text(parameters, "name");
    const struct json_value *arguments = json_find(parameters, "arguments");
    const struct mcp_tool *tool = mcp_tool_find(name);
    if (tool == NULL) {
        answer_error(exchange, WRONG_PARAMETERS,
                     arena_printf(exchange->arena, "there is no tool %.*s", SLICE_ARGS(name)));
        return;
    }
    if (arguments != NULL && arguments->kind != JSON_OBJECT_BEGIN) {
        answer_error(exchange, WRONG_PARAMETERS, slice_text("arguments is to be an object"));
        return;
    }
    struct slice wrong = judge_arguments(exchange->arena, tool, arguments);
    if (!slice_present(wrong) && is_forbidden(exchange->session, tool, arguments))
        wrong = slice_text("nothing can be changed here: gramme mcp was started without --write");
    if (slice_present(wrong))
        answer_text(exchange, wrong, true);
    else
        call_operation(exchange, tool, arguments);
}

/* ---- a message ---- */

static void answer_method(struct exchange *exchange, struct slice method,
                          const struct json_value *parameters) {
    if (slice_is(method, "initialize")) {
        initialize(exchange, parameters);
    } else if (slice_is(method, "tools/list")) {
        list_tools(exchange);
    } else if (slice_is(method, "tools/call")) {
        call_tool(exchange, parameters);
    } else if (slice_is(method, "ping")) {
        result_begin(exchange);
        result_end(exchange);
    } else {
        answer_error(exchange, NO_METHOD,
                     arena_printf(exchange->arena, "there is no method %.*s", SLICE_ARGS(method)));
    }
}

void mcp_answer(const struct mcp_session *session, struct arena *arena, struct slice message,
                struct buffer *out) {
    struct exchange exchange = {.session = session, .arena = arena, .message = message};
    json_writer_init(&exchange.json, out);
    const struct json_value *request = json_tree_read(arena, message, NULL);
    if (request == NULL) {
        answer_error(&exchange, NO_JSON, slice_text("this is not JSON"));
        return;
    }
    const struct json_value *id = json_find(request, "id");
    struct slice method = json_find_text(request, "method");
    bool good_id = id == NULL || id->kind == JSON_STRING || id->kind == JSON_INTEGER;
    if (!slice_present(method) || !good_id) {
        /* An answer to something that was never asked is nothing to answer. */
        if (request->kind != JSON_OBJECT_BEGIN || json_find(request, "result") == NULL)
            answer_error(&exchange, NO_REQUEST, slice_text("this is no request of JSON-RPC"));
        return;
    }
    exchange.id = id;
    if (id != NULL)
        answer_method(&exchange, method, json_find(request, "params"));
}

void mcp_refuse_length(struct buffer *out) {
    struct exchange exchange = {.id = NULL};
    json_writer_init(&exchange.json, out);
    answer_error(&exchange, NO_REQUEST, slice_text("a message has at most 4 MB"));
}
