#!/bin/sh
# swarm_money: 10,000 random scenarios whose money must add up (tests/test_swarm_money.c).
#
#   tests/swarm_money.sh [BUILD [COUNT]]
#
# In slices of 250, as many at once as there are processors, each for half an hour at most. A failure
# names its scenario. Ends with how many scenarios, in how many currencies, in which time.
set -eu
cd "$(dirname "$0")/.."
build=${1:-.build/release}
count=${2:-10000}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
began=$(date +%s)
seq 0 250 $((count - 1)) | nice xargs -P "$(nproc)" -I '{}' sh -c '
    n=$(('"$count"' - {})); [ "$n" -le 250 ] || n=250
    SWARM_FIRST={} SWARM_COUNT=$n timeout 1800 '"$build"'/sluice_tests --verbose \
        --filter "swarm_money/*" >"'"$out"'/{}" 2>&1 || {
        grep "scenario [0-9]*: {" "'"$out"'/{}" | tail -1
        grep -v "RUN\|SKIP\|Running\|scenario [0-9]*: {" "'"$out"'/{}" | head -20; exit 1; }'
cat "$out"/* | grep -o 'scenario [0-9]*: {.*"currency": "[A-Z]*"' |
    sed 's/^scenario \([0-9]*\): .*"currency": "\([A-Z]*\)"/\2 \1/' | sort -u >"$out/played"
echo "swarm_money: $(wc -l <"$out/played") random scenarios add up in $(cut -d ' ' -f 1 "$out/played" |
    sort | uniq -c | awk '{ printf "%s%s (%d)", n++ ? " and " : "", $2, $1 }'), $(($(date +%s) - began)) s"
