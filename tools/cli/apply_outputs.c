/* apply_outputs.c - see apply_outputs.h. */
#include "cli/apply_outputs.h"

#include "cli/say.h"

struct error *apply_show_outputs(struct template *t) {
    struct template_output *outputs;
    size_t count, width = 0;
    TRY(template_outputs(t, &outputs, &count));
    for (size_t i = 0; i < count; i++)
        width = outputs[i].name.len > width ? outputs[i].name.len : width;
    if (count > 0)
        say(stdout, "\nOutputs\n");
    for (size_t i = 0; i < count; i++)
        say(stdout, "  %.*s%*s  %.*s\n", SLICE_ARGS(outputs[i].name),
            (int)(width - outputs[i].name.len), "",
            outputs[i].known ? (int)outputs[i].value.len : (int)strlen("(not known here)"),
            outputs[i].known ? (const char *)outputs[i].value.data : "(not known here)");
    return NULL;
}
