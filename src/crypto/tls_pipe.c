/* tls_pipe.c - see tls_pipe.h. */
#include "crypto/tls_pipe.h"

#include "base/check.h"

static int pipe_read(BIO *bio, char *data, int size) {
    const struct tls_library *library = tls_library_loaded();
    struct tls_pipe *pipe = library->BIO_get_data(bio);
    library->BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (pipe->input.len == 0) {
        library->BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    size_t len = pipe->input.len < (size_t)size ? pipe->input.len : (size_t)size;
    memcpy(data, pipe->input.data, len);
    pipe->input = slice_skip(pipe->input, len);
    return (int)len;
}

static int pipe_write(BIO *bio, const char *data, int len) {
    struct tls_pipe *pipe = tls_library_loaded()->BIO_get_data(bio);
    buffer_append(pipe->output, data, (size_t)len);
    return len;
}

static long pipe_control(BIO *bio, int what, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD *tls_pipe_method_new(const struct tls_library *library) {
    BIO_METHOD *method =
        library->BIO_meth_new(library->BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
    CHECK(method != NULL && library->BIO_meth_set_read(method, pipe_read) == 1 &&
          library->BIO_meth_set_write(method, pipe_write) == 1 &&
          library->BIO_meth_set_ctrl(method, pipe_control) == 1);
    return method;
}

BIO *tls_pipe_bio_new(const struct tls_library *library, const BIO_METHOD *method,
                      struct tls_pipe *pipe) {
    BIO *bio = library->BIO_new(method);
    CHECK(bio != NULL);
    library->BIO_set_data(bio, pipe);
    library->BIO_set_init(bio, 1);
    return bio;
}
