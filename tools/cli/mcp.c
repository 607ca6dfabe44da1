/* mcp.c - `gramme mcp`: the tables of a server for an assistant, by the Model Context Protocol over
 * standard input and output, a message a line. */
#include <signal.h>
#include <stdio.h>

#include "base/buffer.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/service.h"
#include "mcp/session.h"

struct mcp_options {
    const char *endpoint;
    const char *region;
    bool writing;
    double timeout_s;
};

/* Whose server it is, and how long it may take for a call, with all attempts. */
struct asked {
    struct service service;
    int64_t timeout_ms;
};

static bool call(void *context, struct arena *arena, const char *operation, struct slice body,
                 struct slice *ret_text) {
    struct asked *asked = context;
    struct service *service = &asked->service;
    ddb_client_set_deadline(service->client, asked->timeout_ms);
    const char *text = ddb_call(service->client, operation, (const char *)body.data);
    if (text == NULL) {
        service->arena = arena;
        bool late = ddb_client_error(service->client)->kind == DDB_ERROR_TIMEOUT;
        struct slice message = service_error(service, operation)->message;
        *ret_text =
            late ? arena_printf(arena, "no answer from %s in %g seconds: %.*s", service->endpoint,
                                (double)asked->timeout_ms / 1000, SLICE_ARGS(message))
                 : message;
        return false;
    }
    *ret_text = arena_slice(arena, slice_text(text));
    return true;
}

/* False at the end of the input. What does not fit is read all the same, and overflows. */
static bool read_line(FILE *in, struct buffer *line) {
    buffer_reset(line);
    line->overflow = false;
    int c;
    while ((c = getc_unlocked(in)) != EOF && c != '\n')
        buffer_append_byte(line, (uint8_t)c);
    return c != EOF || line->len > 0;
}

static bool answer_line(const struct mcp_session *session, struct arena *arena,
                        const struct buffer *line, struct buffer *answer) {
    buffer_reset(answer);
    if (line->overflow)
        mcp_refuse_length(answer);
    else if (line->len > 0)
        mcp_answer(session, arena, buffer_slice(line), answer);
    arena_reset(arena);
    if (answer->len == 0)
        return true;
    buffer_append_byte(answer, '\n');
    return fwrite(answer->data, 1, answer->len, stdout) == answer->len && fflush(stdout) == 0;
}

static void converse(const struct mcp_session *session) {
    struct arena arena;
    struct buffer line, answer;
    arena_init(&arena);
    buffer_init(&line, MCP_MESSAGE_BYTES_MAX);
    /* A result is escaped in it: each byte may become six. */
    buffer_init(&answer, (size_t)8 * MCP_MESSAGE_BYTES_MAX);
    while (read_line(stdin, &line) && answer_line(session, &arena, &line, &answer))
        ;
    buffer_release(&answer);
    buffer_release(&line);
    arena_release(&arena);
}

static int run_mcp(const struct invocation *invocation) {
    const struct mcp_options *options = invocation->values;
    struct asked asked = {.timeout_ms = (int64_t)(options->timeout_s * 1000)};
    struct error *error =
        service_open(&asked.service, invocation->arena,
                     &(struct service_options){.endpoint = options->endpoint,
                                               .region = service_region(options->region)});
    if (error == NULL)
        converse(&(struct mcp_session){GRAMME_VERSION, options->writing, call, &asked});
    else
        say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    service_close(&asked.service);
    return error == NULL ? 0 : 1;
}

static const struct option mcp_options[] = {
    {"endpoint", "URL", .help = "server to talk to", .kind = OPTION_TEXT,
     OPTION_AT(struct mcp_options, endpoint), .otherwise = SERVICE_ENDPOINT_DEFAULT},
    {"region", "NAME", .help = "region", .kind = OPTION_TEXT, OPTION_AT(struct mcp_options, region),
     .otherwise = SERVICE_REGION_DEFAULT},
    {"timeout", "SECONDS", .kind = OPTION_SECONDS, OPTION_AT(struct mcp_options, timeout_s),
     .decimal = {0.1, 600}, .preset = "20",
     .help = "how long the server may take for what the assistant asks"},
    {"write", NULL, .help = "let items be written, and tables be made", .kind = OPTION_FLAG,
     OPTION_AT(struct mcp_options, writing), .otherwise = "nothing can be changed"},
    {.name = NULL},
};

const struct command command_mcp = {
    .name = "mcp",
    .summary = "show tables to an assistant, by the Model Context Protocol",
    .about = "Answers an assistant that runs it, over standard input and output: tables, items, "
             "queries, PartiQL. Results are bounded.",
    .closing = "In the assistant's settings: {\"mcpServers\": {\"gramme\": {\"command\": "
               "\"gramme\", \"args\": [\"mcp\"]}}}",
    .options = mcp_options,
    .values_size = sizeof(struct mcp_options),
    .run = run_mcp,
};
