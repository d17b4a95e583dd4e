#!/usr/bin/env bash
# gpu_script: kernels/check_gpu.sh refuses what it must, and with tools of straw does all its steps.
#
# usage: gpu_script.sh [ROOT [BUILD]]. No GPU is asked for: nvidia-smi, nvcc, cmake and ninja are small
# scripts, and what stands for the program prints one measurement of this processor.
. "$(dirname "$0")/common.sh"
build=${2:-.build/release}
program=$PWD/$build/sluice
[ -x "$program" ] || skip "$program is not built"
[ ! -e /proc/driver/nvidia/version ] || skip "this machine has a GPU"
[ ! -e /dev/dxg ] || skip "this machine may have a GPU"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
bad=""

mkdir -p "$work"/{tree/kernels,tree/scenarios,tree/.build/gpu,bin,home}
cp kernels/check_gpu.sh "$work/tree/kernels/"
printf 'setup_packages() { :; }\n' >"$work/tree/scenarios/setup.sh"
straw() { # name, body
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# expect CODE TEXT WHAT [ARGUMENTS]: the script's exit and what it says.
expect() {
    local code=$1 text=$2 what=$3 rc=0
    shift 3
    (cd "$work/home" && CUDA_HOME=$work/none PATH=$work/bin:/usr/bin:/bin bash "$work/tree/kernels/check_gpu.sh" "$@") \
        >"$work/out" 2>&1 || rc=$?
    count=$((count + 1))
    if [ "$rc" -ne "$code" ] || ! grep -qF -- "$text" "$work/out"; then
        bad="$bad
$what: exit $rc, $code is right: $(tail -n 2 "$work/out" | tr '\n' ' ')"
    fi
}

! command -v nvidia-smi >/dev/null || skip "nvidia-smi is there"
expect 3 "no NVIDIA driver here: nothing was measured; 'sluice bench network --backend cpu'" "no driver"
expect 2 "'--fast' is no folder" "an option" --fast
straw nvidia-smi 'echo "No devices were found"; exit 6'
expect 3 "nvidia-smi shows no GPU (No devices were found)" "a driver without a GPU"
straw nvidia-smi 'case "$*" in *query-gpu*) echo "Tesla P4, 6.1";; *) echo details;; esac'
if ! PATH=/usr/bin:/bin command -v nvcc >/dev/null; then
    expect 3 "nvcc is not found" "no toolkit"
fi
straw nvcc 'case "$1" in --list-gpu-arch) echo compute_75; echo compute_90;; *) echo release 13.0;; esac'
expect 3 "knows compute capabilities 75 90 and the GPU has 61" "a toolkit that is too new"
[ ! -e "$work/tree/gpu-results" ] || bad="$bad
a refusal left a folder behind"

straw nvcc 'case "$1" in --list-gpu-arch) echo compute_61;; *) echo release 11.8;; esac'
straw cmake 'exit 1'
straw ninja 'exit 0'
expect 3 "the build failed" "a build that fails"
straw cmake 'exit 0'
straw git 'exit 1'
"$program" bench network --backend cpu --model bert_tiny --format json --no-store --queries 1 \
    --min-duration 1ms --max-duration 20ms >"$work/one.json" || { cat "$work/one.json"; exit 1; }
cat >"$work/tree/.build/gpu/sluice" <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
case "\$*" in
*"--batch 128"*) echo "sluice: CUDA: 9000 MiB are wanted on Tesla P4, 100 of its 7600 MiB are free" >&2; exit 3 ;;
*"--batch 64"*) [ ! -e "$work/breaks" ] || { echo "sluice: CUDA: it broke" >&2; exit 3; } ;;
esac
case "\$*" in
*"bench kernels"*)
    [ ! -e "$work/off" ] || { echo "sluice: bert_base, pooler.dense: the result differs from the double reference by 0.1" >&2; exit 3; }
    [ ! -e "$work/breaks" ] || { echo "sluice: CUDA: it broke" >&2; exit 3; }
    printf '"medianInterval"\n"medianInterval"\n'
    ;;
*) cat "$work/one.json" ;;
esac
END
printf '#!/bin/sh\necho tested\n[ ! -e "%s" ]\n' "$work/wrong" >"$work/tree/.build/gpu/sluice_gpu_tests"
chmod +x "$work"/tree/.build/gpu/sluice*
expect 0 "20 measurements, 0 left out, 0 failed" "all steps" "$work/results"
rows=$(awk -F, 'NR > 1 && NF == 6 && $2 > 0 && $3 > 0 && $4 > 0 && $5 > 0 && $6 > 0' "$work/results/table.csv" | wc -l)
[ "$rows" -eq 20 ] || bad="$bad
the table has $rows rows of six figures, 20 are right"
for file in machine.txt correctness.log first.txt build.log bert_base-b1.json inception_v3-b8-offline.json; do
    [ -s "$work/results/$file" ] || [ "$file" = build.log ] || bad="$bad
$file is missing or empty"
done
grep -q 'operators: 2 were checked and timed' "$work/out" && [ -s "$work/results/operators.json" ] || bad="$bad
the operators were not measured"
grep -q -- '--graph-batch 0' "$work/calls" && grep -q -- '--scenario offline' "$work/calls" || bad="$bad
no run without graphs, or none offline"
SLUICE_GPU_SECONDS=0 expect 0 "0 measurements, 23 left out, 0 failed" "no time" "$work/results"
touch "$work/breaks"
expect 1 "18 measurements, 0 left out, 3 failed" "a measurement that fails" "$work/results"
rm "$work/breaks"
touch "$work/off"
expect 1 "pooler.dense: the result differs from the double reference" "a wrong operator" "$work/results"
touch "$work/wrong"
expect 1 "results differ from the reference: nothing was timed" "wrong results" "$work/results"
verdict "$count" "ways through kernels/check_gpu.sh" "$(printf '%s\n' "$bad" | sed '/^$/d')"
