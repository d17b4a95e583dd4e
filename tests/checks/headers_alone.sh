#!/usr/bin/env bash
# headers_alone: each header compiles by itself, with gcc and clang, and has its own guard.
. "$(dirname "$0")/common.sh"

list=$(files '^(sim|workloads|kernels|reports|models|scenarios|tests)/.*\.h$')
bad=$(for h in $list; do
    guard=SLUICE_$(printf '%s' "${h%.h}" | tr 'a-z/-' 'A-Z__')_H
    # the folder scenarios/run may leave out nothing: a guard is the whole path
    [ "$(grep -c "^#ifndef $guard$\|^#define $guard$" "$h")" -eq 2 ] || echo "$h: the guard is not $guard"
done)
one() { # compiler, header; Criterion is on the default path
    printf '#include "%s"\n' "$2" | "$1" -std=c11 -D_POSIX_C_SOURCE=200809L -DSLUICE_SOURCE_DIR='""' -I. \
        -Wall -Wextra -Wpedantic -Werror -Wno-unused-function -Wno-unused-const-variable \
        -fsyntax-only -x c - 2>&1 | sed "s|^|$1: |" | head -5
}
export -f one
used=""
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    used="$used${used:+ and }$compiler"
    bad="$bad
$(printf '%s\n' "$list" | xargs -P "$(nproc)" -I{} bash -c "one $compiler {}")"
done
[ -n "$used" ] || skip "no compiler"
verdict "$(printf '%s\n' "$list" | wc -l)" "headers compile alone with $used" "$(printf '%s\n' "$bad" | sed '/^$/d')"
