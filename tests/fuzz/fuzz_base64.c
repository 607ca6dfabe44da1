/* fuzz_base64.c - bytes come back from their text, and a text that is accepted is the only one of
 * its bytes. */
#include <stdlib.h>

#include "base/base64.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice input = slice_of(data, size);
    size_t text_len = base64_encoded_len(size), len = 0;
    uint8_t *text = malloc(text_len + 1), *bytes = malloc(size + 3);
    CHECK(text != NULL && bytes != NULL);
    base64_encode(input, text);
    CHECK(base64_decode(slice_of(text, text_len), bytes, &len) == BASE64_OK);
    CHECK(slice_equal(slice_of(bytes, len), input));
    if (base64_decode(input, bytes, &len) == BASE64_OK) {
        CHECK(len <= base64_decoded_max(size) && base64_encoded_len(len) == size);
        base64_encode(slice_of(bytes, len), text);
        CHECK(slice_equal(slice_of(text, size), input));
    }
    free(text);
    free(bytes);
    return 0;
}
