#!/bin/sh
# mutants: plants typical mistakes in controllers, readers and kernels, one at a time, and demands that a test fails.
#
#   tests/mutants.sh [FIRST [LAST]]
#
# The mistakes stand in tests/mutants/*.list, one a line:
#   file | what is planted | sed expression | suites that must catch it
# Works on a copy of the tree under .build/mutants. A mistake that no test catches, a mistake whose
# pattern no longer occurs, or one that does not compile ends the script with 1.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$root/.build/mutants
first=${1:-1}
last=${2:-999}


mkdir -p "$work/tree"
sync_tree() {
    (cd "$root" && git ls-files -z --cached --others --exclude-standard) |
        (cd "$root" && xargs -0 ls -d 2>/dev/null) | tar -C "$root" -cf - -T - |
        tar -C "$work/tree" -xf -
}
sync_tree
cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLUICE_WERROR=OFF -DSLUICE_CUDA=OFF \
    -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache || true)" >/dev/null
build() { # test program
    ninja -C "$work/build" "$1" >"$work/build.log" 2>&1
}
build sluice_cuda_tests || { tail -20 "$work/build.log"; exit 1; }

caught=0
missed=0
number=0
cat "$root"/tests/mutants/*.list | grep -v '^#' >"$work/list"
while IFS= read -r line; do
    number=$((number + 1))
    [ "$number" -ge "$first" ] && [ "$number" -le "$last" ] || continue
    file=${line%%|*}
    rest=${line#*|}
    what=${rest%%|*}
    rest=${rest#*|}
    suites=${rest##*|}
    change=${rest%|*}
    sed "$change" "$root/$file" >"$work/tree/$file"
    if cmp -s "$root/$file" "$work/tree/$file"; then
        echo "$number STALE  $what ($file)"
        missed=$((missed + 1))
        continue
    fi
    case $file in
    *.cu* | *cuda*) program=sluice_cuda_tests ;;
    *) program=sluice_tests ;;
    esac
    if ! build $program; then
        echo "$number BROKEN $what ($file)"
        grep -m 3 error "$work/build.log" || true
        missed=$((missed + 1))
    else
        survived=1
        for suite in $(echo "$suites" | tr ',' ' '); do
            if ! timeout 600 "$work/build/$program" --filter "$suite/*" >"$work/test.log" 2>&1; then
                survived=0
                break
            fi
        done
        if [ "$survived" = 1 ]; then
            echo "$number MISSED $what ($file)"
            missed=$((missed + 1))
        else
            echo "$number caught $what"
            caught=$((caught + 1))
        fi
    fi
    cp "$root/$file" "$work/tree/$file"
done <"$work/list"
echo "$caught caught, $missed not"
[ "$missed" = 0 ]
