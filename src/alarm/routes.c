/* routes.c - see routes.h. */
#include "alarm/routes.h"

#include "alarm/reason.h"
#include "base/buffer.h"
#include "base/check.h"
#include "base/random.h"
#include "base/timestamp.h"
#include "json/member.h"

enum { BODY_BYTES_MAX = 64 << 20 };

#define EXEC "exec:"
#define SNS_VERSION "2010-03-31"

static bool is_url(struct slice text) {
    return slice_starts_with(text, SLICE_LITERAL("http://")) ||
           slice_starts_with(text, SLICE_LITERAL("https://"));
}

static bool is_topic(struct slice action) {
    return slice_starts_with(action, SLICE_LITERAL("arn:")) &&
           memmem(action.data, action.len, ":sns:", 5) != NULL;
}

static const struct alarm_topic *find_topic(const struct alarm_routes *routes,
                                            struct slice action) {
    for (size_t i = 0; i < routes->topic_count; i++)
        if (slice_equal(routes->topics[i].arn, action))
            return &routes->topics[i];
    return NULL;
}

struct slice route_refusal(const struct alarm_routes *routes, struct slice action) {
    if (routes->off)
        return SLICE_LITERAL("the server was started with --no-alarm-actions");
    if (is_url(action) || find_topic(routes, action) != NULL)
        return SLICE_NONE;
    if (slice_starts_with(action, SLICE_LITERAL("arn:aws:autoscaling:")))
        return SLICE_LITERAL("auto scaling looks at the metric itself, and needs no message");
    if (!is_topic(action))
        return SLICE_LITERAL("this server sends messages to URLs and SNS topics only");
    if (routes->sns_endpoint == NULL)
        return SLICE_LITERAL("the server was started without --sns-endpoint, and without "
                             "--sns-topic for this one");
    return SLICE_NONE;
}

/* ---- what is sent ---- */

static struct slice take(struct arena *arena, struct buffer *out) {
    CHECK(!out->overflow);
    struct slice text = arena_slice(arena, buffer_slice(out));
    buffer_release(out);
    return text;
}

static void encode(struct buffer *out, const char *name, struct slice value) {
    static const char hex[] = "0123456789ABCDEF";
    buffer_printf(out, "&%s=", name);
    for (size_t i = 0; i < value.len; i++) {
        uint8_t c = value.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            buffer_append_byte(out, c);
            continue;
        }
        buffer_append_byte(out, '%');
        buffer_append_byte(out, (uint8_t)hex[c >> 4]);
        buffer_append_byte(out, (uint8_t)hex[c & 15]);
    }
}

static struct slice publish_form(struct arena *arena, const struct outbox_entry *entry) {
    struct buffer out;
    buffer_init(&out, BODY_BYTES_MAX);
    buffer_append_text(&out, "Action=Publish&Version=" SNS_VERSION);
    encode(&out, "TopicArn", entry->action);
    encode(&out, "Subject", entry->subject);
    encode(&out, "Message", entry->message);
    return take(arena, &out);
}

/* By this header servers for many services tell them apart. The key is made up. */
static struct slice publish_scope(struct arena *arena, const struct alarm_routes *routes,
                                  const struct outbox_entry *entry) {
    char time[TIMESTAMP_CHARS + 1];
    timestamp_print(entry->changed_ms, time);
    return arena_printf(arena,
                        "Authorization: AWS4-HMAC-SHA256 Credential=gramme/%.4s%.2s%.2s/%.*s/sns/"
                        "aws4_request, SignedHeaders=host, Signature=%064d",
                        time, time + 5, time + 8, SLICE_ARGS(routes->region), 0);
}

/* What SNS sends to those who subscribed by HTTP, but for the signature. The same each time that it
 * is tried. */
static struct slice notification(struct arena *arena, const struct outbox_entry *entry) {
    struct buffer out;
    struct json_writer json;
    char time[TIMESTAMP_CHARS + 1];
    timestamp_print(entry->changed_ms, time);
    buffer_init(&out, BODY_BYTES_MAX);
    json_writer_init(&json, &out);
    json_object_begin(&json);
    member_word(&json, "Type", "Notification");
    member_text(&json, "MessageId", entry->key);
    member_text(&json, "TopicArn", entry->action);
    member_text(&json, "Subject", entry->subject);
    member_text(&json, "Message", entry->message);
    member_text(&json, "Timestamp", arena_printf(arena, "%sZ", time));
    json_object_end(&json);
    return take(arena, &out);
}

static struct parcel to_topic(struct arena *arena, const struct outbox_entry *entry,
                              struct slice place) {
    struct slice exec = SLICE_LITERAL(EXEC);
    if (slice_starts_with(place, exec))
        return (struct parcel){.id = entry->key,
                               .by = PARCEL_BY_COMMAND,
                               .to = slice_skip(place, exec.len),
                               .body = entry->message};
    return (struct parcel){
        .id = entry->key,
        .to = place,
        .headers = {SLICE_LITERAL("Content-Type: text/plain; charset=UTF-8"),
                    SLICE_LITERAL("x-amz-sns-message-type: Notification"),
                    arena_printf(arena, "x-amz-sns-message-id: %.*s", SLICE_ARGS(entry->key)),
                    arena_printf(arena, "x-amz-sns-topic-arn: %.*s", SLICE_ARGS(entry->action))},
        .body = notification(arena, entry)};
}

struct parcel route_parcel(struct arena *arena, const struct alarm_routes *routes,
                           const struct outbox_entry *entry) {
    const struct alarm_topic *topic = find_topic(routes, entry->action);
    if (topic != NULL)
        return to_topic(arena, entry, topic->place);
    if (is_url(entry->action))
        return (struct parcel){.id = entry->key,
                               .to = entry->action,
                               .headers = {SLICE_LITERAL("Content-Type: application/json")},
                               .body = entry->message};
    return (struct parcel){
        .id = entry->key,
        .to = slice_text(routes->sns_endpoint),
        .headers = {SLICE_LITERAL("Content-Type: application/x-www-form-urlencoded; "
                                  "charset=utf-8"),
                    publish_scope(arena, routes, entry)},
        .body = publish_form(arena, entry)};
}

bool route_topic_read(const char *text, struct alarm_topic *ret_topic) {
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return false;
    struct alarm_topic topic = {slice_of(text, (size_t)(equals - text)), slice_text(equals + 1)};
    struct slice exec = SLICE_LITERAL(EXEC);
    bool command = slice_starts_with(topic.place, exec) && topic.place.len > exec.len;
    if (!is_topic(topic.arn) || (!is_url(topic.place) && !command))
        return false;
    *ret_topic = topic;
    return true;
}
