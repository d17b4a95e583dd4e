#!/usr/bin/env bash
# cuda_calls: every status of the CUDA runtime and of cuBLAS passes through the one checked place.
. "$(dirname "$0")/common.sh"

list=$(files '^kernels/.*\.(cu|cuh)$')
[ -n "$list" ] || skip "no CUDA files"
# Statements, joined; those that call the runtime or the library must test what it says. Two texts
# are no statuses, and one call clears an error that was told already.
bad=$(printf '%s\n' "$list" | xargs awk '
    FNR == 1 { statement = ""; start = 1 }
    /^[ \t]*(#|\/\*|\*)/ && !/DEVICE_TRY\(/ { next }
    {
        if (statement == "") start = FNR
        statement = statement " " $0
    }
    /[;{}][ \t]*(\\)?$/ || /;[ \t]*\/\*/ {
        if (statement ~ /(^|[^A-Za-z_>])cuda[A-Z][A-Za-z]*\(|->cublas[A-Za-z_0-9]*\(/ &&
            statement !~ /DEVICE_(TRY|BLAS|RUN)\(|device_(blas_)?status\(|(cudaError_t|cublasStatus_t) status =|cudaGetError(Name|String)\(|\(void\)cudaGetLastError\(\)/)
            print FILENAME ":" start ":" substr(statement, 1, 100)
        statement = ""
    }')
count=$(printf '%s\n' "$list" | xargs grep -ohE '(^|[^A-Za-z_>])cuda[A-Z][A-Za-z]*\(|->cublas[A-Za-z_0-9]*\(' | wc -l)
verdict "$count" "calls of CUDA and cuBLAS are checked" "$bad"
