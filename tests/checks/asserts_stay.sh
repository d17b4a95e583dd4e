#!/usr/bin/env bash
# asserts_stay: no build that was made here defines NDEBUG, and asserts are in the libraries.
. "$(dirname "$0")/common.sh"

list=$(ls .build/*/compile_commands.json 2>/dev/null || true)
[ -n "$list" ] || skip "nothing is built"
bad=$(printf '%s\n' "$list" | xargs grep -lw -e '-DNDEBUG' | sed 's/$/: defines NDEBUG/') || true
for lib in .build/release/libsluice_{sim,models,workloads,reports}.a; do
    [ ! -f "$lib" ] || [ "$(nm -u "$lib" | grep -cw __assert_fail)" -gt 0 ] || bad="$bad
$lib: no assert is left"
done
verdict "$(printf '%s\n' "$list" | wc -l)" "builds keep their asserts" "$(printf '%s\n' "$bad" | sed '/^$/d')"
