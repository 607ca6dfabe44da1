/* global_table.h - an AWS::DynamoDB::GlobalTable as an AWS::DynamoDB::Table: CDK's TableV2. */
#ifndef GRAMME_TEMPLATE_GLOBAL_TABLE_H
#define GRAMME_TEMPLATE_GLOBAL_TABLE_H

#include "template/property.h"

/* Its resolved properties as those of a table in this region: what is the same everywhere, and what
 * its replica here has. Other replicas are left out, with a warning. */
struct error *global_table_properties(const struct property_reader *reader,
                                      const struct node *global, const struct node **ret_table);

#endif
