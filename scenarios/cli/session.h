/* session: what the simulating commands share: options, loading, progress, interrupt, storing. */
#ifndef SLUICE_SCENARIOS_CLI_SESSION_H
#define SLUICE_SCENARIOS_CLI_SESSION_H

#include "scenarios/cli/options.h"
#include "sim/err.h"
#include "sim/result.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct scenario;

struct session_arguments {
    struct option_texts sets, drills;
    const char *db, *format;
    int64_t seed, replications; /* -1: the scenario's own */
    int64_t threads;            /* 0: as many as there are processors */
};

#define SESSION_DEFAULTS                                                                           \
    {                                                                                              \
        .db = "sluice.db", .format = "text", .seed = -1, .replications = -1                        \
    }

#define SESSION_OPTIONS(a)                                                                         \
    {"--set", NULL, OPTION_TEXTS, &(a).sets, "PATH=VALUE", "change a key; may be repeated"},       \
        {"--drill",         NULL,                                                                  \
         OPTION_TEXTS,      &(a).drills,                                                           \
         "KIND=VALUE@TIME", "something goes wrong: spot-loss=7/10@10h; may be repeated"},          \
        {"--seed", NULL, OPTION_COUNT, &(a).seed, "N", "seed instead of the scenario's"},          \
        {"--replications",  NULL, OPTION_COUNT,                                                    \
         &(a).replications, "N",  "replications instead of the scenario's"},                       \
        {"--threads", NULL, OPTION_COUNT, &(a).threads, "N", "threads (default: processors)"},     \
        {"--db", NULL, OPTION_TEXT, &(a).db, "FILE", "store (default sluice.db)"},                 \
    {                                                                                              \
        "--format", NULL, OPTION_TEXT, &(a).format, "FORMAT", "text, json or csv"                  \
    }

struct session {
    struct scenario *scenario;
    char command[1024]; /* how to do it again */
    char data_dir[1024];
    bool progress; /* standard error is a terminal */
    int shown;     /* last percentage drawn */
    struct timespec started;
};

/* Loads the scenario with the options laid over it and catches SIGINT and SIGTERM. */
int session_open(struct session *s, const struct session_arguments *a, const char *path,
                 struct err *e);
void session_close(struct session *s);

/* Set by SIGINT and SIGTERM. */
const volatile sig_atomic_t *session_stop_flag(void);
/* NULL when standard error is no terminal. */
typedef void session_progress_fn(void *self, double share);
session_progress_fn *session_progress(struct session *s);
/* Clears the bar. */
void session_progress_done(struct session *s);

/* One transaction, or nothing. */
int session_store(const struct session *s, const struct session_arguments *a,
                  const struct result *r, struct err *e);
/* Folder that holds catalog/ and calibration/: SLUICE_DATA, else installed beside the program, else
 * the source tree above it. ERR_INPUT when none is there. */
int session_data_dir(char *buf, size_t size, struct err *e);

#endif
