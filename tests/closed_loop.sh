#!/usr/bin/env bash
# closed_loop: a calibration of this processor drives a scenario; does it foretell the measured server?
#
# usage: tests/closed_loop.sh [MODEL [SEQUENCE]]   (bert_tiny by default; inception_v3, bert_base)
# By hand, on a quiet machine. Each of RUNS=3 rounds calibrates with requests that arrive as they will
# (back to back with BACK_TO_BACK=1: a small network may then be too fast, its caches are warm), measures
# the server scenario at LOAD=0.5 of the capacity with QUERIES=2000 Poisson arrivals, simulates one
# replica with the profile, and prints simulated / measured. The medians must lie within 10 % for the mean latency and 25 % for
# p99. Exit 77: the service time itself moved more than that, so nothing can be said. THREADS=0 leaves
# OpenBLAS' number; SECONDS_A_BATCH=10; PROGRAM=.build/release/sluice.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${PROGRAM:-.build/release/sluice}")
model=${1:-bert_tiny} sequence=${2:-0}
runs=${RUNS:-3} load=${LOAD:-0.5} queries=${QUERIES:-2000} seconds=${SECONDS_A_BATCH:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(--model "$model")
arrivals=(--load "$load")
[ -z "${BACK_TO_BACK:-}" ] || arrivals=()
[ "$sequence" -eq 0 ] || options+=(--sequence "$sequence")
[ "${THREADS:-0}" -eq 0 ] || options+=(--threads "$THREADS")

# value FILE OBJECT KEY: a number of a JSON document with a key a line.
value() {
    awk -v object="\"$2\": {" -v key="\"$3\":" '
        object == "\"\": {" || index($0, object) { inside = 1 }
        inside && $1 == key { sub(",", "", $2); print $2; exit }' "$1"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f\n", a / b }'; }

echo "round  service ms  qps      mean ms measured simulated ratio   p99 ms measured simulated ratio   drift"
for round in $(seq "$runs"); do
    "$program" calibrate "${options[@]}" "${arrivals[@]}" --batches 1,2 --min-duration "${seconds}s" --date 2000-01-01 \
        -o "$work/profile.json" >"$work/table" 2>"$work/progress"
    name=$(sed -n 's/.*"name": "\(.*\)",/\1/p' "$work/profile.json")
    rate=$(value "$work/profile.json" "" itemsPerSecond)
    qps=$(awk -v r="$rate" -v l="$load" 'BEGIN { printf "%.6g", r * l }')
    # as long as the queries take, and no shorter than ten seconds
    length=$(awk -v q="$qps" -v n="$queries" 'BEGIN { s = n / q; printf "%d", s < 10 ? 10 : s + 1 }')
    "$program" bench network "${options[@]}" --scenario server --qps "$qps" --seed "$round" \
        --queries "$queries" --min-duration "${length}s" --max-duration "$((length * 2))s" \
        --format json --no-store >"$work/bench.json"
    cat >"$work/scenario.json" <<END
{ "sluice": 1, "name": "closed-loop", "horizon": "$((length * 10))s", "replications": 8,
  "services": [ { "name": "one", "initialReplicas": 1, "autoscaler": { "fixed": 1 },
    "traffic": { "qps": $qps, "arrivals": "poisson" },
    "serving": { "balance": "central_fifo", "discipline": "fifo", "concurrency": 1,
      "serviceTime": { "calibration": "$name", "file": "profile.json" } },
    "ingress": { "workers": 1, "timeout": "0" } } ] }
END
    "$program" run "$work/scenario.json" --no-store --format json >"$work/run.json"
    mean=$(value "$work/bench.json" latency mean) p99=$(value "$work/bench.json" latency p99)
    simulated_mean=$(value "$work/run.json" latency mean) simulated_p99=$(value "$work/run.json" latency p99)
    ratio "$simulated_mean" "$mean" >>"$work/mean"
    ratio "$simulated_p99" "$p99" >>"$work/p99"
    awk -v a="$(value "$work/bench.json" service mean)" -v r="$rate" \
        'BEGIN { d = a * r - 1; printf "%.4f\n", d < 0 ? -d : d }' >>"$work/drift"
    awk -v n="$round" -v s="$rate" -v q="$qps" -v m="$mean" -v sm="$simulated_mean" -v p="$p99" \
        -v sp="$simulated_p99" -v d="$(tail -n 1 "$work/drift")" 'BEGIN {
        printf "%5d  %10.3f  %-7.5g %16.3f %9.3f %5.2f %17.3f %9.3f %5.2f   %.1f %%\n", n, 1e3 / s, q,
            m * 1e3, sm * 1e3, sm / m, p * 1e3, sp * 1e3, sp / p, d * 100 }'
done
mean=$(median <"$work/mean") p99=$(median <"$work/p99") drift=$(median <"$work/drift")
echo "simulated / measured, median of $runs: mean $mean, p99 $p99; service time moved by $drift"
within() { awk -v r="$1" -v most="$2" 'BEGIN { exit !(r > 1 - most && r < 1 + most) }'; }
if within "$mean" 0.10 && within "$p99" 0.25; then
    echo "closed loop: $model agrees"
elif ! awk -v d="$drift" 'BEGIN { exit !(d < 0.05) }'; then
    echo "closed loop: too noisy here, the service time itself moved"
    exit 77
else
    echo "closed loop: $model does NOT agree within 10 % (mean) and 25 % (p99)"
    exit 1
fi
