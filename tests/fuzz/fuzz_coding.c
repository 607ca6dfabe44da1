/* fuzz_coding.c - any bytes as a packed body: what comes out does not depend on the room there is,
 * and nothing is written beyond it; what was packed comes back.
 *
 * The first byte says which coding it is. */
#include <stdlib.h>

#include "fuzz.h"
#include "http/coding.h"

enum { ROOM_MAX = 1 << 20 };

static enum http_unpacked unpack(struct http_coder *coder, enum http_coding coding,
                                 struct slice packed, size_t room, struct buffer *out) {
    buffer_init(out, room);
    CHECK(buffer_reserve(out, room));
    enum http_unpacked result = http_coder_unpack(coder, coding, packed, out);
    CHECK(out->len <= room);
    return result;
}

static void check_rooms(struct http_coder *coder, enum http_coding coding, struct slice packed) {
    struct buffer ample, exact, scarce;
    if (unpack(coder, coding, packed, ROOM_MAX, &ample) == HTTP_UNPACKED_WHOLE && ample.len > 1) {
        CHECK(unpack(coder, coding, packed, ample.len, &exact) == HTTP_UNPACKED_WHOLE);
        CHECK(slice_equal(buffer_slice(&exact), buffer_slice(&ample)));
        CHECK(unpack(coder, coding, packed, ample.len - 1, &scarce) == HTTP_UNPACKED_NO_ROOM);
        buffer_release(&exact);
        buffer_release(&scarce);
    }
    buffer_release(&ample);
}

static void check_way_back(struct http_coder *coder, enum http_coding coding, struct slice body) {
    struct buffer packed, back;
    buffer_init(&packed, ROOM_MAX);
    if (http_coder_pack(coder, coding, body, &packed)) {
        CHECK(unpack(coder, coding, buffer_slice(&packed), body.len, &back) == HTTP_UNPACKED_WHOLE);
        CHECK(slice_equal(buffer_slice(&back), body));
        buffer_release(&back);
    }
    buffer_release(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 16384)
        return 0;
    enum http_coding coding = data[0] % 2 == 0 ? HTTP_CODING_GZIP : HTTP_CODING_DEFLATE;
    struct http_coder *coder = http_coder_new();
    check_rooms(coder, coding, slice_of(data + 1, size - 1));
    check_way_back(coder, coding, slice_of(data + 1, size - 1));
    http_coder_free(coder);
    return 0;
}
