/* quota: how many machines of a type a zone sells. */
#include "models/capacity/quota.h"

#include <string.h>

#define AT(field) .offset = offsetof(struct quota, field)

static const struct knob_name billings[] = {
    {"any", QUOTA_ANY, "whatever they are paid by"},
    {"onDemand", QUOTA_ON_DEMAND, "pay as you go"},
    {"spot", QUOTA_SPOT, "preemptible"},
    {0},
};

static const struct knob rows[] = {
    {.key = "type",
     .kind = KNOB_TEXT,
     AT(type),
     .doc = "Instance type; absent: all types together.",
     .preset = ""},
    {.key = "zone",
     .kind = KNOB_TEXT,
     AT(zone),
     .doc = "Zone; absent: all zones together.",
     .preset = ""},
    {.key = "billing",
     .kind = KNOB_NAME,
     AT(billing),
     .doc = "Which machines count.",
     .preset = "any",
     .names = billings},
    {.key = "most",
     .kind = KNOB_INT32,
     AT(most),
     .unit = "machines",
     .doc = "Machines that can be held at once; 0: out of stock.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "from",
     .kind = KNOB_DURATION,
     AT(from),
     .doc = "When it begins.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "lasts",
     .kind = KNOB_DURATION,
     AT(lasts),
     .doc = "For how long; 0: to the end of the run.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {0},
};

const struct knob_table quota_knobs = {
    .name = "stockLimit",
    .doc = "A quota of machines by type and zone, or a stock-out at a known time.",
    .rows = rows,
    .size = sizeof(struct quota),
};

bool quota_counts(const struct quota *l, const struct quota_machine *m)
{
    bool billing = l->billing == QUOTA_ANY || m->spot == (l->billing == QUOTA_SPOT);
    return billing && (!l->type || strcmp(l->type, m->type) == 0) &&
           (!l->zone || strcmp(l->zone, m->zone) == 0);
}

const struct quota *quota_met(const struct knob_list *limits, const struct quota_machine *m,
                              sim_ns now, quota_held *held, const void *self)
{
    const struct quota *all = limits->items;
    for (size_t i = 0; i < limits->count; i++) {
        const struct quota *l = &all[i];
        bool on = now >= l->from && (l->lasts == 0 || now - l->from < l->lasts);
        if (on && quota_counts(l, m) && held(self, l) >= l->most)
            return l;
    }
    return NULL;
}
