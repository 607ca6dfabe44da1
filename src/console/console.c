/* console.c - see console.h. */
#include "console/console.h"

#include "console/assets.h"
#include "http/coding.h"
#include "json/member.h"

/* Scripts, styles and requests are this server's own, nothing is framed, and no form leads away. */
#define SAFETY                                                                           \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; " \
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "    \
    "frame-ancestors 'none'\r\n"                                                         \
    "X-Content-Type-Options: nosniff\r\n"                                                \
    "X-Frame-Options: DENY\r\n"                                                          \
    "Referrer-Policy: no-referrer\r\n"                                                   \
    "Cross-Origin-Opener-Policy: same-origin\r\n"                                        \
    "Cross-Origin-Resource-Policy: same-origin\r\n"

static const struct console_asset *find(struct slice name) {
    for (const struct console_asset *asset = console_assets; asset->name != NULL; asset++)
        if (slice_is(name, asset->name))
            return asset;
    return NULL;
}

/* Browsers all take gzip; who does not gets it plain. */
static enum http_coding write_body(struct exchange *exchange, const struct console_asset *asset) {
    struct slice packed = slice_of(asset->packed, asset->packed_len);
    if (http_request_accepted_coding(&exchange->request) == HTTP_CODING_GZIP) {
        buffer_append_slice(&exchange->reply, packed);
        return HTTP_CODING_GZIP;
    }
    struct http_coder *coder = http_coder_new();
    buffer_reserve(&exchange->reply, asset->len);
    http_coder_unpack(coder, HTTP_CODING_GZIP, packed, &exchange->reply);
    http_coder_free(coder);
    return HTTP_CODING_NONE;
}

static void send_asset(struct exchange *exchange, const struct console_asset *asset) {
    struct exchange_reply_options options = {.status = 200,
                                             .content_type = slice_text(asset->type)};
    options.headers = arena_printf(&exchange->arena,
                                   SAFETY "Cache-Control: no-cache\r\nETag: %s\r\n", asset->tag);
    if (slice_is(http_request_find(&exchange->request, SLICE_LITERAL("if-none-match")), asset->tag))
        options.status = 304;
    else
        options.coding = write_body(exchange, asset);
    exchange_reply_with(exchange, &options);
}

static void send_server(struct exchange *exchange, const struct console *console) {
    struct json_writer json;
    json_writer_init(&json, &exchange->reply);
    json_object_begin(&json);
    member_text(&json, "region", console->region);
    member_bool(&json, "auth", console->auth);
    member_bool(&json, "nameSpaces", console->name_spaces);
    json_object_end(&json);
    exchange_reply_with(exchange,
                        &(struct exchange_reply_options){
                            .status = 200,
                            .content_type = SLICE_LITERAL("application/json"),
                            .headers = SLICE_LITERAL(SAFETY "Cache-Control: no-store\r\n")});
}

bool console_handle(struct exchange *exchange, const struct console *console) {
    const struct slice files = SLICE_LITERAL("/_gramme/console/");
    const struct http_request *request = &exchange->request;
    bool reads = request->verb == HTTP_VERB_GET || request->verb == HTTP_VERB_HEAD;
    const struct console_asset *asset = NULL;
    if (!reads)
        return false;
    if (slice_is(request->path, "/_gramme/"))
        asset = find(SLICE_LITERAL("index.html"));
    else if (slice_starts_with(request->path, files))
        asset = find(slice_skip(request->path, files.len));
    if (asset != NULL)
        send_asset(exchange, asset);
    else if (slice_is(request->path, "/_gramme/console/server.json"))
        send_server(exchange, console);
    else
        return false;
    return true;
}
