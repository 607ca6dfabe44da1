/* own_reply.c - see own_reply.h. */
#include "pipeline/own_reply.h"

void own_reply_begin(struct exchange *exchange, struct json_writer *ret_json) {
    json_writer_init(ret_json, &exchange->reply);
    json_object_begin(ret_json);
}

void own_reply_end(struct exchange *exchange, struct json_writer *json, const struct error *error) {
    if (error != NULL)
        member_text(json, "message", error->message);
    json_object_end(json);
    buffer_append_text(&exchange->reply, "\n");
    exchange_reply_with(exchange, &(struct exchange_reply_options){
                                      .status = error == NULL ? 200 : 400,
                                      .content_type = SLICE_LITERAL("application/json")});
}
