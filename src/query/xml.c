/* xml.c - see xml.h. */
#include "query/xml.h"

void xml_open(struct buffer *out, const char *name) {
    buffer_printf(out, "<%s>", name);
}

void xml_open_root(struct buffer *out, const char *name, const char *name_space) {
    buffer_printf(out, "<%s xmlns=\"%s\">", name, name_space);
}

void xml_close(struct buffer *out, const char *name) {
    buffer_printf(out, "</%s>", name);
}

static const char *escape_of(uint8_t c) {
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#xD;";
    default:
        return NULL;
    }
}

/* Control characters cannot stand in XML at all. */
static bool is_forbidden(uint8_t c) {
    return c < 0x20 && c != '\n' && c != '\t' && c != '\r';
}

void xml_text(struct buffer *out, const char *name, struct slice text) {
    xml_open(out, name);
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = escape_of(text.data[i]);
        if (escape != NULL)
            buffer_append_text(out, escape);
        else
            buffer_append_byte(out, is_forbidden(text.data[i]) ? '?' : text.data[i]);
    }
    xml_close(out, name);
}

void xml_write_fault(struct buffer *out, const struct xml_fault *fault) {
    xml_open_root(out, "ErrorResponse", fault->name_space);
    xml_open(out, "Error");
    xml_text(out, "Type", fault->ours ? SLICE_LITERAL("Receiver") : SLICE_LITERAL("Sender"));
    xml_text(out, "Code", fault->code);
    if (slice_present(fault->message))
        xml_text(out, "Message", fault->message);
    xml_close(out, "Error");
    xml_text(out, "RequestId", fault->request_id);
    xml_close(out, "ErrorResponse");
}
