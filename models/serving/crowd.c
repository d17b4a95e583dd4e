/* crowd: how many requests a service must have room for, taken before the clock starts. */
#include "models/serving/crowd.h"

#include "models/serving/service.h"
#include "workloads/traffic.h"

#include <math.h>

sim_ns crowd_stay(const struct ingress_config *g, bool holds)
{
    sim_ns stay = SIM_NEVER;
    if (g->timeout > 0)
        stay = (holds ? 2 : 1) * g->timeout + (g->tries - 1) * g->connect_timeout;
    if (g->client_timeout > 0 && g->client_timeout < stay)
        stay = g->client_timeout;
    return stay;
}

size_t crowd_room(const struct service_config *c, const struct traffic *t)
{
    double expected = traffic_expected(t), peak = traffic_peak_qps(t);
    /* Ten standard deviations above what a Poisson process is expected to bring. */
    double room = 2 * expected + 10 * sqrt(expected);
    if (traffic_clients(t) > 0)
        room = 2 * (double)traffic_clients(t);
    else if (peak > 0)
        room = fmin(room, 2 * peak * (double)crowd_stay(&c->ingress, true) / (double)SIM_SECOND);
    return room < CROWD_LEAST ? CROWD_LEAST : room > CROWD_MOST ? CROWD_MOST : (size_t)room;
}
