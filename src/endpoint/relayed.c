/* relayed.c - see relayed.h. */
#include "endpoint/relayed.h"

#define WORD "RELAYED"

static const char digits[] = "0123456789abcdef";

struct slice relayed_write(struct arena *arena, const struct relayed *relayed) {
    char hex[2 * RELAYED_CLIENT_CHARS + 1] = "-";
    size_t len = strlen(relayed->client);
    for (size_t i = 0; i < len; i++) {
        uint8_t byte = (uint8_t)relayed->client[i];
        hex[2 * i] = digits[byte >> 4];
        hex[2 * i + 1] = digits[byte & 15];
        hex[2 * i + 2] = '\0';
    }
    return arena_printf(arena, WORD " %.*s %d %s %s\r\n", (int)sizeof(relayed->id), relayed->id,
                        relayed->secure, relayed->peer[0] == '\0' ? "-" : relayed->peer, hex);
}

/* The next word, which a blank or the end follows. */
static struct slice next_word(struct slice *rest) {
    const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->data, ' ', rest->len);
    struct slice word = end == NULL ? *rest : slice_first(*rest, (size_t)(end - rest->data));
    *rest = slice_skip(*rest, word.len + (end != NULL));
    return word;
}

static bool copy_word(struct slice word, char *ret_text, size_t size) {
    if (word.len == 0 || word.len >= size || memchr(word.data, '\0', word.len) != NULL)
        return false;
    memcpy(ret_text, word.data, word.len);
    ret_text[word.len] = '\0';
    if (slice_is(word, "-"))
        ret_text[0] = '\0';
    return true;
}

static int digit_of(uint8_t character) {
    const char *found = character == '\0' ? NULL : strchr(digits, character);
    return found == NULL ? -1 : (int)(found - digits);
}

static bool copy_hex(struct slice word, char *ret_text, size_t size) {
    ret_text[0] = '\0';
    if (slice_is(word, "-"))
        return true;
    if (word.len == 0 || word.len % 2 != 0 || word.len / 2 >= size)
        return false;
    for (size_t i = 0; i < word.len / 2; i++) {
        int high = digit_of(word.data[2 * i]), low = digit_of(word.data[2 * i + 1]);
        if (high < 0 || low < 0 || (high | low) == 0)
            return false;
        ret_text[i] = (char)(high << 4 | low);
    }
    ret_text[word.len / 2] = '\0';
    return true;
}

static bool read_line(struct slice line, struct relayed *ret) {
    struct slice first = next_word(&line), id = next_word(&line), secure = next_word(&line);
    if (!slice_is(first, WORD) || id.len != sizeof(ret->id) ||
        (!slice_is(secure, "0") && !slice_is(secure, "1")))
        return false;
    memcpy(ret->id, id.data, sizeof(ret->id));
    ret->secure = slice_is(secure, "1");
    return copy_word(next_word(&line), ret->peer, sizeof(ret->peer)) &&
           copy_hex(next_word(&line), ret->client, sizeof(ret->client)) && line.len == 0;
}

enum relayed_read relayed_read(struct slice bytes, struct relayed *ret_relayed, size_t *ret_len) {
    const uint8_t *end = bytes.len == 0 ? NULL : memmem(bytes.data, bytes.len, "\r\n", 2);
    if (end == NULL)
        return bytes.len >= RELAYED_LINE_MAX ? RELAYED_WRONG : RELAYED_MORE;
    struct slice line = slice_first(bytes, (size_t)(end - bytes.data));
    *ret_len = line.len + 2;
    return read_line(line, ret_relayed) ? RELAYED_READ : RELAYED_WRONG;
}
