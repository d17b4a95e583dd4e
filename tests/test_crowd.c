/* test_crowd: room for requests, by the traffic and the time-outs. */
#include "models/serving/crowd.h"

#include "models/serving/service.h"
#include "scenarios/run/scenario.h"
#include "tests/temp_file.h"
#include "workloads/traffic.h"

#include <criterion/criterion.h>
#include <string.h>

/* Scenarios are read from a text each, so that what is counted is what a user writes. */
static size_t room_of(const char *traffic, const char *ingress)
{
    char text[900];
    struct err e = {0};
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"room\", \"horizon\": \"1h\", \"services\": [{\"name\": "
             "\"a\", \"traffic\": %s, \"serving\": {\"serviceTime\": \"70ms\"}, \"ingress\": %s, "
             "\"autoscaler\": {\"fixed\": 1}}]}",
             traffic, ingress);
    struct temp_file f = temp_text(text);
    struct scenario_source source = {.path = f.path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "%s: %s\n%s", e.where, e.msg, text);
    size_t room = crowd_room(s->services.items, s->traffic[0]);
    scenario_free(s);
    temp_drop(&f);
    return room;
}

#define NGINX "{\"timeout\": \"60s\", \"connectTimeout\": \"5s\", \"tries\": 3}"

/* 2 x rate x (twice 60 s and two tries of 5 s that fail); twice what arrives and ten deviations
 * where that is less; twice the clients. */
Test(crowd, follows_from_the_rate_and_the_time_outs)
{
    static const struct {
        const char *traffic, *ingress;
        size_t room;
    } rows[] = {
        {"{\"qps\": 2000}", NGINX, 2 * 2000 * 130},
        {"{\"qps\": 1000, \"scale\": 3}", NGINX, 2 * 3000 * 130},
        {"{\"qps\": {\"profile\": [{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"50m\", \"qps\": "
         "2000}]}}",
         NGINX, 2 * 2000 * 130},
        {"{\"qps\": 2000}", "{\"timeout\": \"60s\", \"clientTimeout\": \"30s\"}", 2 * 2000 * 30},
        {"{\"qps\": 2000}", "{\"timeout\": \"0s\", \"clientTimeout\": \"30s\"}", 2 * 2000 * 30},
        {"{\"qps\": 20}", "{\"timeout\": \"3000s\"}", 2 * 72000 + 2683},
        {"{\"clients\": 100000}", NGINX, 200000},
        {"{\"qps\": 10}", NGINX, CROWD_LEAST},
        {"{\"qps\": 2000}", "{\"timeout\": \"0s\"}", CROWD_MOST},
        {"{\"qps\": 200000}", NGINX, CROWD_MOST},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t room = room_of(rows[i].traffic, rows[i].ingress);
        cr_assert_eq(room, rows[i].room, "%s %s: %zu, not %zu", rows[i].traffic, rows[i].ingress,
                     room, rows[i].room);
    }
}
