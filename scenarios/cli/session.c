/* session: the surroundings of a simulating command. */
#include "scenarios/cli/session.h"

#include "reports/store.h"
#include "scenarios/run/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The one thing a signal handler can set. */
static volatile sig_atomic_t stop_flag;

#if defined(__clang__)
#define SESSION_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define SESSION_COMPILER "gcc " __VERSION__
#else
#define SESSION_COMPILER "unknown"
#endif

static void on_signal(int number)
{
    (void)number;
    stop_flag = 1;
}

const volatile sig_atomic_t *session_stop_flag(void)
{
    return &stop_flag;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends a program that does not listen */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool has_catalog(const char *dir)
{
    char path[2048];
    struct stat st;
    snprintf(path, sizeof path, "%s/catalog", dir);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder of the program, then each one above it: an installed tree has share/sluice there, a
 * source tree scenarios. */
static bool search_upwards(char *buf, size_t size)
{
    char dir[1024], candidate[1200];
    ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
    if (n <= 0)
        return false;
    dir[n] = '\0';
    for (char *slash = strrchr(dir, '/'); slash; slash = strrchr(dir, '/')) {
        static const char *const places[] = {"share/sluice", "scenarios"};
        *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            snprintf(candidate, sizeof candidate, "%s/%s", dir, places[i]);
            if (has_catalog(candidate) && strlen(candidate) < size) {
                memcpy(buf, candidate, strlen(candidate) + 1);
                return true;
            }
        }
    }
    return false;
}

int session_data_dir(char *buf, size_t size, struct err *e)
{
    const char *asked = getenv("SLUICE_DATA");
    if (asked && asked[0]) {
        if (!has_catalog(asked) || strlen(asked) >= size)
            return err_set(e, ERR_INPUT, "SLUICE_DATA", "'%s' has no folder catalog", asked);
        snprintf(buf, size, "%s", asked);
        return 0;
    }
    if (search_upwards(buf, size))
        return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "the catalogue was not found beside the program; set "
                   "SLUICE_DATA to the folder that holds catalog/");
}

static void note_command(struct session *s, const struct session_arguments *a, const char *path)
{
    struct text t = {0};
    text_printf(&t, "sluice run %s", path);
    for (size_t i = 0; i < a->sets.count; i++)
        text_printf(&t, " --set '%s'", a->sets.items[i]);
    for (size_t i = 0; i < a->drills.count; i++)
        text_printf(&t, " --drill '%s'", a->drills.items[i]);
    if (a->seed >= 0)
        text_printf(&t, " --seed %lld", (long long)a->seed);
    if (a->replications >= 0)
        text_printf(&t, " --replications %lld", (long long)a->replications);
    snprintf(s->command, sizeof s->command, "%s", t.s ? t.s : "sluice run");
    text_fini(&t);
}

int session_open(struct session *s, const struct session_arguments *a, const char *path,
                 struct err *e)
{
    const char *sets[OPTIONS_MAX_TEXTS + 2];
    char seed[64], replications[64];
    size_t n = 0;
    *s = (struct session){.progress = isatty(STDERR_FILENO) != 0, .shown = -1};
    if (session_data_dir(s->data_dir, sizeof s->data_dir, e))
        return -1;
    for (; n < a->sets.count; n++)
        sets[n] = a->sets.items[n];
    if (a->seed >= 0) {
        /* In quotes: as a JSON number it would lose digits beyond 2^53. */
        snprintf(seed, sizeof seed, "seed=\"%lld\"", (long long)a->seed);
        sets[n++] = seed;
    }
    if (a->replications >= 0) {
        snprintf(replications, sizeof replications, "replications=%lld",
                 (long long)a->replications);
        sets[n++] = replications;
    }
    struct scenario_source source = {
        .path = path,
        .sets = sets,
        .n_sets = n,
        .drills = a->drills.items,
        .n_drills = a->drills.count,
        .data_dir = s->data_dir,
    };
    s->scenario = scenario_load(&source, e);
    if (!s->scenario)
        return -1;
    note_command(s, a, path);
    catch_signals();
    clock_gettime(CLOCK_REALTIME, &s->started);
    return 0;
}

void session_close(struct session *s)
{
    scenario_free(s->scenario);
    s->scenario = NULL;
}

#define SESSION_BAR 40

static void draw(void *self, double share)
{
    struct session *s = self;
    int percent = (int)(share * 100);
    if (percent == s->shown)
        return;
    s->shown = percent;
    int full = percent * SESSION_BAR / 100;
    fprintf(stderr, "\r[%.*s%*s] %3d %%", full, "########################################",
            SESSION_BAR - full, "", percent);
    fflush(stderr);
}

session_progress_fn *session_progress(struct session *s)
{
    return s->progress ? draw : NULL;
}

void session_progress_done(struct session *s)
{
    if (s->progress && s->shown >= 0)
        fprintf(stderr, "\r%*s\r", SESSION_BAR + 10, "");
}

int session_store(const struct session *s, const struct session_arguments *a,
                  const struct result *r, struct err *e)
{
    char started[32];
    struct tm utc;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&s->started.tv_sec, &utc);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    struct store_wall wall = {
        .started = started,
        .scenario_path = s->scenario->path,
        .compiler = SESSION_COMPILER,
        .threads = (uint32_t)a->threads,
        .seconds = (double)(now.tv_sec - s->started.tv_sec) +
                   (double)(now.tv_nsec - s->started.tv_nsec) * 1e-9,
    };
    struct store *store = store_open(a->db, STORE_WRITE, e);
    int rc = store ? store_put(store, r, &wall, e) : -1;
    store_close(store);
    return rc;
}
