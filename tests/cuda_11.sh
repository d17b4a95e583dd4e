#!/usr/bin/env bash
# cuda_11: CUDA 11.8 from Debian's non-free component, unpacked below .build: for sm_61 and sm_70.
#
# usage: tests/cuda_11.sh. Prints the path of its nvcc. Nothing is installed: packages are fetched
# with apt's own client under a configuration of their own (1.2 GB, about 3 GB unpacked) and unpacked
# with dpkg. Exit 77, with the reason, where that cannot be done. A second call only prints.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
work=$PWD/.build/cuda-11.8
tree=$work/tree
nvcc=$tree/usr/lib/nvidia-cuda-toolkit/bin/nvcc

skip() {
    echo "skipped: cuda_11: $*" >&2
    exit 77
}

packages=(nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libcudart11.0 libcublas11 libcublaslt11
    libnvrtc11.2 libcub-dev libthrust-dev)

# Apt's own sources with the component added, and lists, cache and state of our own.
configure() {
    local family
    family=$( (. /etc/os-release && echo "${ID:-} ${VERSION_CODENAME:-}") 2>/dev/null) || true
    [ "$family" = "debian bookworm" ] || skip "only Debian 12 has CUDA 11.8; this is ${family:-unknown}"
    command -v apt-get >/dev/null || skip "apt-get is missing"
    command -v dpkg >/dev/null || skip "dpkg is missing"
    [ "$(dpkg --print-architecture)" = amd64 ] || skip "only the amd64 packages are known to work"
    mkdir -p "$work"/{sources,lists/partial,cache/archives/partial,debs}
    rm -f "$work"/sources/*
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -f "$file" ] || sed -E 's/^(deb( \[[^]]*\])? [^ ]+ bookworm) .*/\1 main contrib non-free/;
            /^deb.* bookworm main contrib non-free$/!d' "$file" >"$work/sources/$(basename "$file")"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || ! grep -q '^Suites:.*bookworm' "$file" ||
            sed -E 's/^Components:.*/Components: main contrib non-free/' "$file" >"$work/sources/$(basename "$file")"
    done
    cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/sources";
Dir::State::Lists "$work/lists";
Dir::Cache "$work/cache";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
END
}

fetch() {
    local free
    free=$(df -Pk "$work" | awk 'NR == 2 { print int($4 / 1048576) }')
    [ "$free" -ge 6 ] || skip "$free GiB are free, 6 are needed"
    APT_CONFIG=$work/apt.conf apt-get -q update >"$work/update.log" 2>&1 ||
        skip "the package lists cannot be fetched: $(tail -n 1 "$work/update.log")"
    (cd "$work/debs" && APT_CONFIG=$work/apt.conf apt-get -q download "${packages[@]}") >"$work/fetch.log" 2>&1 ||
        skip "the packages cannot be fetched: $(tail -n 1 "$work/fetch.log")"
}

# The unpacked nvcc looks for its parts under /usr: its profile says where they are instead.
unpack() {
    local deb
    rm -rf "$tree"
    for deb in "$work"/debs/*.deb; do
        dpkg -x "$deb" "$tree"
        rm "$deb"
    done
    rm -f "$tree/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile"
    cat >"$tree/usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile" <<END
NVVMIR_LIBRARY_DIR = $tree/usr/lib/nvidia-cuda-toolkit/libdevice
PATH += $tree/usr/lib/nvidia-cuda-toolkit/bin:$tree/usr/bin:
INCLUDES += "-I$tree/usr/include" \$(_SPACE_)
LIBRARIES =+ \$(_SPACE_) -L$tree/usr/lib/x86_64-linux-gnu
END
    touch "$work/ready"
}

if [ ! -f "$work/ready" ]; then
    configure
    fetch
    unpack
fi
echo "$nvcc"
