/* scenario_knobs: the root of the scenario file, down to the tables that the models own. */
#include "models/money/currency.h"
#include "scenarios/run/scenario.h"
#include "sim/text.h"

#include "models/capacity/jobs.h"
#include "models/capacity/virtual_node.h"
#include "models/control/node_settings.h"
#include "models/control/rollout.h"
#include "models/control/scaler.h"
#include "scenarios/run/service_time.h"

#include <string.h>

static const struct knob_name balances[] = {
    {"round_robin", BALANCE_ROUND_ROBIN, "each ingress worker walks the endpoints in turn"},
    {"central_fifo", BALANCE_CENTRAL, "one queue; a free replica takes its head"},
    {0},
};

static const struct knob_name disciplines[] = {
    {"shared", DISCIPLINE_SHARED, "running requests share the GPU equally (processor sharing)"},
    {"fifo", DISCIPLINE_FIFO, "requests run one after another"},
    {0},
};

static const struct knob serving_rows[] = {
    {.key = "balance",
     .kind = KNOB_NAME,
     .offset = offsetof(struct serving_config, balance),
     .doc = "How the ingress chooses a replica.",
     .preset = "round_robin",
     .names = balances,
     .quality = QUALITY_OFFICIAL,
     .source = "ingress-nginx, docs/user-guide/nginx-configuration/configmap.md, load-balance "
               "(2026-03-20)"},
    {.key = "discipline",
     .kind = KNOB_NAME,
     .offset = offsetof(struct serving_config, discipline),
     .doc = "How requests share one replica's GPU.",
     .preset = "shared",
     .names = disciplines,
     .quality = QUALITY_ASSUMED,
     .source = "TensorFlow Serving without batching runs requests side by side on one GPU "
               "(tensorflow/serving, 2026-07-30); equal shares are assumed"},
    {.key = "serviceTime",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct serving_config, times),
     .doc = "Time of one request that has the GPU to itself, by kind of GPU.",
     .read = service_time_read,
     .shape = SERVICE_TIME_SHAPE},
    {.key = "concurrency",
     .kind = KNOB_INT,
     .offset = offsetof(struct serving_config, concurrency),
     .unit = "requests",
     .doc = "Requests that one replica runs at once, the rest waits; 0: fifo 1, shared 32.",
     .preset = "0",
     .min = 0,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = "tensorflow/serving, model_servers/server.h, http_num_threads: four threads a "
               "processor (2018 to 2026); 32 on the usual GPU machine with 8"},
    {.key = "maxQueue",
     .kind = KNOB_INT,
     .offset = offsetof(struct serving_config, max_queue),
     .unit = "requests",
     .doc = "Requests that wait at one replica (central_fifo: in the one queue) before more are "
            "rejected; 0: no limit.",
     .preset = "0",
     .min = 0,
     .max = 1e9},
    {0},
};

static const struct knob_table serving_knobs = {
    .name = "serving",
    .doc = "What a replica does with a request.",
    .rows = serving_rows,
    .size = sizeof(struct serving_config),
};

#define NGINX_CONFIG "ingress-nginx, docs/user-guide/nginx-configuration/configmap.md (2026-03-20)"

static const struct knob ingress_rows[] = {
    {.key = "workers",
     .kind = KNOB_INT,
     .offset = offsetof(struct ingress_config, workers),
     .unit = "processes",
     .doc = "nginx worker processes over all controller replicas; each balances by itself.",
     .preset = "8",
     .min = 1,
     .max = 4096,
     .quality = QUALITY_ASSUMED,
     .source = "two controller replicas with four processors each; nginx starts one worker a "
               "processor"},
    {.key = "timeout",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct ingress_config, timeout),
     .doc = "From sending a request to its answer (proxy-read-timeout); 0: none.",
     .preset = "60s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = NGINX_CONFIG},
    {.key = "clientTimeout",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct ingress_config, client_timeout),
     .doc = "From the arrival of a request until its client gives up, whatever nginx still tries; "
            "0: never. Such a run is played event by event.",
     .preset = "0",
     .min = 0,
     .max = 86400},
    {.key = "connectTimeout",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct ingress_config, connect_timeout),
     .doc = "Wait for a machine that does not answer (proxy-connect-timeout).",
     .preset = "5s",
     .min = 0.001,
     .max = 75,
     .quality = QUALITY_OFFICIAL,
     .source = NGINX_CONFIG},
    {.key = "tries",
     .kind = KNOB_INT,
     .offset = offsetof(struct ingress_config, tries),
     .unit = "tries",
     .doc = "Connections tried for one request (proxy-next-upstream-tries). A predict is a POST: "
            "once sent it is not tried again.",
     .preset = "3",
     .min = 1,
     .max = 100,
     .quality = QUALITY_OFFICIAL,
     .source = NGINX_CONFIG},
    {.key = "endpointLag",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct ingress_config, endpoint_lag),
     .doc = "From the deletion of a pod until the balancer has forgotten it.",
     .preset = "1s",
     .min = 0,
     .max = 600,
     .quality = QUALITY_OFFICIAL,
     .source = "ingress-nginx, rootfs/etc/nginx/lua/balancer.lua, sync interval of 1 s "
               "(2026-03-20)"},
    {.key = "hold",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct ingress_config, hold),
     .doc = "A request that finds no endpoint waits for one until its time-out (an activator, "
            "KEDA's HTTP add-on) instead of being refused with 503, as nginx does. The kpa's "
            "activator always holds.",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = "ingress-nginx answers 503 for a service without endpoints (2026-03-20)"},
    {0},
};

static const struct knob_table ingress_knobs = {
    .name = "ingress",
    .doc = "The nginx ingress controller in front of the service.",
    .rows = ingress_rows,
    .size = sizeof(struct ingress_config),
};

static const struct knob service_rows[] = {
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct service_config, name),
     .doc = "Name of the service in this scenario and its results."},
    {.key = "deployment",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct service_config, deployment),
     .doc = "Deployment in the manifests that describes it, as namespace/name.",
     .preset = ""},
    {.key = "initialReplicas",
     .kind = KNOB_INT,
     .offset = offsetof(struct service_config, initial_replicas),
     .unit = "replicas",
     .doc = "Replicas that serve when the clock starts.",
     .preset = "1",
     .min = 0,
     .max = 10000},
    {.key = "traffic",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, traffic),
     .doc = "How many requests arrive, and when.",
     .table = &traffic_knobs},
    {.key = "serving",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, serving),
     .doc = "What a replica does with a request.",
     .table = &serving_knobs},
    {.key = "ingress",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, ingress),
     .doc = "What stands between client and replica.",
     .preset = "{}",
     .table = &ingress_knobs},
    {.key = "startup",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, startup),
     .doc = "What a pod goes through before it serves.",
     .preset = "{}",
     .table = &startup_knobs},
    {.key = "pod",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, pod),
     .doc = "What a pod asks of a node.",
     .preset = "{}",
     .table = &pod_shape_knobs},
    {.key = "preStop",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct service_config, pre_stop),
     .doc = "Sleep of the preStop hook: from the deletion of a pod to its SIGTERM.",
     .preset = "0",
     .min = 0,
     .max = 3600},
    {.key = "rollouts",
     .kind = KNOB_LIST,
     .offset = offsetof(struct service_config, rollouts),
     .doc = "Rolling updates, in order of time.",
     .preset = "",
     .table = &rollout_knobs},
    {.key = "slo",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, slo),
     .doc = "What the service promises.",
     .preset = "{}",
     .table = &slo_knobs},
    {.key = "metric",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service_config, metric),
     .doc = "The way of a metric from the ingress log to the scaler.",
     .preset = "{}",
     .table = &metric_sls_knobs},
    {.key = "autoscaler",
     .kind = KNOB_CHOICE,
     .offset = offsetof(struct service_config, autoscaler),
     .doc = "Who decides how many replicas there are.",
     .options = scaler_options},
    {.key = "scalerPhase",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct service_config, pass_phase),
     .doc = "Time of the scaler's first pass as a share of its period; -1: drawn for each "
            "replication.",
     .preset = "-1",
     .min = -1,
     .max = 1},
    {0},
};

static const struct knob_table service_knobs = {
    .name = "service",
    .doc = "One deployment behind the ingress.",
    .rows = service_rows,
    .size = sizeof(struct service_config),
};

static const struct knob budget_rows[] = {
    {.key = "perMonth",
     .kind = KNOB_MONEY,
     .offset = offsetof(struct scenario_budget, per_month),
     .doc = "Most that a month of 730 hours may cost.",
     .preset = ""},
    {.key = "total",
     .kind = KNOB_MONEY,
     .offset = offsetof(struct scenario_budget, total),
     .doc = "Most that the whole run may cost.",
     .preset = ""},
    {0},
};

static const struct knob_table budget_knobs = {
    .name = "budget",
    .doc = "What it may cost.",
    .rows = budget_rows,
    .size = sizeof(struct scenario_budget),
};

static const struct knob limits_rows[] = {
    {.key = "events",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, events),
     .unit = "events",
     .doc = "Control events pending at once.",
     .preset = "16384",
     .min = 64,
     .max = 1e8},
    {.key = "replicas",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, replicas),
     .unit = "replicas",
     .doc = "Replicas of one service at once, the ones on their way out included.",
     .preset = "256",
     .min = 1,
     .max = 1e6},
    {.key = "pods",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, pods),
     .unit = "pods",
     .doc = "Pods of all services at once, terminating ones included.",
     .preset = "4096",
     .min = 1,
     .max = 1e6},
    {.key = "nodes",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, nodes),
     .unit = "nodes",
     .doc = "Node objects at once, dying ones included; 0: twice the pools' maxSize and 16 more.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "inFlight",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, in_flight),
     .unit = "requests",
     .doc = "Requests of one service between arrival and end, and work that outlives its request; "
            "0: twice what the time-outs let come together, 65,536 to 4,194,304.",
     .preset = "0",
     .min = 0,
     .max = 1e9},
    {.key = "logEntries",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario_limits, log_entries),
     .unit = "lines",
     .doc = "Lines of the decision log, spans and bills that are kept for reading.",
     .preset = "2000",
     .min = 16,
     .max = 1e7},
    {0},
};

static const struct knob_table limits_knobs = {
    .name = "limits",
    .doc = "Sizes of the tables that are taken before the clock starts.",
    .rows = limits_rows,
    .size = sizeof(struct scenario_limits),
};

static const struct knob scenario_rows[] = {
    {.key = "sluice",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario, version),
     .doc = "Version of the scenario format.",
     .min = 1,
     .max = 1},
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct scenario, name),
     .doc = "Name of the scenario in results."},
    {.key = "horizon",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct scenario, horizon),
     .doc = "How long the simulated time runs.",
     .min = 1,
     .max = 366 * 86400.0},
    {.key = "warmUp",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct scenario, warm_up),
     .doc = "Time at the start that request and SLO figures leave out (money does not).",
     .preset = "0",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "timeZone",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct scenario, time_zone),
     .doc = "IANA time zone of the start, of profiles and of charts.",
     .preset = "UTC"},
    {.key = "start",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct scenario, start),
     .doc = "Local date, or date and time, when the simulated time starts.",
     .preset = "2024-01-01"},
    {.key = "seed",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario, seed),
     .doc = "Seed of all chance.",
     .preset = "1",
     .min = 0,
     .max = 9.2e18},
    {.key = "replications",
     .kind = KNOB_INT,
     .offset = offsetof(struct scenario, replications),
     .doc = "Independent repetitions; their spread gives the intervals.",
     .preset = "10",
     .min = 1,
     .max = 100000},
    {.key = "currency",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct scenario, currency),
     .doc = "Currency of all prices in this scenario (ISO 4217).",
     .preset = "CNY"},
    {.key = "exchangeRates",
     .kind = KNOB_MAP,
     .offset = offsetof(struct scenario, exchange_rates),
     .doc =
         "What one unit of another currency is worth: {\"USD\": \"7.2\"}. Prices of the catalogue "
         "in it are used where there is none in the scenario's own; without a rate currencies "
         "stay apart.",
     .preset = ""},
    {.key = "manifests",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct scenario, manifests),
     .doc = "Kubernetes and node pool files, or folders of them; the scenario's own keys win.",
     .preset = ""},
    {.key = "catalog",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct scenario, catalog_files),
     .doc = "Catalogue files of your own: machines, prices, markets; they win over the shipped "
            "ones.",
     .preset = ""},
    {.key = "drills",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct scenario, drills),
     .doc = "What goes wrong on purpose, as KIND=VALUE@TIME: spot-loss=7/10@10h, stock-out=2h@9h, "
            "metric-frozen=2h@9h, zone-loss=cn-hangzhou-h@12h, registry-slow=10x@8h.",
     .preset = ""},
    {.key = "services",
     .kind = KNOB_LIST,
     .offset = offsetof(struct scenario, services),
     .doc = "The deployments that serve requests; may be absent when there are jobs.",
     .preset = "",
     .table = &service_knobs},
    {.key = "jobs",
     .kind = KNOB_LIST,
     .offset = offsetof(struct scenario, jobs),
     .doc = "Pods that run to completion.",
     .preset = "",
     .table = &jobs_knobs},
    {.key = "nodePools",
     .kind = KNOB_LIST,
     .offset = offsetof(struct scenario, cluster.pools),
     .doc = "Elastic node pools; without any, and without a virtual node, replicas are simply "
            "there and cost nothing.",
     .preset = "",
     .table = &pool_knobs},
    {.key = "nodeList",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct scenario, cluster.node_list),
     .doc = "File of machines that are simply there, in the format of Alibaba's GPU trace of 2023 "
            "(openb), packed or not; they have no price.",
     .preset = ""},
    {.key = "clusterAutoscaler",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct scenario, cluster.autoscaler),
     .doc = "Who buys and returns nodes.",
     .preset = "",
     .table = &node_settings_knobs},
    {.key = "virtualNode",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct scenario, cluster.virtual_node),
     .doc = "Pods as elastic container instances, each paid for by the second.",
     .preset = "",
     .table = &virtual_node_knobs},
    {.key = "account",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct scenario, cluster.account),
     .doc = "What the cloud account may hold.",
     .preset = "{}",
     .table = &account_knobs},
    {.key = "scheduler",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct scenario, cluster.scheduler),
     .doc = "How pods are placed on nodes.",
     .preset = "{}",
     .table = &scheduler_knobs},
    {.key = "budget",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct scenario, budget),
     .doc = "What it may cost.",
     .preset = "{}",
     .table = &budget_knobs},
    {.key = "robustness",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct scenario, robustness),
     .doc = "Work that a run may put into other values of its presets and assumed figures, to see "
            "which would turn the verdict; 1: as much as its replications take, 0: none.",
     .preset = "1",
     .min = 0,
     .max = 1000},
    {.key = "limits",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct scenario, limits),
     .doc = "Sizes of the tables that are taken before the clock starts.",
     .preset = "{}",
     .table = &limits_knobs},
    {0},
};

static int check_currency(const char *code, struct err *e)
{
    const char *near = currency_nearest(code);
    if (currency_known(code))
        return 0;
    return err_set(e, ERR_INPUT, NULL, "'%.20s' is no currency of ISO 4217%s%s%s", code,
                   near ? "; did you mean '" : ", such as CNY or USD", near ? near : "",
                   near ? "'?" : "");
}

/* Money of two currencies is compared only where a rate says how. */
static int check_budget(const struct scenario *s, const struct money *m, struct err *e)
{
    if (!m->currency[0] || strcmp(m->currency, s->currency) == 0)
        return 0;
    for (size_t i = 0; i < s->exchange_rates.count; i++)
        if (strcmp(s->exchange_rates.items[i].key, m->currency) == 0)
            return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "is in %s, the scenario in %s; give it in %s, or exchangeRates.%s", m->currency,
                   s->currency, s->currency, m->currency);
}

static int check_rates(const struct scenario *s, struct err *e)
{
    for (size_t i = 0; i < s->exchange_rates.count; i++) {
        double rate;
        const struct knob_pair *p = &s->exchange_rates.items[i];
        if (check_currency(p->key, e))
            return -1;
        if (!text_parse_double(p->value, &rate) || !(rate >= 1e-6 && rate <= 1e6))
            return err_set(e, ERR_INPUT, NULL,
                           "%s: '%.40s' is no rate; expected a number of 1e-6..1e6: what one %s is "
                           "worth in %s",
                           p->key, p->value, p->key, s->currency);
        if (strcmp(p->key, s->currency) == 0 && rate != 1)
            return err_set(e, ERR_INPUT, NULL,
                           "%s is the scenario's own currency, so one is worth 1 of it, not %.40s; "
                           "leave it out, or set currency to the one that the rates are told in",
                           p->key, p->value);
    }
    return 0;
}

static int check_money(const struct scenario *s, const char **key, struct err *e)
{
    *key = "currency";
    if (check_currency(s->currency, e))
        return -1;
    *key = "exchangeRates";
    if (check_rates(s, e))
        return -1;
    *key = "budget.perMonth";
    if (check_budget(s, &s->budget.per_month, e))
        return -1;
    *key = "budget.total";
    return check_budget(s, &s->budget.total, e);
}

static int check(const void *config, const char **key, struct err *e)
{
    const struct scenario *s = config;
    if (s->name[0] == '\0') {
        *key = "name";
        return err_set(e, ERR_INPUT, NULL, "a scenario needs a name, results are told by it");
    }
    if (check_money(s, key, e))
        return -1;
    if (s->warm_up >= s->horizon) {
        *key = "warmUp";
        return err_set(e, ERR_INPUT, NULL, "warmUp leaves nothing of the horizon to measure");
    }
    if (s->services.count == 0 && s->jobs.count == 0) {
        *key = "services";
        return err_set(e, ERR_INPUT, NULL,
                       "services and jobs are empty: there is nothing to simulate");
    }
    return 0;
}

const struct knob_table scenario_knobs = {
    .name = "scenario",
    .doc = "A scenario: what runs where, under which traffic, and what it must hold.",
    .rows = scenario_rows,
    .size = sizeof(struct scenario),
    .check = check,
};
