/* own_reply.h - answers of the routes below /_gramme/: an object of JSON and a line end.
 *
 *     own_reply_begin(exchange, &json);
 *     if (error == NULL) ... its members ...
 *     own_reply_end(exchange, &json, error);
 */
#ifndef GRAMME_PIPELINE_OWN_REPLY_H
#define GRAMME_PIPELINE_OWN_REPLY_H

#include "endpoint/endpoint.h"
#include "json/member.h"

void own_reply_begin(struct exchange *exchange, struct json_writer *ret_json);
/* 200; or with an error 400 and its message, and no other member. */
void own_reply_end(struct exchange *exchange, struct json_writer *json, const struct error *error);

#endif
