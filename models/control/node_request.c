/* node_request: register, shrink, finish, expire. */
#include "models/control/node_request.h"

#include <assert.h>

void node_request_change(struct node_request *r, int32_t delta, sim_ns max_provision, sim_ns now)
{
    assert(r->increase >= 0);
    if (r->increase + delta <= 0) {
        *r = (struct node_request){0};
        return;
    }
    r->increase += delta;
    if (delta > 0) {
        r->asked = now;
        r->deadline = now + max_provision;
    }
}

int32_t node_request_update(struct node_request *r, int32_t upcoming, sim_ns now)
{
    int32_t reverted = 0;
    if (r->increase == 0)
        return 0;
    if (upcoming > 0 && r->deadline >= now)
        return 0;
    if (upcoming > 0)
        reverted = r->increase;
    *r = (struct node_request){0};
    return reverted;
}
