#!/usr/bin/env bash
# installed: what `cmake --install` lays down runs from any folder and finds its data.
. "$(dirname "$0")/common.sh"
build=${2:-.build/release}

[ -x "$build/sluice" ] || { echo "$check: $build is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cd /
unset SLUICE_DATA
bad=""
for s in theory/md1.json bert-elastic.json; do
    "$work/usr/bin/sluice" run "$work/usr/share/sluice/$s" --no-store --replications 1 \
        --set horizon=1h >/dev/null 2>"$work/err" || bad="$bad
$s: $(head -1 "$work/err")"
done
for s in bin/sluice share/sluice/catalog share/sluice/calibration share/sluice/manifests share/sluice/traces share/doc/sluice/LICENSE; do
    [ -e "$work/usr/$s" ] || bad="$bad
$s: not installed"
done
extra=$(cd "$work/usr" && find . -name '*.[ch]' -o -name '*.sh' -o -name 'run' -o -name '.git*') || true
verdict "$(find "$work/usr" -type f | wc -l)" "installed files, and the program runs from /" \
    "$(printf '%s\n' "$bad" "${extra:+should not be installed: $extra}" | sed '/^$/d')"
