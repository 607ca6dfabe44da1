/* load.c - see load.h. */
#include "template/load.h"

#include "template/resolve.h"
#include "template/serverless.h"
#include "template/terraform.h"

struct error *template_load(struct arena *arena, const struct template_options *options,
                            struct slice text, struct template **ret_template) {
    struct template *t = ARENA_NEW(arena, struct template);
    t->document = (struct document){.arena = arena, .name = options->file};
    t->options = *options;
    const struct node *root = NULL;
    t->document.generous = terraform_begins(text);
    TRY(document_read(&t->document, text, &root));
    if (serverless_is(root))
        TRY(serverless_template(t, root, &root));
    else if (terraform_is(root))
        TRY(terraform_template(t, root, &root));
    TRY(template_sections(t, root));
    TRY(parameters_resolve(t));
    *ret_template = t;
    return NULL;
}
