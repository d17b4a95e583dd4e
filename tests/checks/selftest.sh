#!/usr/bin/env bash
# selftest: each check passes a small right tree and refuses each planted mistake.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/common.sh"

count=0
bad=""
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A tree with one right file of each kind, built.
fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"/{sim,models,tests,.build/CMakeFiles/sluice_sim.dir/sim}
    cd "$work/tree"
    printf '/* err: errors. */\n#ifndef SLUICE_SIM_ERR_H\n#define SLUICE_SIM_ERR_H\n\nint err_set(int code);\n\n#endif\n' >sim/err.h
    printf '/* err: errors. */\n#include "sim/err.h"\n\nint err_set(int code)\n{\n    return code;\n}\n' >sim/err.c
    printf '/* pool: pools. */\n#include "sim/err.h"\n\nint pool_fail(void);\nint pool_fail(void)\n{\n    return err_set(2);\n}\n' >models/pool.c
    printf '#!/bin/sh\n# run: all tests.\n' >tests/run.sh
    cp "$here/../../.clang-format" .
    touch README.md LICENSE CMakeLists.txt
}

build() {
    gcc -c -I. sim/err.c -o .build/CMakeFiles/sluice_sim.dir/sim/err.c.o
    gcc -c -I. models/pool.c -o .build/pool.c.o
    for room in workloads kernels reports scenarios; do
        printf 'int %s_there;\n' $room | gcc -c -x c - -o .build/room.o
        ar rc ".build/libsluice_$room.a" .build/room.o
    done
    ar rc .build/libsluice_sim.a .build/CMakeFiles/sluice_sim.dir/sim/err.c.o
    ar rc .build/libsluice_models.a .build/pool.c.o
}

# expect pass|fail CHECK WHAT: runs it on the tree as it stands.
expect() {
    local rc=0 got
    build 2>/dev/null || true
    got=$(bash "$here/$2.sh" "$work/tree" .build 2>&1) || rc=$?
    count=$((count + 1))
    case $1.$rc in
    pass.0 | fail.1 | *.77) ;;
    *) bad="$bad
$2: exit $rc on $3: $(printf '%s' "$got" | head -3 | tr '\n' ' ')" ;;
    esac
}

for c in include_law link_law symbol_prefix headers_alone formatting top_level neutral shape; do
    fresh && expect pass $c "a right tree"
done

fresh && sed -i '2i #include "models/pool.h"' sim/err.c && expect fail include_law "a room that looks up"
fresh && sed -i '2i #include "err.h"' sim/err.c && expect fail include_law "a path that is not from the root"
fresh && sed -i '2i #include <cjson/cJSON.h>' models/pool.c && expect fail include_law "a library beside its door"
fresh && sed -i '2i #include <sys/epoll.h>' models/pool.c && expect fail include_law "a header that nobody agreed to"
fresh && sed -i 's/return code/return pool_fail()/; 3i int pool_fail(void);' sim/err.c && expect fail link_law "a call upwards"
fresh && sed -i 's/return err_set(2)/return getenv("X") != 0/; 2i #include <stdlib.h>' models/pool.c && expect fail link_law "a look at the environment"
fresh && sed -i 's/return err_set(2)/return log(x) > 1/; s/(void)/(double x)/; 2i #include <math.h>' models/pool.c && expect fail link_law "a logarithm in a decision"
fresh && sed -i 's/err_set/error_set/' sim/err.c sim/err.h && expect fail symbol_prefix "a foreign prefix"
fresh && sed -i 's/int err_set/size_t err_set/' sim/err.h && expect fail headers_alone "a type without its include"
fresh && sed -i 's/SIM_ERR_H/ERR_H/' sim/err.h && expect fail headers_alone "another guard"
fresh && sed -i 's/return code/return    code/' sim/err.c && expect fail formatting "blanks"
fresh && mkdir -p src && touch src/a.c && expect fail top_level "a new folder"
fresh && seq 250 >CMakeLists.txt && expect fail top_level "a long build file"
fresh && echo "see /wo""rk/notes" >>README.md && expect fail neutral "a local path"
fresh && echo "LTAI""5t6A7b8C9d0E1f2G" >>README.md && expect fail neutral "a key"
fresh && sed -i 1d sim/err.c && expect fail shape "no purpose"
fresh && for i in $(seq 70); do sed -i 's/^    return code/    code++;\n&/' sim/err.c; done && expect fail shape "a long function"
fresh && printf '/* %0100d */\n' 0 >>sim/err.c && expect fail shape "a long line"
fresh && sed -i '2,$d' tests/run.sh && expect fail shape "a script without purpose"

verdict "$count" "trees, right and wrong, told apart" "$(printf '%s\n' "$bad" | sed '/^$/d')"
