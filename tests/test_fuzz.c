/* test_fuzz: many thousand damaged inputs through each reader; the laws are in fixture_fuzz. */
#include "tests/fixture_fuzz.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 20000
#define LONGEST 4096

static const char *const json_seeds[] = {
    "{\"lit\": false, \"seed\": \"9007199254740993\", \"floors\": 3, \"load\": 1e3, \"share\": 0.5,"
    "\"percent\": \"12.5%\", \"period\": \"1m30s\", \"bytes\": \"16Gi\", \"milli\": 2.5}",
    "\xEF\xBB\xBF{\r\n\"a\\u00e9\\ud83d\\ude00\": [null, true, -0.5e-3, \"\\n\\\"\", "
    "{}],\r\n\"b\": []}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,\"k\":11,"
    "\"l\":12,"
    "\"m\":13,\"n\":14,\"o\":15,\"p\":16,\"q\":17,\"r\":18}",
};

static const char *const yaml_seeds[] = {
    "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    k8s.aliyun.com/eci-gpu-type : "
    "\"P4\"\n"
    "spec:\n  containers:\n  - name: x\n    resources: {limits: {nvidia.com/gpu: \"1\"}}\n",
    "base: &b {x: 1, y: 0644, z: [.5, ~, yes]}\none:\n  <<: *b\n  x: !!str 10\ntwo: [*b, *b]\n",
    "--- |\n  block\n  text\n---\n? key\n: 'quo''ted'\n...\n--- \"\\x41\\u00e9\\0\"\n",
    "a: [1_000, 0x1F, 0b101, 1e999, .nan]\nb: url // none # comment\n",
};

static const char *const bind_seeds[] = {
    "{\"lit\": false, \"seed\": \"9007199254740993\", \"floors\": 3, \"load\": 1e3, \"share\": 1,"
    "\"percent\": \"12.5%\", \"even\": 8, \"period\": 0, \"bytes\": 1024, \"milli\": 2.5,"
    "\"price\": \"60000 USD\", \"text\": \"t\", \"colour\": \"red\", \"corner\": {\"x\": -1},"
    "\"attic\": {}, \"rooms\": [{\"name\": \"a\"}, {\"name\": \"b\", \"wait\": \"2m\"}],"
    "\"tags\": [\"x\"], \"labels\": {\"b.c/d\": \"1\"}, \"scaler\": {\"fixed\": 8}}"
    "\n=====\nrooms.b.wait=5m",
    "boot: {distribution: weibull, shape: 2, scale: 1s}\nscaler: {hpa: {minReplicas: 2}}\n"
    "\n=====\nscaler.hpa.maxReplicas=4",
    "{\"boot\": {\"distribution\": \"lognormal\", \"median\": \"10s\", \"sigma\": 0.5}}\n=====\n"
    "boot={\"distribution\": \"gamma\", \"mean\": \"1s\", \"cv\": 0.5}",
    "qps: {profile: [{at: 0s, qps: 1}, {at: 10m, qps: 95}], interpolation: steps}\n"
    "arrivals: {gamma: 2}\nshape: {holidays: {dates: [\"2024-10-01\"], scale: 0.2}}\n",
    "profile: ack\nscanInterval: 30s\n\n=====\nutilizationThreshold=0.5",
};

/* Pieces that break readers more often than random bytes do. */
static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "\n",
    "\r\n",
    "\t",
    " ",
    "- ",
    "---\n",
    "&a ",
    "*a",
    "<<: ",
    "!!int ",
    "|\n",
    "#",
    "//",
    "null",
    "NaN",
    "1e999",
    "-",
    "01",
    "9007199254740993",
    "99999999999999999999",
    "\xFF",
    "\xE4\xB8\xAD",
    "\xEF\xBB\xBF",
    "100ms",
    "%",
    "16Gi",
    " CNY",
    "\n=====\n",
    "=",
    ".",
    "[0]",
    "? ",
    "%YAML 1.1\n",
};

struct chain {
    uint64_t state;
};

/* The first byte chooses the format: 0x06 tells it from the text, with a batch of 1. */
static const char *const timings_seeds[] = {
    "\x06"
    "1,0.1,0.2,30\n2,0.2\n",
    "\x06"
    "Concurrency,Inferences/Second,Server Compute Infer,p50 latency,p99 latency\n"
    "1,69.2,11781,13891,21018\n2,87.2,11346,21874,34766\n",
    "\x06"
    "Model,Batch,Concurrency,Model Config Path,Instance Group,Throughput (infer/sec),"
    "p99 Latency (ms)\nm,1,1,m_0,\"[4, \"\"8]\",160.0,8.1\n\nModel,GPU ID\nx,0\n",
    "\x06"
    "MLPerf Results Summary\nScenario : MultiStream\nResult is : VALID\n"
    "Mean latency (ns) : 7065755\n99.00 percentile latency (ns) : 7577115\n"
    "samples_per_query : 8\n",
    "\x06"
    ":::MLLOG {\"key\": \"effective_scenario\", \"value\": \"SingleStream\"}\n"
    ":::MLLOG {\"key\": \"result_mean_latency_ns\", \"value\": 31329862}\n",
};

static const char *const trace_seeds[] = {
    "{\"SpotPriceHistory\": [{\"AvailabilityZone\": \"a\", \"InstanceType\": \"p3\", "
    "\"ProductDescription\": \"Linux/UNIX\", \"SpotPrice\": \"1.0332\", "
    "\"Timestamp\": \"2022-05-31T23:20:41+00:00\"}, {\"AvailabilityZone\": \"a\", "
    "\"InstanceType\": \"p3\", \"SpotPrice\": \"2\", \"Timestamp\": "
    "\"2022-05-31T20:20:41Z\"}]}",
    "{\"Currency\": \"CNY\", \"SpotPrices\": {\"SpotPriceType\": [{\"ZoneId\": \"g\", "
    "\"InstanceType\": \"v\", \"NetworkType\": \"vpc\", \"Timestamp\": "
    "\"2024-03-01T00:00:00Z\", \"OriginPrice\": 26.46, \"SpotPrice\": 5.31}]}}",
    "{\"metadata\": {\"gap_seconds\": 195}, \"data\": [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 16, 3, 0, 2]}",
    "time,price,currency,zone\n2024-03-01T02:00:00Z,1.5,CNY,\"a,b\"\n0,1.25,CNY,\"a,b\"\n",
    "timestamp_utc;spot_price_usd_per_h\n0;0.065\n300;0.064\n600;0.07\n2400;0.063\n4000;0.1\n",
    "time,available,zone\n0,3,a\n60,3,a\n120,2,a\n0,1,b\n60,0,b\n",
    "lifetime,lost,zone\n3h20m,1,a\n1.5,0,b\n2h,1,a\n1h,1,a\n5h,1,b\n9h,1,b\n10h,0,b\n",
    "start,end\n10,100\n40,\n,70\n50,60\n1,2\n1,9\n1,30\n2,77\n",
};

/* SplitMix64. */
static uint64_t draw(struct chain *c)
{
    uint64_t z = (c->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static size_t below(struct chain *c, size_t n)
{
    return n ? (size_t)(draw(c) % n) : 0;
}

static size_t insert(char *buf, size_t length, size_t at, const char *what, size_t n)
{
    if (length + n > LONGEST)
        return length;
    memmove(buf + at + n, buf + at, length - at);
    memcpy(buf + at, what, n);
    return length + n;
}

static size_t mutate(struct chain *c, char *buf, size_t length)
{
    size_t at = below(c, length + 1), n = below(c, 16), kind = below(c, 5);
    char copy[16];
    if (kind == 0) {
        const char *piece = pieces[below(c, sizeof pieces / sizeof *pieces)];
        return insert(buf, length, at, piece, strlen(piece));
    }
    if (at == length)
        return length;
    n = n > length - at ? length - at : n;
    if (kind == 1) { /* cut */
        memmove(buf + at, buf + at + n, length - at - n);
        return length - n;
    }
    if (kind == 2) { /* copy to elsewhere */
        memcpy(copy, buf + at, n);
        size_t to = below(c, length + 1);
        return insert(buf, length, to, copy, n);
    }
    if (kind == 3)
        buf[at] = (char)draw(c);
    else
        buf[at] = (char)(buf[at] ^ (1 << below(c, 8)));
    return length;
}

static void hammer(const char *const *seeds, size_t n, void (*one)(const char *, size_t))
{
    char *buf = malloc(LONGEST);
    for (uint64_t run = 0; run < RUNS; run++) {
        struct chain c = {run};
        const char *seed = seeds[below(&c, n)];
        size_t length = strlen(seed);
        memcpy(buf, seed, length);
        for (size_t i = 0, times = below(&c, 6); i < times; i++)
            length = mutate(&c, buf, length);
        /* a block of its own, so that a sanitizer sees one byte too far */
        char *exact = malloc(length ? length : 1);
        memcpy(exact, buf, length);
        one(exact, length);
        free(exact);
    }
    free(buf);
}

Test(fuzz, json_holds_its_laws_on_damaged_input)
{
    hammer(json_seeds, sizeof json_seeds / sizeof *json_seeds, fixture_fuzz_json);
}

Test(fuzz, yaml_holds_its_laws_on_damaged_input)
{
    hammer(yaml_seeds, sizeof yaml_seeds / sizeof *yaml_seeds, fixture_fuzz_yaml);
}

Test(fuzz, bind_holds_its_laws_on_damaged_input)
{
    hammer(bind_seeds, sizeof bind_seeds / sizeof *bind_seeds, fixture_fuzz_bind);
}

Test(fuzz, timings_hold_their_laws_on_damaged_input)
{
    hammer(timings_seeds, sizeof timings_seeds / sizeof *timings_seeds, fixture_fuzz_timings);
}

Test(fuzz, traces_hold_their_laws_on_damaged_input)
{
    hammer(trace_seeds, sizeof trace_seeds / sizeof *trace_seeds, fixture_fuzz_trace);
}
