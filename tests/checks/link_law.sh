#!/usr/bin/env bash
# link_law: what each room's library leaves undefined lies in a room it may use, and it is pure.
. "$(dirname "$0")/common.sh"
build=${2:-.build/release}
command -v nm >/dev/null || skip "nm (binutils) is missing"

rooms="sim workloads kernels reports models scenarios"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for room in $rooms; do
    lib=$build/libsluice_$room.a
    [ -f "$lib" ] || { echo "$check: $lib is not built"; exit 1; }
    nm -g --defined-only "$lib" | awk -v r="$room" 'NF == 3 { print $3, r }'
done >"$work/defined"
for room in $rooms; do
    nm -A -u "$build/libsluice_$room.a" | sed 's/^[^:]*://' |
        awk -v r="$room" '{ sub(/:$/, "", $1); sub(/\.c\.o$/, ".c", $1); print r, $1, $NF }'
done >"$work/wanted"

# Only the doors to the machine may speak to it: no library function prints, ends the program, reads
# the environment or the wall clock, or draws from a global generator. Nor does a decision rest on
# a transcendental function of libm, whose last bit differs between machines.
bad=$(awk '
BEGIN {
    n = split("sim:sim workloads:workloads workloads:sim kernels:kernels kernels:sim reports:reports " \
              "reports:sim models:models models:workloads models:sim", pair, " ")
    for (i = 1; i <= n; i++) may[pair[i]] = 1
    n = split("printf puts putchar vprintf perror stdout stderr exit _exit quick_exit getenv setenv system " \
              "popen time clock clock_gettime gettimeofday localtime localtime_r mktime rand srand random " \
              "drand48 setlocale", word, " ")
    for (i = 1; i <= n; i++) impure[word[i]] = 1
    n = split("exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh " \
              "cbrt hypot erf erfc lgamma tgamma", word, " ")
    for (i = 1; i <= n; i++) inexact[word[i]] = inexact[word[i] "f"] = 1
    inexact_ok["sim life_fit.c"] = 1 # fits a record for its reader, with an interval; no run asks it
    impure_ok["kernels stopwatch.c clock_gettime"] = 1 # measuring is its purpose
}
FNR == NR { room[$1] = $2; next }
{
    if (($3 in room) && $1 != "scenarios" && !(($1 ":" room[$3]) in may))
        print "libsluice_" $1 ", " $2 ": " $3 " is of " room[$3]
    if (($3 in impure) && $1 != "scenarios" && !(($1 " " $2 " " $3) in impure_ok))
        print "libsluice_" $1 ", " $2 ": calls " $3
    if (($3 in inexact) && !(($1 " " $2) in inexact_ok) && ($1 == "sim" || $1 == "workloads" || $1 == "models"))
        print "libsluice_" $1 ", " $2 ": calls " $3 " of libm"
}' "$work/defined" "$work/wanted")
verdict "$(wc -l <"$work/wanted")" "undefined symbols lie where they may" "$bad"
