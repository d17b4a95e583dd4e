#!/usr/bin/env bash
# neutral: no file carries a path of somebody's machine, a registry's host or a secret.
. "$(dirname "$0")/common.sh"

# Written in pieces, or this file would be the first to fail.
words="/wo""rk/|/ho""me/[a-z]|/ro""ot/|deb\.deb""ian\.org|registry\.np""mjs|py""pi\.org|proxy\.gol""ang"
words="$words|LTAI[0-9A-Za-z]{16}|AKIA[0-9A-Z]{16}|BEGIN [A-Z ]*PRIVATE KEY"
list=$(files .)
bad=$(printf '%s\n' "$list" | xargs grep -nIE "$words" | cut -c1-160) || true
verdict "$(printf '%s\n' "$list" | wc -l)" "files are free of local paths, hosts and keys" "$bad"
