/* assets.h - the files of console/, as scripts/pack-console has packed them into the program. */
#ifndef GRAMME_CONSOLE_ASSETS_H
#define GRAMME_CONSOLE_ASSETS_H

#include <stddef.h>
#include <stdint.h>

struct console_asset {
    const char *name;      /* of the file */
    const char *type;      /* what browsers are told it is */
    const char *tag;       /* changes with the file, quoted as a header has it */
    const uint8_t *packed; /* by gzip */
    size_t packed_len;
    size_t len; /* of the file itself */
};

/* By name; the last one has none. */
extern const struct console_asset console_assets[];

#endif
