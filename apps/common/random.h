/* random.h - numbers and names that nobody else has. */
#ifndef APPS_COMMON_RANDOM_H
#define APPS_COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

uint64_t random_u64(void);

/* The bytes as lower-case hexadecimal digits and a NUL: 2 * size + 1 characters. */
void hex_format(const void *bytes, size_t size, char *ret_text);

/* 550e8400-e29b-41d4-a716-446655440000 */
enum { UUID_TEXT_SIZE = 37 };
/* Sixteen bytes as text, marked as a UUID of that version. */
void uuid_format(const uint8_t bytes[16], int version, char ret_text[UUID_TEXT_SIZE]);
void uuid_random(char ret_text[UUID_TEXT_SIZE]);

#endif
