/* operations.c - `gramme operations`: the API as this version knows it, from the table of
 * operations. */
#include "cli/options.h"
#include "ops/op.h"

static void print_plain(const struct op_listing *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        printf("%-40s %s\n", list[i].name, list[i].op == NULL ? "missing" : "yes");
}

static void print_markdown(const struct op_listing *list, size_t count) {
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        present += list[i].op != NULL;
    printf("%zu of %zu operations are there; any other answers UnknownOperationException, with a "
           "text that names it.\n\n",
           present, count);
    puts("| operation | |\n|---|---|");
    for (size_t i = 0; i < count; i++)
        printf("| %s | %s |\n", list[i].name, list[i].op == NULL ? "missing" : "yes");
}

struct operations_options {
    bool markdown;
};

static int run_operations(const struct invocation *invocation) {
    const struct operations_options *options = invocation->values;
    const struct op_listing *list;
    size_t count = op_list(&list);
    (options->markdown ? print_markdown : print_plain)(list, count);
    return 0;
}

static const struct option operations_options[] = {
    {"markdown", .kind = OPTION_FLAG, OPTION_AT(struct operations_options, markdown),
     .help = "as the table that docs/COMPATIBILITY.md holds"},
    {.name = NULL},
};

const struct command command_operations = {
    .name = "operations",
    .summary = "list the API operations that this version knows",
    .about = "Lists the operations of the DynamoDB API and whether this version knows them.",
    .options = operations_options,
    .values_size = sizeof(struct operations_options),
    .run = run_operations,
};
