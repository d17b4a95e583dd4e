#!/usr/bin/env bash
# same_bytes: one scenario and seed give the same bytes from every build and number of threads.
#
# usage: same_bytes.sh [ROOT]. Compares JSON, CSV and text, the page and the dump of the store (but for
# run_wall, the one table with wall time, paths and compiler) of gcc, clang and x86-64-v3 builds with
# 1 and 2 threads. The v3 build is made here; the others are tests/run.sh's.
. "$(dirname "$0")/common.sh"
. scenarios/setup.sh
command -v sqlite3 >/dev/null || skip "sqlite3 is missing"

# Few replications of every shipped scenario, so that all of it takes seconds.
scenarios=$(files '^scenarios/[^/]*\.(json|yaml)$|^scenarios/(theory|bench)/[^/]*\.json$')
variants=".build/release:1 .build/release:2 .build/clang:2"
if grep -qw avx2 /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo; then
    setup_build v3 -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DSLUICE_ARCH=x86-64-v3 -DSLUICE_TESTS=OFF \
        -DSLUICE_CUDA=OFF -DSLUICE_MPI=OFF -DSLUICE_CURL=OFF
    variants="$variants .build/v3:1"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

play() { # variant, scenario: one file with all that it gave
    local dir=$work/$RANDOM program=${1%:*}/sluice threads=${1#*:}
    mkdir "$dir"
    {
        "$program" run "$2" --replications 2 --threads "$threads" --db "$dir/db" \
            --report "$dir/page.html" --format json >"$dir/json" &&
            "$program" report last --db "$dir/db" --format csv >"$dir/csv" &&
            "$program" report last --db "$dir/db" >"$dir/text" &&
            sqlite3 "$dir/db" .dump | grep -v '^INSERT INTO run_wall' >"$dir/dump"
    } 2>&1 || echo "$program failed on $2"
    tail -n +1 "$dir"/{json,csv,text,dump,page.html} | sed "s|$dir|DIR|g"
    rm -rf "$dir"
}

bad=""
for scenario in $scenarios; do
    first=""
    for variant in $variants; do
        [ -x "${variant%:*}/sluice" ] || { echo "$check: ${variant%:*} is not built"; exit 1; }
        play "$variant" "$scenario" >"$work/now" 2>&1
        if [ -z "$first" ]; then
            first=$variant
            mv "$work/now" "$work/first"
            grep -q 'DIR/page.html' "$work/first" && [ "$(wc -c <"$work/first")" -gt 20000 ] ||
                bad="$bad
$scenario: $(grep -m1 'failed\|:' "$work/first" || true)"
        elif ! cmp -s "$work/first" "$work/now"; then
            bad="$bad
$scenario: $variant differs from $first: $(diff "$work/first" "$work/now" | head -4 | cut -c1-200 | tr '\n' ' ' || true)"
        fi
    done
done
verdict "$(printf '%s\n' $scenarios | wc -l)" "scenarios, the same bytes from $(printf '%s ' $variants | sed 's/\.build.//g')" "$(printf '%s\n' "$bad" | sed '/^$/d')"
