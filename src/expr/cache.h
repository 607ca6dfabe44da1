/* cache.h - programs by kind and text. */
#ifndef GRAMME_EXPR_CACHE_H
#define GRAMME_EXPR_CACHE_H

#include "expr/program.h"

/* NULL when it is not there. The caller owns one reference. */
struct expr_program *cache_find(struct expr_cache *cache, enum expr_kind kind, struct slice text);
/* The cache takes a reference of its own, and may let go of another program. */
void cache_add(struct expr_cache *cache, enum expr_kind kind, struct slice text,
               struct expr_program *program);

#endif
