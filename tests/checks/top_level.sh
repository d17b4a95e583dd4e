#!/usr/bin/env bash
# top_level: the names in the root are the agreed ones, and the build file stays readable.
. "$(dirname "$0")/common.sh"

allowed='^(CMakeLists\.txt|CMakePresets\.json|README\.md|LICENSE|SECURITY\.md|sim|workloads|models|kernels|reports|scenarios|tests|\.ci|\.clang-format|\.gitignore|\.gitattributes)$'
names=$(files . | cut -d/ -f1 | sort -u)
bad=$(printf '%s\n' "$names" | grep -vE "$allowed" | sed 's|$|: not an agreed name in the root|') || true
lines=$(wc -l <CMakeLists.txt)
[ "$lines" -lt 250 ] || bad="$bad
CMakeLists.txt: $lines lines, under 250 are agreed"
verdict "$(printf '%s\n' "$names" | wc -l)" "names in the root" "$(printf '%s\n' "$bad" | sed '/^$/d')"
