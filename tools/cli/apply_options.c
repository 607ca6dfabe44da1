/* apply_options.c - reads the arguments of `gramme apply`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/apply.h"

static const char help[] =
    "Usage: gramme apply [OPTIONS] TEMPLATE\n"
    "\n"
    "Makes and changes tables so that they are as the CloudFormation or SAM template says. Shows\n"
    "its plan first, changes only what differs, and does nothing the second time. TEMPLATE is "
    "YAML\n"
    "or JSON; - is standard input.\n"
    "\n"
    "  --param KEY=VALUE    value of a parameter of the template; may be given several times\n"
    "  --endpoint URL       server to talk to (default: AWS_ENDPOINT_URL_DYNAMODB or\n"
    "                       AWS_ENDPOINT_URL, else http://127.0.0.1:8000)\n"
    "  --region NAME        region (default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1)\n"
    "  --account-id ID      what AWS::AccountId stands for (default 000000000000)\n"
    "  --stack-name NAME    what AWS::StackName stands for, and the first part of the names of\n"
    "                       tables without TableName (default: the template's file name)\n"
    "  --dry-run            only show the plan\n"
    "  --allow-data-loss    also do what loses data: replace a table, remove an index, end a\n"
    "                       stream or point-in-time recovery\n"
    "  --timeout SECONDS    longest wait for a table or index to become ACTIVE (default 3600)\n"
    "\n"
    "Exit status: 0 fine, 1 failed or refused, 2 wrong arguments or a wrong template.\n";

enum { PARAMETERS_MAX = 200, STACK_NAME_MAX = 128, TIMEOUT_S = 3600, TIMEOUT_S_MAX = 604800 };

struct parser {
    struct arena *arena;
    struct apply_options *options;
    struct template_parameter *parameters;
};

static int wrong(const char *what, const char *argument) {
    fprintf(stderr, "gramme apply: %s '%s'; see gramme apply --help\n", what, argument);
    return 2;
}

static int wrong_without_template(void) {
    fputs("gramme apply: it takes a file, TEMPLATE; see gramme apply --help\n", stderr);
    return 2;
}

static int take_parameter(struct parser *parser, const char *value) {
    struct template_options *template = &parser->options->template;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return wrong("--param takes KEY=VALUE, not", value);
    struct slice name = slice_of(value, (size_t)(equals - value));
    for (size_t i = 0; i < template->parameter_count; i++)
        if (slice_equal(parser->parameters[i].name, name))
            return wrong("this parameter is given twice:", value);
    if (template->parameter_count == PARAMETERS_MAX)
        return wrong("more than 200 parameters:", value);
    parser->parameters[template->parameter_count++] =
        (struct template_parameter){name, slice_text(equals + 1)};
    return 0;
}

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static int take_stack_name(struct parser *parser, const char *value) {
    size_t len = strlen(value);
    bool fine = len > 0 && len <= STACK_NAME_MAX;
    for (size_t i = 0; i < len; i++)
        fine = fine && (is_alphanumeric(value[i]) || value[i] == '-');
    if (!fine)
        return wrong("--stack-name takes up to 128 letters, digits and -, not", value);
    parser->options->template.stack_name = slice_of(value, len);
    return 0;
}

static int take_account(struct parser *parser, const char *value) {
    if (strlen(value) != 12 || strspn(value, "0123456789") != 12)
        return wrong("--account-id takes 12 digits, not", value);
    parser->options->template.account = slice_text(value);
    return 0;
}

static int take_timeout(struct parser *parser, const char *value) {
    char *end;
    long seconds = strtol(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || seconds < 1 || seconds > TIMEOUT_S_MAX)
        return wrong("--timeout takes seconds from 1 to 604800, not", value);
    parser->options->service.timeout_s = seconds;
    return 0;
}

/* One option with its value; 0 when it is fine. */
static int set_option(struct parser *parser, const char *name, const char *value) {
    if (strcmp(name, "--param") == 0)
        return take_parameter(parser, value);
    if (strcmp(name, "--stack-name") == 0)
        return take_stack_name(parser, value);
    if (strcmp(name, "--account-id") == 0)
        return take_account(parser, value);
    if (strcmp(name, "--timeout") == 0)
        return take_timeout(parser, value);
    if (strcmp(name, "--endpoint") == 0)
        parser->options->service.endpoint = value;
    else if (strcmp(name, "--region") == 0)
        parser->options->service.region = value;
    else
        return wrong("there is no option", name);
    return *value == '\0' ? wrong("a value is missing after", name) : 0;
}

/* A flag, `--name=value`, `--name value` or the template. */
static int take_argument(struct parser *parser, int argc, char **argv, int *at) {
    struct apply_options *options = parser->options;
    const char *argument = argv[*at];
    const char *equals = strchr(argument, '=');
    if (argument[0] != '-' || argument[1] == '\0') {
        if (options->file != NULL)
            return wrong("one template at a time, and not also", argument);
        options->file = argument;
        return 0;
    }
    if (strcmp(argument, "--dry-run") == 0) {
        options->dry_run = true;
        return 0;
    }
    if (strcmp(argument, "--allow-data-loss") == 0) {
        options->allow_data_loss = true;
        return 0;
    }
    if (equals != NULL) {
        struct slice name = arena_printf(parser->arena, "%.*s", (int)(equals - argument), argument);
        return set_option(parser, (const char *)name.data, equals + 1);
    }
    static const char *const known[] = {"--param",      "--endpoint",   "--region",
                                        "--account-id", "--stack-name", "--timeout"};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (strcmp(argument, known[i]) != 0)
            continue;
        return *at + 1 >= argc ? wrong("a value is missing after", argument)
                               : set_option(parser, argument, argv[++*at]);
    }
    return wrong("there is no option", argument);
}

/* The file's name without folder and extension, and only with what a table's name may have. */
static struct slice stack_name_of(struct arena *arena, const char *file) {
    if (strcmp(file, "-") == 0)
        return SLICE_LITERAL("stack");
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    const char *dot = strrchr(name, '.');
    size_t len = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    len = len > STACK_NAME_MAX ? STACK_NAME_MAX : len;
    char *copy = arena_copy(arena, name, len + 1);
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(copy[i]))
            copy[i] = '-';
    return len == 0 ? SLICE_LITERAL("stack") : slice_of(copy, len);
}

int apply_parse(struct arena *arena, int argc, char **argv, struct apply_options *ret_options) {
    struct parser parser = {.arena = arena,
                            .options = ret_options,
                            .parameters =
                                ARENA_ARRAY(arena, struct template_parameter, PARAMETERS_MAX)};
    *ret_options = (struct apply_options){
        .template = {.account = SLICE_LITERAL("000000000000"), .parameters = parser.parameters},
        .service = {.timeout_s = TIMEOUT_S}};
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return 0;
        }
    for (int at = 0; at < argc; at++) {
        int status = take_argument(&parser, argc, argv, &at);
        if (status != 0)
            return status;
    }
    if (ret_options->file == NULL)
        return wrong_without_template();
    struct template_options *template = &ret_options->template;
    template->file = slice_text(strcmp(ret_options->file, "-") == 0 ? "stdin" : ret_options->file);
    ret_options->service.region = service_region(ret_options->service.region);
    template->region = slice_text(ret_options->service.region);
    if (!slice_present(template->stack_name))
        template->stack_name = stack_name_of(arena, ret_options->file);
    return -1;
}
