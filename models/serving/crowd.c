/* crowd: how many requests a service must have room for, taken before the clock starts. */
#include "models/serving/crowd.h"

#include "models/serving/service.h"
#include "workloads/traffic.h"

#include <math.h>

/* From arrival to the end at the latest, s; INFINITY: nothing ends a request but its service. */
static double longest_stay_s(const struct ingress_config *g)
{
    double stay = INFINITY;
    if (g->timeout > 0)
        stay = 2 * (double)g->timeout + (double)g->tries * (double)g->connect_timeout;
    if (g->client_timeout > 0 && (double)g->client_timeout < stay)
        stay = (double)g->client_timeout;
    return stay / (double)SIM_SECOND;
}

size_t crowd_room(const struct service_config *c, const struct traffic *t)
{
    double expected = traffic_expected(t), peak = traffic_peak_qps(t);
    /* Ten standard deviations above what a Poisson process is expected to bring. */
    double room = 2 * expected + 10 * sqrt(expected);
    if (traffic_clients(t) > 0)
        room = 2 * (double)traffic_clients(t);
    else if (peak > 0)
        room = fmin(room, 2 * peak * longest_stay_s(&c->ingress));
    return room < CROWD_LEAST ? CROWD_LEAST : room > CROWD_MOST ? CROWD_MOST : (size_t)room;
}
