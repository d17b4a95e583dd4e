/* test_dispatch_theory: means against queueing theory, and Little's law, over replications.
 *
 * Small: scenarios repeat these with 30 million requests. */
#include "models/serving/dispatch.h"
#include "sim/chance.h"
#include "workloads/traffic.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define REPLICATIONS 30
#define REQUESTS 200000
#define WARM 20000 /* of them, not counted */
#define MEAN_NS 1e6

struct theory {
    enum balance balance;
    enum discipline discipline;
    enum dist_kind service;
    uint32_t servers;
    double load;
    bool events;
};

struct estimate {
    double mean, error; /* error: standard error of the mean */
};

static struct estimate estimate(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    return (struct estimate){.mean = sum / n, .error = sqrt(squares / (n - 1) / n)};
}

static double sum_of(const struct tally *t)
{
    return (double)t->latency.sum_lo;
}

/* Mean time in the system, and mean number in it by sampling at marks over mean number by
 * Little's law; both of one replication. */
static void replicate(const struct theory *th, uint64_t replication, double *sojourn,
                      double *little)
{
    static sim_ns times[REQUESTS];
    static struct tally t, warm;
    struct err e = {0};
    struct dist service;
    cr_assert_eq(dist_make(&service, th->service, MEAN_NS, 1, &e), 0);
    struct chance c = chance_stream(1, replication, CHANCE_ARRIVAL, 0);
    double at = 0, gap = MEAN_NS / (th->load * th->servers);
    for (uint64_t i = 0; i < REQUESTS; i++)
        times[i] = (sim_ns)(at += gap * chance_exponential(c, i));
    struct dispatch_setup s = {.balance = th->balance,
                               .discipline = th->discipline,
                               .concurrency = th->discipline == DISCIPLINE_SHARED ? INT64_MAX : 1,
                               .max_queue = INT64_MAX,
                               .timeout_ns = SIM_NEVER,
                               .connect_timeout_ns = SIM_SECOND,
                               .tries = 1,
                               .workers = 1,
                               .service = &service,
                               .n_services = 1,
                               .max_replicas = th->servers,
                               .max_in_flight = REQUESTS,
                               .arrivals = arrivals_of_list(times, REQUESTS, &e),
                               .seed = 1,
                               .replication = replication,
                               .use_events = th->events};
    struct dispatch *d = dispatch_create(&s, &e);
    cr_assert(d != NULL);
    for (uint32_t r = 0; r < th->servers; r++)
        dispatch_add(d, 0, r, ENDPOINT_SERVING, 0);
    dispatch_advance(d, times[WARM]);
    dispatch_mark(d, times[WARM], &warm);
    double inside = 0, n = 0;
    sim_ns last = times[REQUESTS - 1], step = (sim_ns)(7 * gap);
    for (sim_ns mark = times[WARM] + step; mark < last; mark += step, n++) {
        dispatch_advance(d, mark);
        const struct tally *now = dispatch_tally(d, mark);
        inside += (double)(now->waiting + now->running);
    }
    dispatch_advance(d, last);
    dispatch_mark(d, last, &t);
    *sojourn = (sum_of(&t) - sum_of(&warm)) / (double)(t.served - warm.served) / MEAN_NS;
    double rate = (double)(t.served - warm.served) / (double)(last - times[WARM]);
    *little = inside / n / (rate * *sojourn * MEAN_NS);
    dispatch_destroy(d);
    arrivals_close(s.arrivals);
}

static void holds(const struct theory *th, double expected)
{
    double sojourn[REPLICATIONS], little[REPLICATIONS];
    for (int i = 0; i < REPLICATIONS; i++)
        replicate(th, (uint64_t)i, &sojourn[i], &little[i]);
    struct estimate m = estimate(sojourn, REPLICATIONS), l = estimate(little, REPLICATIONS);
    cr_log_info("mean %.4f +- %.4f, theory %.4f; Little %.4f +- %.4f", m.mean, m.error, expected,
                l.mean, l.error);
    cr_assert_lt(m.error / m.mean, 0.02);
    cr_assert_lt(fabs(m.mean - expected), 3 * m.error, "mean %.4f +- %.4f, theory %.4f", m.mean,
                 m.error, expected);
    cr_assert_lt(fabs(l.mean - 1), 3 * l.error + 1e-4, "Little %.5f +- %.5f", l.mean, l.error);
}

/* Mean time in M/M/c with service time 1 by Erlang's C formula; 1.2859 for c = 8 at 0.8. */
static double erlang_c_sojourn(uint32_t c, double load)
{
    double a = load * c, term = 1, sum = 0;
    for (uint32_t k = 0; k < c; k++) {
        sum += term;
        term *= a / (k + 1);
    }
    double waits = term / (1 - load) / (sum + term / (1 - load));
    return 1 + waits / (c * (1 - load));
}

Test(dispatch_theory, central_queue_is_m_m_1)
{
    struct theory th = {BALANCE_CENTRAL, DISCIPLINE_FIFO, DIST_EXPONENTIAL, 1, 0.9, false};
    holds(&th, 10);
}

Test(dispatch_theory, central_queue_is_m_m_8)
{
    struct theory th = {BALANCE_CENTRAL, DISCIPLINE_FIFO, DIST_EXPONENTIAL, 8, 0.8, false};
    cr_assert_float_eq(erlang_c_sojourn(8, 0.8), 1.2859, 1e-3);
    holds(&th, erlang_c_sojourn(8, 0.8));
}

Test(dispatch_theory, central_queue_is_m_d_1)
{
    /* Pollaczek-Khinchine: 1 + load / (2 (1 - load)) */
    struct theory th = {BALANCE_CENTRAL, DISCIPLINE_FIFO, DIST_CONSTANT, 1, 0.9, false};
    holds(&th, 5.5);
}

Test(dispatch_theory, one_replica_behind_the_ingress_is_m_m_1)
{
    struct theory th = {BALANCE_ROUND_ROBIN, DISCIPLINE_FIFO, DIST_EXPONENTIAL, 1, 0.8, false};
    holds(&th, 5);
}

Test(dispatch_theory, a_shared_replica_is_m_m_1_ps)
{
    struct theory th = {BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED, DIST_EXPONENTIAL, 1, 0.8, false};
    holds(&th, 5);
}

Test(dispatch_theory, a_shared_replica_does_not_care_about_the_distribution)
{
    struct theory th = {BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED, DIST_CONSTANT, 1, 0.8, false};
    holds(&th, 5);
}
