/* gateway.c - calls the payment gateway. */
#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/money.h"

enum { OUTPUT_MAX = 4096 };

/* The first line, with everything that is not plain text replaced. */
static void take_line(const char *output, char ret_line[GATEWAY_DETAIL_SIZE]) {
    size_t size = 0;
    for (; output[size] != '\0' && output[size] != '\n' && size < GATEWAY_DETAIL_SIZE - 1; size++)
        ret_line[size] = output[size] >= ' ' && output[size] <= '~' ? output[size] : '?';
    ret_line[size] = '\0';
}

static enum gateway_answer judge(const struct process_call *call,
                                 const struct process_result *result,
                                 char ret_detail[GATEWAY_DETAIL_SIZE]) {
    bool answered =
        result->outcome == PROCESS_EXITED && (result->status == 0 || result->status == 1);
    if (!answered) {
        process_describe(call, result, ret_detail);
        return GATEWAY_UNKNOWN;
    }
    take_line(result->output, ret_detail);
    if (*ret_detail == '\0')
        snprintf(ret_detail, GATEWAY_DETAIL_SIZE, "%s",
                 result->status == 0 ? "charged" : "refused");
    return result->status == 0 ? GATEWAY_CHARGED : GATEWAY_REFUSED;
}

enum gateway_answer gateway_charge(const struct gateway_call *call,
                                   char ret_detail[GATEWAY_DETAIL_SIZE]) {
    char amount[MONEY_TEXT_SIZE];
    money_format(call->amount, amount);
    struct process_call process = {
        .command = call->command,
        .arguments = (const char *const[]){"charge", call->key, amount, call->currency, NULL},
        .timeout_ms = call->timeout_ms,
        .output_max = OUTPUT_MAX,
    };
    struct process_result result;
    process_run(&process, &result);
    enum gateway_answer answer = judge(&process, &result, ret_detail);
    free(result.output);
    return answer;
}
