/* gateway.c - calls the payment gateway. */
#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/money.h"

enum { OUTPUT_MAX = 4096, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* The first line, with everything that is not plain text replaced. */
static void take_line(const char *output, char ret_line[GATEWAY_DETAIL_SIZE]) {
    size_t size = 0;
    for (; output[size] != '\0' && output[size] != '\n' && size < GATEWAY_DETAIL_SIZE - 1; size++)
        ret_line[size] = output[size] >= ' ' && output[size] <= '~' ? output[size] : '?';
    ret_line[size] = '\0';
}

const char *gateway_answer_name(enum gateway_answer answer) {
    static const char *const names[] = {[GATEWAY_DONE] = "done",
                                        [GATEWAY_DECLINED] = "declined",
                                        [GATEWAY_FAILED] = "failed",
                                        [GATEWAY_UNKNOWN] = "unknown"};
    return names[answer];
}

static enum gateway_answer judge(const struct process_result *result) {
    if (result->outcome == PROCESS_NOT_STARTED)
        return GATEWAY_FAILED;
    if (result->outcome != PROCESS_EXITED)
        return GATEWAY_UNKNOWN;
    switch (result->status) {
    case 0:
        return GATEWAY_DONE;
    case 1:
        return GATEWAY_DECLINED;
    case 2:
    case STATUS_NOT_EXECUTABLE:
    case STATUS_NOT_FOUND:
        return GATEWAY_FAILED;
    default:
        return GATEWAY_UNKNOWN;
    }
}

enum gateway_answer gateway_call(const struct gateway_call *call,
                                 char ret_detail[GATEWAY_DETAIL_SIZE]) {
    char amount[MONEY_TEXT_SIZE];
    money_format(call->amount, amount);
    struct process_call process = {
        .command = call->command,
        .arguments = (const char *const[]){call->verb, call->key, amount, call->currency, NULL},
        .timeout_ms = call->timeout_ms,
        .output_max = OUTPUT_MAX,
    };
    struct process_result result;
    process_run(&process, &result);
    enum gateway_answer answer = judge(&result);
    *ret_detail = '\0';
    if (answer != GATEWAY_UNKNOWN && result.output != NULL)
        take_line(result.output, ret_detail);
    if (*ret_detail == '\0' && (answer == GATEWAY_DONE || answer == GATEWAY_DECLINED))
        snprintf(ret_detail, GATEWAY_DETAIL_SIZE, "%s", gateway_answer_name(answer));
    else if (*ret_detail == '\0')
        process_describe(&process, &result, ret_detail);
    free(result.output);
    return answer;
}
