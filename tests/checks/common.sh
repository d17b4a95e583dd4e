# common: what the checks share; each check sources it. `check.sh [ROOT]`, one line, exit 0, 1 or 77.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
check=$(basename "$0" .sh)

# Files of the project by suffix pattern, built and generated ones left out.
files() { # extended regular expression on the path
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -co --exclude-standard
    else
        find . -type f -not -path './.*' | sed 's|^\./||'
    fi | grep -E "$1" | sort -u | while IFS= read -r f; do [ ! -f "$f" ] || echo "$f"; done
}

# verdict COUNT WHAT VIOLATIONS: the one line, and the violations when there are some.
verdict() {
    if [ -n "$3" ]; then
        echo "$check: $(printf '%s\n' "$3" | grep -c .) violations:"
        printf '%s\n' "$3"
        exit 1
    fi
    echo "$check: $1 $2"
}

skip() {
    echo "skipped: $check: $*"
    exit 77
}
