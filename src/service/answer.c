/* answer.c - see answer.h. */
#include "service/answer.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "query/xml.h"

enum { CBOR_TEXT = 0x60, CBOR_LIST = 0x80, CBOR_MAP = 0xA0, CBOR_TAG_TIME = 0xC1 };
enum { CBOR_NEGATIVE = 0x20, CBOR_FALSE = 0xF4, CBOR_TRUE = 0xF5, CBOR_DOUBLE = 0xFB };
enum { CBOR_1 = 24, CBOR_4 = 26, CBOR_8 = 27 };

/* ---- CBOR ---- */

static void cbor_head(struct buffer *out, uint8_t major, uint64_t n) {
    uint8_t bytes[9];
    size_t len = n < CBOR_1 ? 0 : n <= UINT8_MAX ? 1 : n <= UINT32_MAX ? 4 : 8;
    bytes[0] = (uint8_t)(major | (len == 0 ? n : len == 1 ? CBOR_1 : len == 4 ? CBOR_4 : CBOR_8));
    for (size_t i = 0; i < len; i++)
        bytes[1 + i] = (uint8_t)(n >> 8 * (len - 1 - i));
    buffer_append(out, bytes, 1 + len);
}

static void cbor_text(struct buffer *out, struct slice text) {
    cbor_head(out, CBOR_TEXT, text.len);
    buffer_append_slice(out, text);
}

static void cbor_double(struct buffer *out, double n) {
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, &n, sizeof(bits));
    store_u64_be(bytes, bits);
    buffer_append_byte(out, CBOR_DOUBLE);
    buffer_append(out, bytes, sizeof(bytes));
}

/* With room for its count, which is known when it ends. */
static void cbor_open(struct answer *answer, bool list) {
    uint8_t head[5] = {(uint8_t)((list ? CBOR_LIST : CBOR_MAP) | CBOR_4)};
    buffer_append(answer->out, head, sizeof(head));
    answer->open[answer->depth].count_at = answer->out->len - 4;
}

static void cbor_close(struct answer *answer) {
    if (!answer->out->overflow)
        store_u32_be(answer->out->data + answer->open[answer->depth].count_at,
                     answer->open[answer->depth].count);
}

/* ---- what all values have ---- */

/* What stands before a value. */
static void begin(struct answer *answer, const char *name) {
    CHECK((name == NULL) == answer->open[answer->depth].list);
    answer->open[answer->depth].count++;
    if (answer->form == ANSWER_JSON && name != NULL)
        json_name(&answer->json, slice_text(name));
    else if (answer->form == ANSWER_CBOR && name != NULL)
        cbor_text(answer->out, slice_text(name));
}

static const char *element(const char *name) {
    return name == NULL ? "member" : name;
}

static void open(struct answer *answer, const char *name, bool list) {
    begin(answer, name);
    CHECK(++answer->depth < ANSWER_DEPTH_MAX);
    answer->open[answer->depth].name = element(name);
    answer->open[answer->depth].list = list;
    answer->open[answer->depth].count = 0;
    if (answer->form == ANSWER_CBOR)
        cbor_open(answer, list);
    else if (answer->form == ANSWER_XML)
        xml_open(answer->out, element(name));
    else if (list)
        json_array_begin(&answer->json);
    else
        json_object_begin(&answer->json);
}

void answer_init(struct answer *answer, enum answer_form form, struct buffer *out) {
    *answer = (struct answer){.form = form, .out = out};
    json_writer_init(&answer->json, out);
    if (form == ANSWER_CBOR)
        cbor_open(answer, false);
    else if (form == ANSWER_JSON)
        json_object_begin(&answer->json);
}

void answer_finish(struct answer *answer) {
    CHECK(answer->depth == 0);
    if (answer->form == ANSWER_CBOR)
        cbor_close(answer);
    else if (answer->form == ANSWER_JSON)
        json_object_end(&answer->json);
}

void answer_object(struct answer *answer, const char *name) {
    open(answer, name, false);
}

void answer_list(struct answer *answer, const char *name) {
    open(answer, name, true);
}

void answer_end(struct answer *answer) {
    CHECK(answer->depth > 0);
    if (answer->form == ANSWER_CBOR)
        cbor_close(answer);
    else if (answer->form == ANSWER_XML)
        xml_close(answer->out, answer->open[answer->depth].name);
    else if (answer->open[answer->depth].list)
        json_array_end(&answer->json);
    else
        json_object_end(&answer->json);
    answer->depth--;
}

/* ---- values ---- */

void answer_text(struct answer *answer, const char *name, struct slice text) {
    begin(answer, name);
    if (answer->form == ANSWER_JSON)
        json_string(&answer->json, text);
    else if (answer->form == ANSWER_CBOR)
        cbor_text(answer->out, text);
    else
        xml_text(answer->out, element(name), text);
}

void answer_word(struct answer *answer, const char *name, const char *word) {
    answer_text(answer, name, slice_text(word));
}

/* XML has numbers as JSON writes them. */
static struct json_writer *begin_number(struct answer *answer, const char *name) {
    begin(answer, name);
    if (answer->form == ANSWER_XML) {
        xml_open(answer->out, element(name));
        answer->json.comma = false;
    }
    return &answer->json;
}

static void end_number(struct answer *answer, const char *name) {
    if (answer->form == ANSWER_XML)
        xml_close(answer->out, element(name));
}

void answer_number(struct answer *answer, const char *name, double n) {
    struct json_writer *json = begin_number(answer, name);
    if (answer->form == ANSWER_CBOR)
        cbor_double(answer->out, n);
    else
        json_double(json, n);
    end_number(answer, name);
}

void answer_entry(struct answer *answer, const char *key, double n) {
    if (answer->form != ANSWER_XML) {
        answer_number(answer, key, n);
        return;
    }
    xml_open(answer->out, "entry");
    xml_text(answer->out, "key", slice_text(key));
    answer_number(answer, "value", n);
    xml_close(answer->out, "entry");
}

void answer_integer(struct answer *answer, const char *name, int64_t n) {
    struct json_writer *json = begin_number(answer, name);
    if (answer->form == ANSWER_CBOR)
        cbor_head(answer->out, n < 0 ? CBOR_NEGATIVE : 0,
                  n < 0 ? (uint64_t) - (n + 1) : (uint64_t)n);
    else
        json_integer(json, n);
    end_number(answer, name);
}

void answer_bool(struct answer *answer, const char *name, bool truth) {
    struct json_writer *json = begin_number(answer, name);
    if (answer->form == ANSWER_CBOR)
        buffer_append_byte(answer->out, truth ? CBOR_TRUE : CBOR_FALSE);
    else
        json_bool(json, truth);
    end_number(answer, name);
}

static void xml_time(struct answer *answer, const char *name, int64_t ms) {
    char text[TIMESTAMP_CHARS + 2];
    timestamp_print(ms, text);
    size_t len = ms % 1000 == 0 ? TIMESTAMP_CHARS - 4 : TIMESTAMP_CHARS;
    memcpy(text + len, "Z", 2);
    xml_text(answer->out, element(name), slice_text(text));
}

void answer_time(struct answer *answer, const char *name, int64_t ms) {
    begin(answer, name);
    if (answer->form == ANSWER_CBOR) {
        buffer_append_byte(answer->out, CBOR_TAG_TIME);
        cbor_double(answer->out, (double)ms / 1000);
    } else if (answer->form == ANSWER_XML) {
        xml_time(answer, name, ms);
    } else if (ms % 1000 == 0) {
        json_integer(&answer->json, ms / 1000);
    } else {
        json_timestamp(&answer->json, ms);
    }
}
