#!/usr/bin/env bash
# run: every check of the project: builds with both compilers and sanitizers, tests, laws of the tree.
#
#   tests/run.sh          all of it; ends with one line "N passed, N failed, N skipped"
#
# Logs lie under .build/checks. SLUICE_QUICK=1 leaves out the sanitizer build.
set -uo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scenarios/setup.sh
. scenarios/setup.sh

passed=0 failed=0 skipped=0
logs=.build/checks
rm -rf "$logs"
mkdir -p "$logs"

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }

good() { passed=$((passed + ${2:-1})); say "ok    $1"; }
bad() { # what, log
    failed=$((failed + ${3:-1}))
    say "FAIL  $1"
    [ -z "${2:-}" ] || { sed 's/^/      /' "$2" | tail -40; }
}
pass_over() { skipped=$((skipped + 1)); say "skip  $1"; }

# Exit 77 of a check means that it could not be made here.
check() { # name, command...
    local name=$1 rc=0
    shift
    "$@" >"$logs/$name.log" 2>&1 || rc=$?
    case $rc in
    0) good "$name: $(tail -1 "$logs/$name.log")" ;;
    77) pass_over "$(tail -1 "$logs/$name.log")" ;;
    *) bad "$name (exit $rc)" "$logs/$name.log" ;;
    esac
}

# A Criterion program; what sanitizers print fails it, since Criterion itself reports a leaking test
# as passed.
criterion() { # name, program, arguments...
    local name=$1 log=$logs/$1.log rc=0 tested failing
    shift
    LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0" \
        UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1 "$@" >"$log" 2>&1 || rc=$?
    tested=$(sed -n 's/.*Tested: \([0-9]*\).*/\1/p' "$log" | tail -1)
    failing=$(sed -n 's/.*Failing: \([0-9]*\) | Crashing: \([0-9]*\).*/\1+\2/p' "$log" | tail -1)
    failing=$((${failing:-1}))
    if grep -qE 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$log"; then
        grep -nE -A12 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$log" | head -60 >"$log.short"
        bad "$name: a sanitizer reports" "$log.short"
    elif [ "$failing" -gt 0 ] || [ -z "${tested:-}" ] || [ "$rc" -ne 0 ]; then
        grep -vE '^\[SKIP\]' "$log" >"$log.short"
        bad "$name: ${tested:-no} tests, $failing failed (exit $rc)" "$log.short" $((failing > 0 ? failing : 1))
        passed=$((passed + ${tested:-failing} - failing))
    else
        good "$name: $tested tests" "$tested"
    fi
    if [ -d ../shared ] && grep -q 'skipped: .*shared' "$log"; then
        bad "$name: a test skipped its reference data although ../shared is there"
    fi
}

build() { # name, cmake options...
    local name=$1
    shift
    launcher=()
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache); fi
    if (setup_build "$name" "$@" "${launcher[@]}") >"$logs/build-$name.log" 2>&1; then
        good "build $name"
    else
        bad "build $name" "$logs/build-$name.log"
        return 1
    fi
}

setup_packages test

for script in tests/checks/*.sh; do
    name=$(basename "$script" .sh)
    [ "$name" = common ] || [ "$name" = same_bytes ] || check "$name" bash "$script"
done

# Suites that take long and say the same under every compiler.
long='@(theory|paths|chance|dispatch_agreement|swarm)/*'

build release -DCMAKE_BUILD_TYPE=Release &&
    criterion tests-gcc .build/release/sluice_tests
build clang -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang &&
    criterion tests-clang .build/clang/sluice_tests --filter "!($long)"
if [ -z "${SLUICE_QUICK:-}" ]; then
    build asan-ubsan -DCMAKE_BUILD_TYPE=Debug -DSLUICE_SANITIZE=address,undefined -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" &&
        criterion tests-asan-ubsan .build/asan-ubsan/sluice_tests --filter "!($long)"
fi
if [ -x tests/checks/same_bytes.sh ]; then check same_bytes bash tests/checks/same_bytes.sh; fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
