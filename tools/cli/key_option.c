/* key_option.c - see key_option.h. */
#include "cli/key_option.h"

struct error *key_option_read(struct arena *arena, const char *source, struct master_key *key,
                              const struct master_key **ret_key) {
    *key = (struct master_key){0};
    *ret_key = NULL;
    if (source == NULL)
        return NULL;
    TRY(master_key_read(arena, source, key));
    *ret_key = key;
    return NULL;
}
