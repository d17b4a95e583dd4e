#!/usr/bin/env bash
# compare_cases: the script that compares another implementation finds nothing in ours, and finds
# what a wrong one gets wrong.
#
#   tests/compare_cases.sh [SLUICE]
set -euo pipefail
cd "$(dirname "$0")/.."
sluice=${1:-.build/release/sluice}
command -v jq >/dev/null || { echo "compare_cases: skipped, there is no jq"; exit 0; }
compare=tests/conformance/compare.sh
passed=0 failed=0

expect() { # name, wanted exit code, command...
    local name=$1 want=$2 code=0
    shift 2
    "$@" >/dev/null 2>&1 || code=$?
    if [ "$code" = "$want" ]; then
        passed=$((passed + 1))
    else
        echo "compare_cases: $name: exit code $code, not $want"
        failed=$((failed + 1))
    fi
}

for file in tests/conformance/*.json; do
    expect "$file" 0 $compare "$file" "$sluice" decide -
done
# one replica too many, an answer that is missing, a program that fails
expect "wrong size" 1 $compare tests/conformance/hpa.json sh -c \
    "'$sluice' decide - | jq -c '.result.replicas += 1'"
expect "no answer" 1 $compare tests/conformance/kpa.json sh -c "'$sluice' decide - | sed 1d"
expect "failing program" 2 $compare tests/conformance/keda.json false
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
