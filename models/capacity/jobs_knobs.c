/* jobs_knobs: the settings of jobs, row by row. */
#include "models/capacity/jobs.h"

static const struct knob_name restarts[] = {
    {"OnFailure", JOB_ON_FAILURE, "the container is made again in its pod"},
    {"Never", JOB_NEVER, "the pod fails and another one is asked for"},
    {0},
};

static const struct knob_name shares[] = {
    {"roundUp", JOB_LIST_ROUND_UP, "each gets a whole GPU"},
    {"share", JOB_LIST_SHARE, "they stand on one GPU together, up to its thousandths"},
    {0},
};

#define AT(field) .offset = offsetof(struct job_config, field)
#define K8S_JOBS "Kubernetes documentation, Jobs (2024)"

static const struct knob rows[] = {
    {.key = "name", .kind = KNOB_TEXT, AT(name), .doc = "Name of the job in results."},
    {.key = "manifest",
     .kind = KNOB_TEXT,
     AT(manifest),
     .doc = "Pod or Job in the manifests that describes it, as namespace/name.",
     .preset = ""},
    {.key = "count",
     .kind = KNOB_INT,
     AT(count),
     .unit = "jobs",
     .doc = "How many jobs like this there are.",
     .preset = "1",
     .min = 1,
     .max = 1e7},
    {.key = "completions",
     .kind = KNOB_INT,
     AT(completions),
     .unit = "pods",
     .doc = "Pods of each that must end well, in figures a job each; 0: as many as parallelism.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "parallelism",
     .kind = KNOB_INT32,
     AT(parallelism),
     .unit = "pods",
     .doc = "Pods of each that may run at once.",
     .preset = "1",
     .min = 1,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = K8S_JOBS},
    {.key = "activeDeadline",
     .kind = KNOB_DURATION,
     AT(deadline),
     .doc = "Time from its submission after which a job that is not done has failed "
            "(DeadlineExceeded) and its pods are ended; 0: none.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "at",
     .kind = KNOB_DURATION,
     AT(at),
     .doc = "When the first one is submitted.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "every",
     .kind = KNOB_DURATION,
     AT(every),
     .doc = "Distance of two submissions; 0: all at once.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "runTime",
     .kind = KNOB_DIST,
     AT(run_time),
     .doc = "Time that the process runs once its framework is there; by the podList where there is "
            "one.",
     .preset = ""},
    {.key = "podList",
     .kind = KNOB_TEXT,
     AT(pod_list),
     .doc = "File of pods with their requests and times in the format of Alibaba's GPU trace of "
            "2023 (openb), packed or not: one job each.",
     .preset = ""},
    {.key = "podListFrom",
     .kind = KNOB_DURATION,
     AT(pod_list_from),
     .doc = "Time of the podList at which the run begins: pods that run then are there from the "
            "start, those before are left out.",
     .preset = "0s",
     .min = 0,
     .max = 3660 * 86400.0},
    {.key = "gpuShares",
     .kind = KNOB_NAME,
     AT(shares),
     .doc = "What becomes of pods of the podList that ask for a share of a GPU.",
     .preset = "roundUp",
     .names = shares},
    {.key = "gpuKinds",
     .kind = KNOB_MAP,
     AT(kinds),
     .doc = "Kinds of GPU that stand for those of the podList, as {\"P100\": \"P4\"}; others stay.",
     .preset = ""},
    {.key = "failureShare",
     .kind = KNOB_SHARE,
     AT(failure_share),
     .doc = "Share of runs that end in a failure.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "restartPolicy",
     .kind = KNOB_NAME,
     AT(restart),
     .doc = "What follows a failure.",
     .preset = "OnFailure",
     .names = restarts},
    {.key = "backoffLimit",
     .kind = KNOB_INT32,
     AT(back_off_limit),
     .unit = "failures",
     .doc = "Failures after which the job has failed for good.",
     .preset = "6",
     .min = 0,
     .max = 1e6,
     .quality = QUALITY_OFFICIAL,
     .source = K8S_JOBS},
    {.key = "startup",
     .kind = KNOB_OBJECT,
     AT(startup),
     .doc = "What its pod goes through before it runs; model: an archive that is downloaded.",
     .preset = "{}",
     .table = &startup_knobs},
    {.key = "pod",
     .kind = KNOB_OBJECT,
     AT(pod),
     .doc = "What its pod asks of a node.",
     .preset = "{}",
     .table = &pod_shape_knobs},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct job_config *c = config;
    *key = "runTime";
    if (!c->pod_list && c->run_time.mean <= 0)
        return err_set(e, ERR_INPUT, NULL,
                       "a job runs for some time, such as \"10m\"; only a podList brings its own");
    if (c->pod_list && c->run_time.mean > 0)
        return err_set(e, ERR_INPUT, NULL, "the podList says how long each pod runs");
    *key = c->count != 1 ? "count" : c->completions > 1 ? "completions" : "parallelism";
    if (c->pod_list && (c->count != 1 || c->completions > 1 || c->parallelism > 1))
        return err_set(e, ERR_INPUT, NULL, "the podList says how many jobs there are");
    *key = "count";
    if ((double)c->count * (double)jobs_completions(c) > 1e7)
        return err_set(e, ERR_INPUT, NULL, "%lld jobs of %lld completions are more than 10000000",
                       (long long)c->count, (long long)jobs_completions(c));
    return 0;
}

const struct knob_table jobs_knobs = {
    .name = "job",
    .doc = "Pods that run to completion.",
    .rows = rows,
    .size = sizeof(struct job_config),
    .check = check,
};
