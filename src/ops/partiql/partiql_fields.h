/* partiql_fields.h - rows of field tables that the PartiQL operations share; see item_fields.h. */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_FIELDS_H
#define GRAMME_OPS_PARTIQL_PARTIQL_FIELDS_H

#include "model/limits.h"
#include "ops/item/item_fields.h"

#define STATEMENT_FIELD(request)                                                            \
    {                                                                                       \
        NAMED("Statement"), AT(struct request, statement),                                  \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_STATEMENT_CHARS) \
    }
#define PARAMETERS_FIELD(request) \
    { NAMED("Parameters"), AT(struct request, parameters), .type = FIELD_VALUE_LIST, AT_LEAST(1) }

#endif
