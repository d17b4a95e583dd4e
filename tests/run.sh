#!/usr/bin/env bash
# run: every test and check: builds with both compilers and under sanitizers, tests, laws of the tree.
#
# usage: tests/run.sh. Installs what is missing, takes some minutes on two processors, and ends with
# one line "N passed, N failed, N skipped". Logs lie under .build/checks.
set -uo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scenarios/setup.sh
. scenarios/setup.sh

passed=0 failed=0 skipped=0
logs=$PWD/.build/checks
rm -rf "$logs"
mkdir -p "$logs"
start=$SECONDS

say() { printf '%4d s  %s\n' $((SECONDS - start)) "$*"; }
good() { # what, how many
    passed=$((passed + ${2:-1}))
    say "ok    $1"
}
bad() { # what, log, how many
    failed=$((failed + ${3:-1}))
    say "FAIL  $1"
    [ -z "${2:-}" ] || tail -n 60 "$2" | cut -c1-300 | sed 's/^/      /'
}
pass_over() { # what, how many
    skipped=$((skipped + ${2:-1}))
    say "skip  $1"
}

export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1
reports='(Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:'

# Exit 77 of a check means that it could not be made here.
check() { # name, command...
    local name=$1 rc=0
    shift
    "$@" >"$logs/$name.log" 2>&1 </dev/null || rc=$?
    case $rc in
    0) good "$(tail -n 1 "$logs/$name.log")" ;;
    77) pass_over "$(tail -n 1 "$logs/$name.log")" ;;
    *) bad "$name (exit $rc)" "$logs/$name.log" ;;
    esac
}

# A Criterion program. Its log is searched too: a leaking test passes for Criterion, and a test that
# found no reference data passes after saying so.
criterion() { # name, program, arguments...
    local name=$1 log=$logs/$1.log rc=0 tested failing
    shift
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    tested=$(sed -n 's/.*Synthesis: Tested: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    failing=$(sed -n 's/.*Failing: \([0-9]*\) | Crashing: \([0-9]*\).*/\1 + \2/p' "$log" | tail -n 1)
    failing=$((${failing:-1}))
    tested=${tested:-0}
    if grep -qE "$reports" "$log"; then
        grep -nE -A 12 "$reports" "$log" | head -n 60 >"$log.short"
        bad "$name: a sanitizer reports" "$log.short"
    elif [ "$rc" -ne 0 ] || [ "$failing" -gt 0 ] || [ "$tested" -eq 0 ]; then
        bad "$name: $tested tests, $failing failed (exit $rc)" "$log" $((failing > 0 ? failing : 1))
        passed=$((passed + tested - failing))
    else
        good "$name: $tested tests" "$tested"
    fi
    if grep -q '^skipped:' "$log"; then
        if [ -d ../shared ]; then
            grep '^skipped:' "$log" >"$log.short"
            bad "$name: reference data was not found, although ../shared is there" "$log.short"
        else
            pass_over "$name: parts that need reference data in ../shared" "$(grep -c '^skipped:' "$log")"
        fi
    fi
}

# A script that counts for itself.
counted() { # name, command...
    local name=$1 log=$logs/$1.log rc=0 line
    shift
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ "$rc" -eq 0 ] && [ -n "$line" ] && [ "${line%% *}" -gt 0 ]; then
        good "$name: $line" "${line%% *}"
    else
        bad "$name: ${line:-no count} (exit $rc)" "$log"
    fi
}

build() { # name, CMake options...
    if (setup_build "$@") >"$logs/build-$1.log" 2>&1; then
        good "build $1"
    else
        bad "build $1" "$logs/build-$1.log"
        return 1
    fi
}

# The program itself, as no test calls it: BERT with its page and store, by two threads.
sanitized_run() { # build
    local out=.build/checks/$1 program=.build/$1/sluice
    mkdir -p "$out"
    "$program" run scenarios/bert-elastic.json --set horizon=6h --replications 2 --threads 2 \
        --db "$out/sluice.db" --report "$out/page.html" >"$out/text" &&
        "$program" run scenarios/theory/mm1-ps.json --set horizon=1h --replications 2 --no-store >"$out/text" &&
        "$program" report last --db "$out/sluice.db" --format json >"$out/json" &&
        echo "run-$1: nothing to report"
}

# Two threads in every operator of both networks: the pool of kernels/parallel.c, each calling
# OpenBLAS for itself. OpenBLAS is not instrumented and reports nothing of its own.
sanitized_bench() { # build
    local out=.build/checks/$1-bench program=.build/$1/sluice model
    mkdir -p "$out"
    for model in "bert_tiny --sequence 16 --batch 3 --tokens 9" inception_v3; do
        # shellcheck disable=SC2086 # a model with its options
        OPENBLAS_NUM_THREADS=2 "$program" bench network --backend cpu --threads 2 --model $model --queries 3 \
            --min-duration 1ms --max-duration 2s --no-store >"$out/text" || return
        grep -q '2 thread(s)' "$out/text" || { cat "$out/text"; return 1; }
    done
    OPENBLAS_NUM_THREADS=2 "$program" bench kernels --backend cpu --threads 2 --model bert_tiny --sequence 5 --batch 2 \
        --max-duration 2s --no-store >"$out/text" && echo "bench-$1: nothing to report"
}

setup_packages test || exit

for name in include_law formatting top_level neutral shape selftest headers_alone; do
    check "$name" bash "tests/checks/$name.sh"
done

# Suites that take long and say the same in every build.
long='@(torch_reference|theory|paths|chance|dispatch_agreement|dispatch_theory|cluster_swarm|fuzz|arrivals|inception|step_bench|bench_operators|bench_limits|network_bench|robustness|stock|batch)'

if build release -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DSLUICE_TESTS=ON; then
    criterion tests-gcc .build/release/sluice_tests
    criterion cuda-shim-gcc .build/release/sluice_cuda_tests
    counted bad_cli tests/bad_cli.sh .build/release/sluice
    counted compare_cases tests/compare_cases.sh .build/release/sluice
    counted drills tests/drills.sh .build/release/sluice
    for name in link_law symbol_prefix installed cuda_build cuda_calls gpu_script; do
        check "$name" bash "tests/checks/$name.sh"
    done
fi
if build clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release -DSLUICE_CUDA=OFF; then
    criterion tests-clang .build/clang/sluice_tests --filter "!($long)/*"
    criterion cuda-shim-clang .build/clang/sluice_cuda_tests
    check same_bytes bash tests/checks/same_bytes.sh
fi
if build asan-ubsan -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
    -DSLUICE_SANITIZE=address,undefined -DSLUICE_CUDA=OFF; then
    criterion tests-asan-ubsan .build/asan-ubsan/sluice_tests --filter "!($long)/*"
    criterion cuda-shim-asan-ubsan .build/asan-ubsan/sluice_cuda_tests --filter '!(networks/inception*)'
    counted bad_cli-asan-ubsan tests/bad_cli.sh .build/asan-ubsan/sluice
    check run-asan-ubsan sanitized_run asan-ubsan
fi
# Criterion does not start under ThreadSanitizer: only the program runs: simulations, and networks.
if build tsan -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSLUICE_SANITIZE=thread -DSLUICE_TESTS=OFF \
    -DSLUICE_CUDA=OFF; then
    check run-tsan sanitized_run tsan
    check bench-tsan sanitized_bench tsan
fi
check asserts_stay bash tests/checks/asserts_stay.sh

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
