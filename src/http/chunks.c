/* chunks.c - see chunks.h. One state a byte, but for the data of a chunk, which is skipped. */
#include "http/chunks.h"

enum { DIGITS_MAX = 15 }; /* of a size in hexadecimal: it cannot overflow */

static int hex_digit(uint8_t c) {
    uint8_t small = c | 0x20;
    return c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

static bool is_text(uint8_t c) {
    return c == '\t' || (c >= ' ' && c != 0x7f);
}

/* A digit of the size, or what may follow the last one. */
static bool read_size(struct chunks *chunks, uint8_t c) {
    int digit = hex_digit(c);
    if (digit < 0) {
        chunks->at = c == '\r' ? CHUNKS_SIZE_LF : CHUNKS_EXTENSION;
        return chunks->digits > 0 && (c == '\r' || c == ';' || c == ' ' || c == '\t');
    }
    chunks->at = CHUNKS_SIZE_MORE;
    chunks->left = chunks->left << 4 | (unsigned)digit;
    return ++chunks->digits <= DIGITS_MAX;
}

static bool expect(struct chunks *chunks, uint8_t c, uint8_t wanted, enum chunks_at next) {
    chunks->at = (uint8_t)next;
    return c == wanted;
}

/* Text up to the end of its line. */
static bool read_text(struct chunks *chunks, uint8_t c, enum chunks_at next) {
    if (c == '\r')
        chunks->at = (uint8_t)next;
    return c == '\r' || is_text(c);
}

static bool step(struct chunks *chunks, uint8_t c) {
    switch ((enum chunks_at)chunks->at) {
    case CHUNKS_SIZE:
    case CHUNKS_SIZE_MORE:
        return read_size(chunks, c);
    case CHUNKS_EXTENSION:
        return read_text(chunks, c, CHUNKS_SIZE_LF);
    case CHUNKS_SIZE_LF:
        return expect(chunks, c, '\n', chunks->left > 0 ? CHUNKS_DATA : CHUNKS_TRAILER);
    case CHUNKS_DATA_CR:
        return expect(chunks, c, '\r', CHUNKS_DATA_LF);
    case CHUNKS_DATA_LF:
        chunks->digits = 0;
        return expect(chunks, c, '\n', CHUNKS_SIZE);
    case CHUNKS_TRAILER:
        chunks->at = CHUNKS_TRAILER_MORE;
        return read_text(chunks, c, CHUNKS_END_LF);
    case CHUNKS_TRAILER_MORE:
        return read_text(chunks, c, CHUNKS_TRAILER_LF);
    case CHUNKS_TRAILER_LF:
        return expect(chunks, c, '\n', CHUNKS_TRAILER);
    case CHUNKS_END_LF:
        return expect(chunks, c, '\n', CHUNKS_DONE);
    case CHUNKS_DATA:
    case CHUNKS_DONE:
        break;
    }
    return true;
}

bool chunks_check(struct chunks *chunks, const uint8_t *data, size_t len) {
    for (size_t at = 0; at < len && chunks->at != CHUNKS_DONE;) {
        if (chunks->at != CHUNKS_DATA) {
            if (!step(chunks, data[at++]))
                return false;
            continue;
        }
        size_t part = len - at < chunks->left ? len - at : (size_t)chunks->left;
        chunks->left -= part;
        at += part;
        if (chunks->left == 0)
            chunks->at = CHUNKS_DATA_CR;
    }
    return true;
}
