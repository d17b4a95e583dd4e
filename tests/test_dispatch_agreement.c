/* test_dispatch_agreement: the fast dispatchers and the event engine say the same about random
 * lives of a service, at every mark and in the canonical digest. */
#include "sim/digest.h"
#include "tests/dispatch_play.h"

#include <criterion/criterion.h>

#if defined(__SANITIZE_ADDRESS__)
#define LIVES 60 /* a tenth of the speed */
#else
#define LIVES 350
#endif
#define REQUESTS 10000

static struct play fast, oracle;

static void print_record(const struct play_record *r, const char *who)
{
    cr_log_error(
        "  %-6s %s at %lld (%lld): arrived %llu served %llu failed %llu/%llu/%llu/%llu/%llu "
        "tries %llu sent %llu refused %llu timed out %llu waiting %llu running %llu "
        "retrying %llu busy %lld (of 0: %lld) inside %llu digest %016llx",
        who, play_names[r->kind], (long long)r->at, (long long)r->detail,
        (unsigned long long)r->arrived, (unsigned long long)r->served,
        (unsigned long long)r->failed[0], (unsigned long long)r->failed[1],
        (unsigned long long)r->failed[2], (unsigned long long)r->failed[3],
        (unsigned long long)r->failed[4], (unsigned long long)r->tries, (unsigned long long)r->sent,
        (unsigned long long)r->refused, (unsigned long long)r->timed_out,
        (unsigned long long)r->waiting, (unsigned long long)r->running,
        (unsigned long long)r->retrying, (long long)r->busy_ns, (long long)r->busy_of[0],
        (unsigned long long)r->inside_ns, (unsigned long long)r->digest);
}

static void compare(uint64_t seed)
{
    size_t n = fast.n < oracle.n ? fast.n : oracle.n;
    for (size_t i = 0; i < n; i++) {
        if (!memcmp(&fast.records[i], &oracle.records[i], sizeof *fast.records))
            continue;
        print_record(&fast.records[i], "fast");
        print_record(&oracle.records[i], "events");
        cr_assert_fail("seed %llu: record %zu differs", (unsigned long long)seed, i);
    }
    cr_assert_eq(fast.n, oracle.n, "seed %llu: %zu records, not %zu", (unsigned long long)seed,
                 fast.n, oracle.n);
}

static void agree(const char *engine, enum balance balance, enum discipline discipline,
                  uint64_t first_seed)
{
    uint64_t served = 0, ended = 0;
    for (uint64_t seed = first_seed; seed < first_seed + LIVES; seed++) {
        play_make(&fast, seed, balance, discipline, REQUESTS);
        memcpy(&oracle, &fast, sizeof oracle);
        oracle.setup.service = oracle.services;
        play_run(&fast, false);
        play_run(&oracle, true);
        cr_assert_str_empty(fast.failure, "seed %llu, %s: %s", (unsigned long long)seed, engine,
                            fast.failure);
        cr_assert_str_empty(oracle.failure, "seed %llu, events: %s", (unsigned long long)seed,
                            oracle.failure);
        compare(seed);
        const struct play_record *last = &fast.records[fast.n - 1];
        served += last->served;
        ended += last->arrived - last->waiting - last->running - last->retrying;
        play_free(&fast);
    }
    /* The lives must not be so wild that hardly anything is served. */
    cr_assert_gt(served, ended / 4);
    cr_assert_gt(ended, (uint64_t)LIVES * REQUESTS * 3 / 4);
}

Test(dispatch_agreement, central_fifo_and_the_event_engine_agree)
{
    agree("central_fifo", BALANCE_CENTRAL, DISCIPLINE_FIFO, 1);
}

Test(dispatch_agreement, round_robin_fifo_and_the_event_engine_agree)
{
    agree("round_robin_fifo", BALANCE_ROUND_ROBIN, DISCIPLINE_FIFO, 100001);
}

Test(dispatch_agreement, round_robin_shared_and_the_event_engine_agree)
{
    agree("round_robin_shared", BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED, 200001);
}

/* The same bits with every compiler. A change here is a change of results: raise the model
 * version. */
Test(dispatch_agreement, digests_are_those_recorded)
{
    static const struct {
        enum balance balance;
        enum discipline discipline;
        uint64_t digest;
    } rows[] = {
        {BALANCE_CENTRAL, DISCIPLINE_FIFO, UINT64_C(0xa9b6c6dbe7e0b0ab)},
        {BALANCE_ROUND_ROBIN, DISCIPLINE_FIFO, UINT64_C(0x4ffcc5cd9825ff08)},
        {BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED, UINT64_C(0xc3681e64e7af1f72)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct digest g = {0};
        for (uint64_t seed = 1; seed <= 20; seed++) {
            play_make(&fast, seed, rows[i].balance, rows[i].discipline, 2000);
            play_run(&fast, false);
            digest_u64(&g, fast.records[fast.n - 1].digest);
            play_free(&fast);
        }
        cr_expect_eq(digest_value(&g), rows[i].digest, "row %zu: %016llx", i,
                     (unsigned long long)digest_value(&g));
    }
}
