/* cost_model.h - what use costs, pure: units and bytes of some hours, prices, and a month of it. */
#ifndef GRAMME_CLI_COST_MODEL_H
#define GRAMME_CLI_COST_MODEL_H

#define COST_MONTH_HOURS 730.0

/* In any currency. */
struct cost_prices {
    double read_million;  /* request units, on demand */
    double write_million; /* likewise */
    double read_hour;     /* one unit of provisioned capacity for an hour */
    double write_hour;
    double storage_month; /* a gigabyte */
    double utilization;   /* percent: how full provisioned capacity is at its peak */
};

/* What was measured, of a table with its indexes, or of all tables. */
struct cost_usage {
    double hours;
    double requests;
    double read_units;
    double write_units;
    double peak_read; /* units per second, in the busiest minute */
    double peak_write;
    double bytes;
};

struct cost_month {
    double requests;
    double read_units;
    double write_units;
    double storage; /* from here on what it costs */
    double on_demand_reads;
    double on_demand_writes;
    double read_capacity; /* provisioned units that the peak needs */
    double write_capacity;
    double provisioned_reads;
    double provisioned_writes;
};

void cost_add(struct cost_usage *to, const struct cost_usage *usage);
struct cost_month cost_of(const struct cost_usage *usage, const struct cost_prices *prices);

static inline double cost_on_demand(const struct cost_month *month) {
    return month->on_demand_reads + month->on_demand_writes + month->storage;
}

static inline double cost_provisioned(const struct cost_month *month) {
    return month->provisioned_reads + month->provisioned_writes + month->storage;
}

#endif
