#!/usr/bin/env bash
# headers_alone: each header compiles by itself, with gcc and clang, and has its own guard.
. "$(dirname "$0")/common.sh"

headers=$(files '^(sim|workloads|kernels|reports|models|scenarios|tests)/.*\.(h|cuh)$')
# C++, against the host shim's CUDA: what the .cu files share, and the shim's own.
shim='\.cuh$|^tests/cuda_shim/(cuda_runtime|cublas_v2|cublasLt|inside)\.h$'
list=$(printf '%s\n' "$headers" | grep -vE "$shim")
cuda=$(printf '%s\n' "$headers" | grep -E "$shim") || true
bad=$(for h in $headers; do
    guard=SLUICE_$(printf '%s' "${h%.*}" | tr 'a-z/-' 'A-Z__')_$(printf '%s' "${h##*.}" | tr 'a-z' 'A-Z')
    # the folder scenarios/run may leave out nothing: a guard is the whole path
    [ "$(grep -c "^#ifndef $guard$\|^#define $guard$" "$h")" -eq 2 ] || echo "$h: the guard is not $guard"
done)
one() { # compiler, header; Criterion is on the default path
    printf '#include "%s"\n' "$2" | "$1" -std=c11 -D_POSIX_C_SOURCE=200809L -DSLUICE_SOURCE_DIR='""' -I. \
        -Wall -Wextra -Wpedantic -Werror -Wno-unused-function -Wno-unused-const-variable \
        -fsyntax-only -x c - 2>&1 | sed "s|^|$1: |" | head -5
}
one_cuda() { # compiler, header
    printf '#include "%s"\n' "$2" | "$1" -std=c++17 -Itests/cuda_shim -I. -Wall -Wextra -Werror \
        -Wno-unused-function -Wno-unused-const-variable -fsyntax-only -x c++ - 2>&1 | sed "s|^|$1: |" | head -5
}
export -f one one_cuda
used=""
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    used="$used${used:+ and }$compiler"
    bad="$bad
$(printf '%s\n' "$list" | xargs -P "$(nproc)" -I{} bash -c "one $compiler {}")"
done
for compiler in g++ clang++; do
    command -v $compiler >/dev/null && [ -n "$cuda" ] || continue
    bad="$bad
$(printf '%s\n' "$cuda" | xargs -P "$(nproc)" -I{} bash -c "one_cuda $compiler {}")"
done
[ -n "$used" ] || skip "no compiler"
verdict "$(printf '%s\n' "$headers" | wc -l)" "headers compile alone with $used" "$(printf '%s\n' "$bad" | sed '/^$/d')"
