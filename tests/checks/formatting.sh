#!/usr/bin/env bash
# formatting: .clang-format decides, in the one version whose taste the tree has.
. "$(dirname "$0")/common.sh"

tool=$(command -v clang-format-14 || command -v clang-format || true)
[ -n "$tool" ] && "$tool" --version | grep -q ' 14\.' || skip "clang-format 14 is missing"
list=$(files '\.(c|h|cu|cuh|cc)$')
bad=$(printf '%s\n' "$list" | xargs -P "$(nproc)" -n 20 "$tool" --dry-run -Werror 2>&1 | grep 'error:' | cut -d: -f1 | sort | uniq -c |
    awk '{ print $2 ": " $1 " places; clang-format-14 -i " $2 }') || true
verdict "$(printf '%s\n' "$list" | wc -l)" "files are formatted" "$bad"
