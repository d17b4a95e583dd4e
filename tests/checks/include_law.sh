#!/usr/bin/env bash
# include_law: who may include whom, and the one door of each library.
. "$(dirname "$0")/common.sh"

# Rooms that each room may include; anything else is found by full path from the root.
allowed="
sim: sim
workloads: workloads sim
kernels: kernels sim
reports: reports sim
models: models workloads sim
scenarios: scenarios reports kernels models workloads sim
tests: tests scenarios reports kernels models workloads sim"

# Header of a library, and the files that may include it.
doors="
cjson/ ^sim/json_parse\.c$
gsl/ ^(sim/stats\.c|.*_fit\.c|tests/.*)$
yaml.h ^scenarios/run/yaml\.c$
sqlite3.h ^(reports/store\.c|tests/.*)$
plot.h ^reports/plot\.c$
zlib.h ^(workloads/.*|tests/.*)$
zstd.h ^(workloads/.*|tests/.*)$
cblas.h ^kernels/.*$
png.h ^kernels/image_png\.c$
jpeglib.h ^kernels/image_jpeg\.c$
jerror.h ^kernels/image_jpeg\.c$
mpi.h ^scenarios/run/.*$
curl/ ^scenarios/.*$
cuda ^(kernels/.*\.cuh?|tests/cuda_shim/.*)$
cublas ^(kernels/.*\.cuh?|tests/cuda_shim/.*)$
dlfcn.h ^(kernels/(nvml\.c|device_blas\.cu)|tests/test_(nvml|gpu_watch)\.c)$
functional ^tests/cuda_shim/
tuple ^tests/cuda_shim/
map ^tests/cuda_shim/
set ^tests/cuda_shim/
vector ^tests/cuda_shim/
string ^tests/cuda_shim/
random ^tests/cuda_shim/
numeric ^tests/cuda_shim/
algorithm ^tests/cuda_shim/
setjmp.h ^(kernels/image_jpeg\.c|tests/cuda_shim/)
ucontext.h ^tests/cuda_shim/
sanitizer/ ^tests/cuda_shim/
pthread.h ^(kernels/parallel\.c$|scenarios/.*|tests/.*)$
criterion/ ^tests/.*$"

# C11 and POSIX; a header that is not here needs a door above.
system=" assert ctype errno fcntl float inttypes limits locale math signal stdarg stdatomic stdbool
 stddef stdint stdio stdlib string strings time unistd dirent regex sys/stat sys/types sys/wait
 sys/resource sys/mman sys/utsname stdalign "

list=$(files '^(sim|workloads|kernels|reports|models|scenarios|tests)/.*\.(c|h|cu|cuh|cc)$')
bad=$(printf '%s\n' "$list" | xargs awk -v allowed="$allowed" -v doors="$doors" -v system_="$system" '
BEGIN {
    n = split(allowed, lines, "\n")
    for (i = 1; i <= n; i++) {
        m = split(lines[i], word, /[: ]+/)
        for (j = 2; j <= m; j++) may[word[1], word[j]] = 1
    }
    n_doors = split(doors, door, "\n")
    n = split(system_, word, /[ \n]+/)
    for (i = 1; i <= n; i++) known[word[i] ".h"] = 1
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, q, "\"")
    split(FILENAME, from, "/")
    split(q[2], to, "/")
    if (!((from[1], to[1]) in may) || q[2] !~ /\//)
        print FILENAME ":" FNR ": " from[1] " may not include \"" q[2] "\""
    # a test reaches no bodies, and nobody includes a test
    if (q[2] ~ /\.c$/) print FILENAME ":" FNR ": includes a .c file"
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, q, /[<>]/)
    if (q[2] in known) next
    ok = 0
    for (i = 1; i <= n_doors; i++) {
        split(door[i], d, " ")
        if (door[i] != "" && index(q[2], d[1]) == 1 && FILENAME ~ d[2]) ok = 1
    }
    if (!ok) print FILENAME ":" FNR ": <" q[2] "> has its door elsewhere, or none"
}')
verdict "$(printf '%s\n' "$list" | wc -l)" "files include only what their room may" "$bad"
