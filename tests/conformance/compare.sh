#!/bin/sh
# compare: runs the cases through another implementation and says where its answers differ.
#
#   tests/conformance/compare.sh FILE.json COMMAND [ARGUMENT...]
#
# COMMAND reads cases on standard input, one JSON object a line, and prints for each one a line
# {"name": ..., "result": {...}}, in any order. A key that a case's `expect` leaves out is not
# compared. Prints one line a difference; exit 1 when there is one, 2 when COMMAND or an answer is
# wrong. Needs jq.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 FILE.json COMMAND [ARGUMENT...]" >&2; exit 2; }
cases=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

jq -c 'if type == "array" then .[] else (.cases // [.])[] end' "$cases" >"$dir/cases" || exit 2
"$@" <"$dir/cases" >"$dir/answers" || { echo "$0: $1 failed" >&2; exit 2; }

# Numbers may differ in the last digits, whole numbers beyond 2^53 stand as strings.
jq -rn --slurpfile cases "$dir/cases" --slurpfile answers "$dir/answers" '
    def same($a; $b):
        if ($a | type) == "number" and ($b | type) == "number" then
            (($a - $b) | fabs) <= 1e-9 * ([1, ($b | fabs)] | max)
        elif ($a | type) == "array" and ($b | type) == "array" then
            ($a | length) == ($b | length) and
            all(range($a | length); . as $i | same($a[$i]; $b[$i]))
        elif ($b | type) == "object" and ($a | type) == "object" then
            all($b | keys[]; . as $k | same($a[$k]; $b[$k]))
        elif ($a | type) == "string" and ($b | type) == "boolean" then $b
        elif ($a | type) == "array" and $b == null then true
        else ($a | tostring) == ($b | tostring) end;
    # groups by name, or only their names and sizes: two other ways to say new_sizes
    def spread: if (.new_sizes? | type) == "object" then
            . + {changed_groups: (.new_sizes | keys), new_size_multiset: ([.new_sizes[]] | sort)}
        else . end;
    def wanted($k): if $k == "changed_groups" or $k == "new_size_multiset" then sort else . end;
    ($answers | map({(.name): (.result | spread)}) | add // {}) as $by_name |
    $cases[] | select(.expect != null) | . as $case |
    if ($by_name | has($case.name) | not) then "\($case.name): no answer"
    else $case.expect | keys[] | select(. != "rel_tol" and . != "abs_tol") | . as $key |
        select(same($by_name[$case.name][$key]; $case.expect[$key] | wanted($key)) | not) |
        "\($case.name): \($key) is \($by_name[$case.name][$key] | tojson), not \($case.expect[$key] | tojson)"
    end' >"$dir/differences" || exit 2
cat "$dir/differences"
[ ! -s "$dir/differences" ]
