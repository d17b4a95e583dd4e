#!/usr/bin/env bash
# check_gpu: on a machine with an NVIDIA GPU: correctness first, then every network and batch, timed.
#
# usage: kernels/check_gpu.sh [FOLDER]. Builds what it needs under .build/gpu (the CUDA toolkit must be
# there), runs the operators and networks on the GPU against their double references, and then
# measures the operators one by one and the networks; all in under eight minutes. FOLDER
# (gpu-results) gets a JSON file a measurement, a table, and what the machine is. Exit 1 when a result is wrong, 3 when the machine lacks something:
# then nothing was measured. Nothing here claims a figure that this GPU did not give.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
start=$SECONDS
limit=${SLUICE_GPU_SECONDS:-420} # measurements that would begin later are left out
case "${1:-}" in
-h | --help)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 0
    ;;
-*)
    echo "check_gpu: '$1' is no folder; usage: kernels/check_gpu.sh [FOLDER]" >&2
    exit 2
    ;;
esac
folder=${1:-gpu-results}

fail() {
    echo "check_gpu: $*" >&2
    exit 3
}
say() { printf '%4d s  %s\n' $((SECONDS - start)) "$*"; }

# A GPU, as the driver shows it.
find_gpu() {
    local hint="nothing was measured; 'sluice bench network --backend cpu' measures the processor"
    command -v nvidia-smi >/dev/null ||
        [ -e /proc/driver/nvidia/version ] || [ -e /dev/dxg ] || [ -e /dev/nvhost-ctrl ] ||
        fail "there is no NVIDIA driver here: $hint"
    if command -v nvidia-smi >/dev/null; then
        gpu=$(nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>&1 | head -n 1)
        target=$(printf '%s' "$gpu" | sed -n 's/.*, *\([0-9]*\)\.\([0-9]*\)$/\1\2/p')
        [ -n "$target" ] || fail "nvidia-smi shows no GPU (${gpu:-no answer}): $hint"
    fi
}

# The toolkit; an old one that does not know the GPU is said here, not by a failing kernel.
find_nvcc() {
    nvcc=$(command -v nvcc || true)
    [ -n "$nvcc" ] || ! [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ] || nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
    [ -n "$nvcc" ] || fail "nvcc is not found: put a CUDA toolkit (11.8 or later) into PATH or CUDA_HOME"
    known=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_//p' | tr '\n' ' ')
    [ -z "${target:-}" ] || case " $known" in
    *" $target "*) ;;
    *) fail "this nvcc knows compute capabilities ${known}and the GPU has $target: another CUDA toolkit is needed" ;;
    esac
}

build() {
    # shellcheck source=scenarios/setup.sh
    . scenarios/setup.sh
    (setup_packages test && mkdir -p .build/gpu &&
        CUDACXX=$nvcc cmake -S . -B .build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLUICE_CUDA=ON \
            -DCUDAToolkit_ROOT="$(dirname "$(dirname "$nvcc")")" ${target:+-DSLUICE_CUDA_ARCH="$target"} &&
        ninja -C .build/gpu sluice sluice_gpu_tests) >"$folder/build.log" 2>&1 </dev/null || {
        tail -n 30 "$folder/build.log" >&2
        fail "the build failed; all of it is in $folder/build.log"
    }
}

describe() {
    {
        date -u '+%Y-%m-%dT%H:%M:%SZ'
        git rev-parse HEAD 2>/dev/null || true
        "$nvcc" --version | tail -n 2
        ! command -v nvidia-smi >/dev/null || nvidia-smi -q -d CLOCK,POWER,PERFORMANCE,TEMPERATURE,MEMORY
    } >"$folder/machine.txt" 2>&1
}

check() {
    OPENBLAS_NUM_THREADS=$(nproc) timeout 180 .build/gpu/sluice_gpu_tests -j1 >"$folder/correctness.log" 2>&1 || {
        tail -n 40 "$folder/correctness.log" >&2
        echo "check_gpu: results differ from the reference: nothing was timed; $folder/correctness.log" >&2
        exit 1
    }
    tail -n 1 "$folder/correctness.log"
}

# Figures by name out of the JSON that the program writes: one on a line, two blanks a level.
figure() { # key, file
    sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$2" | head -n 1
}

measure() { # name, arguments...
    local name=$1 rc=0
    shift
    if [ $((SECONDS - start)) -ge "$limit" ]; then
        say "left out for want of time: $name"
        left_out=$((left_out + 1))
        return
    fi
    timeout 45 .build/gpu/sluice bench network --backend cuda --format json --no-store \
        --algorithms "$folder/algorithms.json" "$@" >"$folder/$name.json" 2>"$folder/$name.err" || rc=$?
    if [ "$rc" -ne 0 ]; then
        say "$name: $(tail -n 1 "$folder/$name.err") (exit $rc)"
        rm -f "$folder/$name.json"
        # a batch that does not fit the memory is no fault
        grep -q 'MiB are wanted' "$folder/$name.err" || broken=$((broken + 1))
        return
    fi
    rm -f "$folder/$name.err"
    printf '%s,%s,%s,%s,%s,%s\n' "$name" "$(figure p50 "$folder/$name.json")" "$(figure p90 "$folder/$name.json")" \
        "$(figure p99 "$folder/$name.json")" "$(figure itemsPerSecond "$folder/$name.json")" \
        "$(figure gflops "$folder/$name.json")" >>"$folder/table.csv"
    say "$(tail -n 1 "$folder/table.csv")"
}

# Every operator of both networks: checked once more, now in its network's own sizes, then timed.
operators() {
    local rc=0
    if [ $((SECONDS - start)) -ge "$limit" ]; then
        say "left out for want of time: operators"
        left_out=$((left_out + 1))
        return
    fi
    timeout 90 .build/gpu/sluice bench kernels --backend cuda --format json --no-store \
        --max-duration 20s >"$folder/operators.json" 2>"$folder/operators.err" || rc=$?
    if grep -q 'double reference' "$folder/operators.err"; then
        echo "check_gpu: $(tail -n 1 "$folder/operators.err")" >&2
        exit 1
    fi
    if [ "$rc" -ne 0 ]; then
        say "operators: $(tail -n 1 "$folder/operators.err") (exit $rc)"
        rm -f "$folder/operators.json"
        broken=$((broken + 1))
        return
    fi
    rm -f "$folder/operators.err"
    say "operators: $(grep -c '"medianInterval"' "$folder/operators.json") were checked and timed"
}

find_gpu
find_nvcc
mkdir -p "$folder" || fail "$folder cannot be made"
rm -f "$folder"/*.json "$folder"/*.err "$folder/table.csv"
say "${gpu:-a GPU}; nvcc ${nvcc}; results go to $folder"
build
say "built"
describe
.build/gpu/sluice bench network --backend cuda --model bert_tiny --no-store --min-duration 100ms \
    --max-duration 1s >"$folder/first.txt" 2>&1 || fail "$(tail -n 1 "$folder/first.txt")"
check

echo "measurement,p50_s,p90_s,p99_s,items_per_s,gflops" >"$folder/table.csv"
left_out=0 broken=0
operators
short="--min-duration 2s --max-duration 5s"
for batch in 1 8 32 2 4 16 64 128; do
    for model in bert_base inception_v3; do
        # shellcheck disable=SC2086 # two options and their values
        measure "$model-b$batch" --model $model --batch $batch $short
    done
done
for model in bert_base inception_v3; do
    # the same without a graph: what launches cost; with a cold cache; and under load
    # shellcheck disable=SC2086
    measure "$model-b1-no-graph" --model $model --batch 1 --graph-batch 0 $short
    # shellcheck disable=SC2086
    measure "$model-b1-isolated" --model $model --batch 1 --isolated $short
    # shellcheck disable=SC2086
    measure "$model-b8-offline" --model $model --batch 8 --scenario offline $short
done
say "done: $(($(wc -l <"$folder/table.csv") - 1)) measurements, $left_out left out, $broken failed; $folder/table.csv"
[ "$broken" -eq 0 ]
