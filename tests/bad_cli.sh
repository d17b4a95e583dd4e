#!/usr/bin/env bash
# bad_cli: wrong input, given to the real program: exit code 2, the expected words, nothing written.
#
# usage: tests/bad_cli.sh [PROGRAM], by default .build/release/sluice. tests/bad/cli/<defect>.txt holds
# words of the message that <defect>.json or <defect>.args (arguments, in place of `run FILE`) must
# give. The scenarios in tests/bad itself, which are refused as they are loaded, are test_bad's.
set -uo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-.build/release/sluice}")
bad=$PWD/tests/bad/cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

fail() { # name, what
    failed=$((failed + 1))
    echo "FAIL $1: $2"
    sed 's/^/    /' "$work/err" | head -12
}

# play NAME CODE WORDS ARGUMENTS...: runs in an empty folder that must stay empty.
play() {
    local name=$1 code=$2 words=$3 rc=0
    shift 3
    mkdir "$work/here"
    (cd "$work/here" && timeout 60 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null) || rc=$?
    if [ "$rc" -ne "$code" ]; then
        fail "$name" "exit code $rc, not $code"
    elif grep -qE 'Sanitizer|runtime error' "$work/err"; then
        fail "$name" "a sanitizer's report"
    elif [ -n "$words" ] && ! grep -qF -- "$words" "$work/err"; then
        fail "$name" "the message lacks: $words"
    elif [ "$code" -eq 2 ] && [ -s "$work/out" ]; then
        fail "$name" "something on standard output"
    elif [ "$code" -eq 2 ] && [ -n "$(ls -A "$work/here")" ]; then
        fail "$name" "left files: $(ls -A "$work/here" | tr '\n' ' ')"
    else
        passed=$((passed + 1))
    fi
    rm -rf "$work/here"
}

for expected in "$bad"/*.txt; do
    name=$(basename "$expected" .txt)
    words=$(cat "$expected")
    if [ -f "$bad/$name.args" ]; then
        # GOOD stands for a scenario without a mistake
        read -ra arguments <"$bad/$name.args"
        play "$name" 2 "$words" "${arguments[@]//GOOD/$bad/accepted.json}"
    else
        play "$name" 2 "$words" run --report page.html "$bad/$name.json"
    fi
done

# Every defect has its expected words.
for file in "$bad"/*.json "$bad"/*.args; do
    name=$(basename "${file%.*}")
    [ "$name" = accepted ] || [ -f "$bad/$name.txt" ] || { : >"$work/err" && fail "$name" "has no $name.txt"; }
done

# Accepted: the plain scenario, a byte order mark, lines that end in CRLF.
good() { # name, file
    play "$1" 0 "" run --no-store "$2"
}
good accepted "$bad/accepted.json"
{ printf '\357\273\277' && cat "$bad/accepted.json"; } >"$work/bom.json"
good byte-order-mark "$work/bom.json"
sed 's/$/\r/' "$bad/accepted.json" >"$work/crlf.json"
good crlf "$work/crlf.json"

# Too large to be kept: 100 MB of '[', as JSON and as YAML, and 200,000 levels of objects.
head -c 100000000 /dev/zero | tr '\0' '[' >"$work/brackets.json"
play hundred-megabytes-of-brackets 2 "nested deeper than" run "$work/brackets.json"
mv "$work/brackets.json" "$work/brackets.yaml"
play hundred-megabytes-of-yaml-brackets 2 "nested deeper than" run "$work/brackets.yaml"
yes '{"a":' | head -n 200000 >"$work/objects.json"
play objects-without-end 2 "nested deeper than" run "$work/objects.json"
# What is written takes no place of a link, a pipe or of the file that is read.
printf 'lifetime,lost\n3600,1\n7200,0\n' >"$work/lives.csv"
printf 'batch,seconds\n1,0.01\n2,0.02\n4,0.04\n' >"$work/times.csv"
cp "$bad/accepted.json" "$work/kept"
ln -s kept "$work/link.svg"
mkfifo "$work/pipe.svg"
spare() { # name, words, target, arguments... without the target
    local before
    before=$(ls -l "$work/$3"; [ -p "$work/$3" ] || md5sum "$work/$3")
    play "$1" 2 "$2" "${@:4}" "$work/$3"
    [ "$before" = "$(ls -l "$work/$3"; [ -p "$work/$3" ] || md5sum "$work/$3")" ] || fail "$1" "$3 was replaced"
}
for target in link.svg pipe.svg; do
    spare "fit-to-a-${target%.svg}" "is a link, device or pipe" $target trace fit "$work/lives.csv" -o
    spare "chart-to-a-${target%.svg}" "is a link, device or pipe" $target trace fit "$work/lives.csv" --chart
    spare "convert-to-a-${target%.svg}" "is a link, device or pipe" $target trace convert "$work/lives.csv" -o
    spare "profile-to-a-${target%.svg}" "is a link, device or pipe" $target \
        calibrate --date 2026-05-31 --gpu T4 --model own --from "$work/times.csv" -o
done
spare fit-to-its-input "is the file that is read" lives.csv trace fit "$work/lives.csv" -o
spare convert-to-its-input "is the file that is read" lives.csv trace convert "$work/lives.csv" -o
spare profile-to-its-input "is the file that is read" times.csv \
    calibrate --date 2026-05-31 --gpu T4 --model own --from "$work/times.csv" -o

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
