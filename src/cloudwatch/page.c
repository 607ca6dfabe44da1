/* page.c - see page.h. A token is base64, so that nobody takes it for what it is. */
#include "cloudwatch/page.h"

#include "base/base64.h"

enum { TOKEN_MAX = 2048 };

struct slice page_token(struct arena *arena, struct slice name) {
    size_t len = base64_encoded_len(name.len);
    uint8_t *text = arena_alloc(arena, len + 1);
    base64_encode(name, text);
    return slice_of(text, len);
}

struct error *page_read(const struct service_call *call, struct slice *ret_name) {
    struct slice token = input_text(call->input, "NextToken");
    size_t len = 0;
    *ret_name = SLICE_NONE;
    if (!slice_present(token))
        return NULL;
    uint8_t *name = arena_alloc(call->arena, base64_decoded_max(token.len) + 1);
    if (token.len > TOKEN_MAX || base64_decode(token, name, &len) != BASE64_OK || len == 0)
        return error_new(call->arena, ERROR_CLOUDWATCH_INVALID_NEXT_TOKEN,
                         "The NextToken is not one that was given");
    *ret_name = slice_of(name, len);
    return NULL;
}
