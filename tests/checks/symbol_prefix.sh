#!/usr/bin/env bash
# symbol_prefix: what x/y.c exports is called y or y_something.
. "$(dirname "$0")/common.sh"
build=${2:-.build/release}
command -v nm >/dev/null || skip "nm (binutils) is missing"

# File stem, prefix of its symbols, reason. Keep it short.
exceptions="
main main the C library asks for it
"

list=$(find "$build" -path '*sluice_*.dir/*' \( -name '*.c.o' -o -path '*/kernels/*.cu.o' \) -not -path '*_tests.dir*' \
    -not -path '*bench_*.dir*' | sort)
[ -n "$list" ] || { echo "$check: nothing is built in $build"; exit 1; }
bad=$(printf '%s\n' "$list" | xargs nm -A -C -g --defined-only | awk -v exceptions="$exceptions" '
    BEGIN {
        n = split(exceptions, line, "\n")
        for (i = 1; i <= n; i++)
            if (split(line[i], word, " ") > 1) other[word[1]] = word[2]
    }
    {
        object = $1
        sub(/:[0-9a-f]*$/, "", object) # nm -A writes "file:address type name"
        if ($2 ~ /^[WVu]$/) next # C++ leaves its templates everywhere
        name = $3
        sub(/\(.*/, "", name) # C++ writes the parameters too
        stem = object
        sub(/.*\//, "", stem)
        sub(/\.cu?\.o$/, "", stem)
        if (name ~ /^__(asan|ubsan|odr_asan)/) next
        if (name == stem || index(name, stem "_") == 1) next
        if (stem in other && (name == other[stem] || index(name, other[stem] "_") == 1)) next
        sub(/.*\.dir\//, "", object)
        print object ": " name
    }')
verdict "$(printf '%s\n' "$list" | wc -l)" "objects export only their stem's names" "$bad"
