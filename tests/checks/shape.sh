#!/usr/bin/env bash
# shape: a purpose on the first line, functions of at most 70 lines, lines of at most 100 columns.
. "$(dirname "$0")/common.sh"

list=$(files '\.(c|h|cu|cuh|cc)$')
out=$(printf '%s\n' "$list" | xargs awk '
FNR == 1 {
    n = split(FILENAME, part, "/")
    stem = part[n]
    sub(/\.[a-z]+$/, "", stem)
    if (index($0, "/* " stem ": ") != 1) print "bad " FILENAME ":1: does not start with /* " stem ": purpose"
    start = 0
}
length($0) > 100 && FILENAME !~ /^tests\/test_/ {
    copy = $0
    gsub(/[\200-\277]/, "", copy) # one column a character of UTF-8
    if (length(copy) > 100) print "bad " FILENAME ":" FNR ": " length(copy) " columns"
}
/^[A-Za-z_].*[(]/ && !start { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name) }
/^Test\(/ { name = $0; sub(/^Test\([^,]*, */, "", name); sub(/[,)].*/, "", name) }
/^\{$/ { start = FNR; rows = 0; table = 0 }
start && /^ .*= \{$/ { table = FNR }
start && table && /^ +\};$/ { rows += FNR - table; table = 0 } # a table is data, not length
/^\}$/ && start {
    lines = FNR - start + 1 - rows
    print "fn " lines " " FILENAME ":" start " " name
    start = 0
}')
functions=$(printf '%s\n' "$out" | grep '^fn ' | sort -k2,2n)
bad=$(printf '%s\n' "$out" | sed -n 's/^bad //p'
    printf '%s\n' "$functions" | awk '$2 > 70 { print $3 ": " $4 " has " $2 " lines, 70 is the limit" }')
count=$(printf '%s\n' "$functions" | wc -l)
median=$(printf '%s\n' "$functions" | awk -v n="$count" 'NR == int((n + 1) / 2) { print $2 }')
longest=$(printf '%s\n' "$functions" | tail -1 | awk '{ print $4 " in " $3 ", " $2 " lines" }')
scripts=$(files '\.sh$|^\.ci/run$')
for s in $scripts; do
    head -2 "$s" | grep -q '^# [A-Za-z].*[.;:]$\|^# .*' || bad="$bad
$s: no comment that says what it is for"
done
verdict "$(printf '%s\n' "$list" | wc -l)" \
    "files; $count functions, median $median lines, longest $longest" "$(printf '%s\n' "$bad" | sed '/^$/d')"
