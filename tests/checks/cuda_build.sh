#!/usr/bin/env bash
# cuda_build: nvcc compiles every kernel without a warning, into as many registers as the table says.
#
# usage: cuda_build.sh [ROOT [BUILD]]. Reads what nvcc said in BUILD (.build/release), and compiles for
# sm_61 and sm_70 with CUDA 11.8 where tests/cuda_11.sh has unpacked it (SLUICE_CUDA_11=fetch makes it
# do so now). The table is tests/golden/cuda_kernels.csv, by version of nvcc; SLUICE_WRITE_CUDA=1
# writes it anew. A version that the table does not have may not spill.
. "$(dirname "$0")/common.sh"
build=${2:-.build/release}
table=tests/golden/cuda_kernels.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

release_of() { # nvcc: "13.0.88"
    "$1" --version | sed -n 's/.*release .*, V\([0-9.]*\).*/\1/p'
}

rows() { # release, logs...: a row a kernel and target
    local release=$1
    shift
    cat "$@" | awk -v release="$release" '
        /Compiling entry function/ {
            split($0, q, "\047")
            target = q[4]
            kernel = q[2] # _Z12conv_patches...: a length, then the name
            sub(/^_Z/, "", kernel)
            n = kernel + 0
            sub(/^[0-9]+/, "", kernel)
            kernel = substr(kernel, 1, n)
        }
        /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
        /Used [0-9]+ registers/ {
            shared = 0
            for (i = 1; i < NF; i++) {
                if ($i == "Used") registers = $(i + 1)
                if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
            }
            print release "," target "," kernel "," registers "," stack "," stores "," loads "," shared
        }'
}

# The toolkit that the build has found.
found=$(sed -n 's/^CUDAToolkit_NVCC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
releases=""
if [ -n "$found" ] && [ -x "$found" ] && ls "$build"/cuda/*.log >/dev/null 2>&1; then
    releases=$(release_of "$found")
    rows "$releases" "$build"/cuda/*.log >>"$work/rows"
fi

# CUDA 11.8: the last one for Pascal and Volta that Debian has. Only it shows that the API is kept to.
old=""
if [ "${SLUICE_CUDA_11:-}" = fetch ] || [ -f .build/cuda-11.8/ready ]; then
    old=$(bash tests/cuda_11.sh 2>"$work/why") || { cat "$work/why"; old=""; }
fi
if [ -n "$old" ] && command -v clang++ >/dev/null; then
    mkdir -p "$work/old"
    one() { # nvcc, folder, file
        "$1" -ccbin clang++ -std=c++17 -O3 -I. -Werror all-warnings -Xcompiler=-Wall,-Wextra -Xptxas=-v \
            -gencode arch=compute_61,code=sm_61 -gencode arch=compute_70,code=sm_70 \
            -c "$3" -o "$2/$(basename "$3").o" 2>"$2/$(basename "$3").log" || {
            echo "$3: nvcc $1 fails"
            head -20 "$2/$(basename "$3").log"
        }
    }
    export -f one
    bad=$(printf '%s\n' kernels/*.cu | xargs -P "$(nproc)" -I{} bash -c "one $old $work/old {}")
    [ -z "$bad" ] || verdict 0 "" "$bad"
    # what the host code calls is in the runtime of 11.8
    nm -g --defined-only .build/cuda-11.8/tree/usr/lib/x86_64-linux-gnu/libcudart_static.a 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$work/has"
    bad=$(nm -u "$work"/old/*.o | awk '$2 ~ /^(cuda[A-Z]|__cuda)/ { print $2 }' | sort -u |
        comm -23 - "$work/has" | sed 's/$/: is not in the runtime of CUDA 11.8/')
    [ -z "$bad" ] || verdict 0 "" "$bad"
    rows "$(release_of "$old")" "$work"/old/*.log >>"$work/rows"
    releases="$releases $(release_of "$old")"
fi
[ -s "$work/rows" ] || skip "no CUDA toolkit was found by the build, and tests/cuda_11.sh has not unpacked 11.8"

head='cuda,target,kernel,registers,stack_bytes,spill_store_bytes,spill_load_bytes,static_shared_bytes'
sort -u "$work/rows" >"$work/now"
if [ -n "${SLUICE_WRITE_CUDA:-}" ]; then
    touch "$table"
    for r in $releases; do
        grep -v "^$r," "$table" >"$work/table" || true
        cp "$work/table" "$table"
    done
    { grep -v "^cuda,target" "$table" || true; } | sort -u - "$work/now" >"$work/rest"
    { echo "$head" && cat "$work/rest"; } >"$work/table"
    cp "$work/table" "$table"
fi
bad=$(awk -F, '$6 > 0 || $7 > 0 { print $3 " spills registers for " $2 " with " $1 }' "$work/now")
for r in $releases; do
    if grep -q "^$r," "$table"; then
        bad="$bad
$(diff <(grep "^$r," "$table") <(grep "^$r," "$work/now") | sed -n 's/^</table: /p; s/^>/now:   /p' || true)"
    else
        echo "the table has no rows of CUDA $r: only spills were looked for"
    fi
done
left=""
[ -n "$old" ] || left="; sm_61 and sm_70 skipped: SLUICE_CUDA_11=fetch unpacks CUDA 11.8 (1.2 GB)"
kernels=$(cut -d, -f3 "$work/now" | sort -u | wc -l)
verdict "$kernels" "kernels compiled without a warning for $(cut -d, -f2 "$work/now" | sort -u | tr '\n' ' ')by CUDA$(printf ' %s' $releases)$left" \
    "$(printf '%s\n' "$bad" | sed '/^$/d')"
