#!/usr/bin/env bash
# drills: --drill given several times to the real program, also twice for one kind: each is played,
# as if the scenario had listed them, and those of the scenario stay.
#
#   tests/drills.sh [SLUICE]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
command -v jq >/dev/null || { echo "drills: skipped, there is no jq"; exit 0; }
sluice=$(realpath "${1:-.build/release/sluice}")
scenario=tests/scenarios/users-spot.json
passed=0 failed=0

run() { # options...
    "$sluice" run "$scenario" --no-store --format json --set robustness=0 "$@"
}

same() { # name, found, wanted
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        echo "drills: $1: $2, not $3"
        failed=$((failed + 1))
    fi
}

# seconds:text of each drill that was played
played() {
    jq -r '[.log[] | select(.subject == "drill" and .what != "reclaimed") | "\(.at | floor):\(.what) \(.reason)"] | join(", ")'
}

digest() {
    jq -r '.digest | tostring'
}

# Two of a kind that overlap, and one of another kind.
slow=registry-slow=10x/60m@10m
slower=registry-slow=4x/60m@20m
loss=spot-loss=1/1@30m
all=$(run --drill $slow --drill $slower --drill $loss)
same "each is played" "$(played <<<"$all")" \
    "600:registry-slow $slow, 1200:registry-slow $slower, 1800:spot-loss $loss, 4200:over $slow, 4800:over $slower"
listed=$(run --set "drills=[\"$slow\", \"$slower\", \"$loss\"]")
same "as listed in the scenario" "$(digest <<<"$all")" "$(digest <<<"$listed")"
added=$(run --set "drills=[\"$slow\"]" --drill $slower --drill $loss)
same "beside those of the scenario" "$(digest <<<"$added")" "$(digest <<<"$all")"

# 90 s of a pull at the full rate: 900 s at a tenth, since the slower registry counts.
pull() {
    jq -r '.startup.imagePull.mean | round'
}
same "the first alone" "$(run --drill $slow --drill $loss | pull)" 900
same "the second alone" "$(run --drill $slower --drill $loss | pull)" 360
same "the slower of both" "$(pull <<<"$all")" 900

# Two losses: half of two, then half of the two that are there again.
preemptions() {
    jq -r '.nodes.preemptions'
}
same "one loss" "$(run --drill spot-loss=1/2@20m | preemptions)" 1
same "two losses" "$(run --drill spot-loss=1/2@20m --drill spot-loss=1/2@60m | preemptions)" 2
same "two losses at one moment" \
    "$(run --drill spot-loss=1/2@20m --drill spot-loss=1/2@20m | preemptions)" 2

# Each finding has its own drill's count, also of those at one moment.
took() {
    jq -r '.findings[] | select(.code == "drill") | .text' | sed 's/.*: \([0-9]* of [0-9]*\) spot.*/\1/' | paste -sd, -
}
same "what each of two at one moment took" \
    "$(run --drill spot-loss=1/2@20m --drill spot-loss=1/1@20m | took)" "1 of 2,1 of 1"

# The second of them is at fault.
words=$("$sluice" run "$scenario" --no-store --drill $slow --drill spot-los=1/2@20m 2>&1 >/dev/null)
code=$?
same "exit code of a wrong second one" "$code" 2
case $words in
*"drills[1]: spot-los=1/2@20m: no drill 'spot-los'"*"did you mean spot-loss?"*) passed=$((passed + 1)) ;;
*) echo "drills: message: $words"; failed=$((failed + 1)) ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
