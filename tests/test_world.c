/* test_world: a replication that is told to stop. */
#include "scenarios/run/scenario.h"
#include "scenarios/run/world.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A fixed size makes hardly an event: in ten months of 50,000 requests a second more than two
 * billion lie between the checks after an event. */
static const char months[] =
    "{\"sluice\": 1, \"name\": \"months\", \"horizon\": \"300d\", \"services\": [{\"name\": \"a\","
    " \"traffic\": {\"qps\": 50000}, \"serving\": {\"serviceTime\": \"1ms\"},"
    " \"autoscaler\": {\"fixed\": 100}}]}";

Test(world, a_run_told_to_stop_does_not_first_play_what_lies_between_two_events, .timeout = 20)
{
    char path[] = "/tmp/sluice-world-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, months, strlen(months)), (ssize_t)strlen(months));
    close(file);
    struct err e = {0};
    struct scenario_source source = {.path = path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    unlink(path);
    cr_assert_not_null(s, "%s: %s", e.where, e.msg);
    volatile sig_atomic_t stop = 1;
    struct world_watch watch = {.stop = &stop};
    struct world_outcome out;
    cr_assert_eq(world_run(s, 0, &watch, &out, &e), -1);
    cr_assert_eq(e.code, ERR_INTERRUPTED, "%s", e.msg);
    scenario_free(s);
}
