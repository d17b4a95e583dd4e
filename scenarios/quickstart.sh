#!/usr/bin/env bash
# quickstart: from a bare machine to the answer for BERT on an elastic pool, and its page.
set -euo pipefail
cd "$(dirname "$0")/.."
. scenarios/setup.sh

setup_packages run
echo "building"
setup_build release -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DSLUICE_TESTS=OFF
out=.build/quickstart
mkdir -p "$out"
.build/release/sluice run scenarios/bert-elastic.json \
    --db "$out/sluice.db" --report "$out/bert-elastic.html"
echo
echo "The page: $PWD/$out/bert-elastic.html"
