/* cost_model.c - see cost_model.h. */
#include "cli/cost_model.h"

#include <math.h>

#define GIGABYTE (1024.0 * 1024 * 1024)

void cost_add(struct cost_usage *to, const struct cost_usage *usage) {
    to->hours = usage->hours;
    to->requests += usage->requests;
    to->read_units += usage->read_units;
    to->write_units += usage->write_units;
    to->peak_read += usage->peak_read;
    to->peak_write += usage->peak_write;
    to->bytes += usage->bytes;
}

/* A table has one unit at least. */
static double capacity_for(double peak, double utilization) {
    double units = ceil(peak / (utilization / 100) - 1e-9);
    return units < 1 ? 1 : units;
}

struct cost_month cost_of(const struct cost_usage *usage, const struct cost_prices *prices) {
    double times = COST_MONTH_HOURS / usage->hours;
    struct cost_month month = {
        .requests = usage->requests * times,
        .read_units = usage->read_units * times,
        .write_units = usage->write_units * times,
        .storage = usage->bytes / GIGABYTE * prices->storage_month,
        .read_capacity = capacity_for(usage->peak_read, prices->utilization),
        .write_capacity = capacity_for(usage->peak_write, prices->utilization),
    };
    month.on_demand_reads = month.read_units / 1e6 * prices->read_million;
    month.on_demand_writes = month.write_units / 1e6 * prices->write_million;
    month.provisioned_reads = month.read_capacity * COST_MONTH_HOURS * prices->read_hour;
    month.provisioned_writes = month.write_capacity * COST_MONTH_HOURS * prices->write_hour;
    return month;
}
