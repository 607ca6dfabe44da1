/* random.c - random numbers from the system, and UUIDs. */
#include "common/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void random_bytes(void *bytes, size_t size) {
    /* Up to 256 bytes come whole; it fails only where the system has no such call. */
    if (getrandom(bytes, size, 0) != (ssize_t)size) {
        perror("getrandom");
        abort();
    }
}

uint64_t random_u64(void) {
    uint64_t number;
    random_bytes(&number, sizeof(number));
    return number;
}

void hex_format(const void *bytes, size_t size, char *ret_text) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        ret_text[2 * i] = digits[from[i] >> 4];
        ret_text[2 * i + 1] = digits[from[i] & 15];
    }
    ret_text[2 * size] = '\0';
}

void uuid_format(const uint8_t bytes[16], int version, char ret_text[UUID_TEXT_SIZE]) {
    uint8_t marked[16];
    memcpy(marked, bytes, sizeof(marked));
    marked[6] = (uint8_t)((marked[6] & 0x0f) | version << 4);
    marked[8] = (uint8_t)((marked[8] & 0x3f) | 0x80);
    char hex[33];
    hex_format(marked, sizeof(marked), hex);
    snprintf(ret_text, UUID_TEXT_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
             hex + 16, hex + 20);
}

void uuid_random(char ret_text[UUID_TEXT_SIZE]) {
    uint8_t bytes[16];
    random_bytes(bytes, sizeof(bytes));
    uuid_format(bytes, 4, ret_text);
}
