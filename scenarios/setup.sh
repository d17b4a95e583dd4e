#!/usr/bin/env bash
# setup: packages and builds for the two commands of the README; sourced by them, run in the root.
#
# `setup_packages run` is enough to build and run, `setup_packages test` is for every check.
# Tested on Debian 12. The names for Ubuntu and Fedora are given in good faith, untested.

setup_fail() {
    echo "sluice: $*" >&2
    exit 3
}

setup_names() { # family, purpose
    case "$1" in
    debian) # Debian; Ubuntu (untested) has the same names
        echo gcc libc6-dev cmake ninja-build pkg-config libgsl-dev libcjson-dev libyaml-dev \
            libsqlite3-dev libplot-dev libopenblas-dev libpng-dev libjpeg-dev zlib1g-dev libzstd-dev tzdata
        [ "$2" != test ] || echo g++ clang libcriterion-dev git sqlite3 binutils libxml2-utils
        ;;
    fedora) # untested
        echo gcc cmake ninja-build pkgconf-pkg-config gsl-devel cjson-devel libyaml-devel \
            sqlite-devel plotutils-devel openblas-devel libpng-devel libjpeg-turbo-devel zlib-devel libzstd-devel tzdata
        [ "$2" != test ] || echo gcc-c++ clang libcriterion-devel libasan libubsan git sqlite binutils libxml2
        ;;
    esac
}

# A check that lacks one of these is skipped, and says so.
setup_extras() { # family, purpose
    [ "$1 $2" != "debian test" ] || echo clang-format-14
}

setup_family() {
    local like
    like=$( (. /etc/os-release && echo "${ID:-} ${ID_LIKE:-}") 2>/dev/null)
    case " $like " in
    *" debian "* | *" ubuntu "*) echo debian ;;
    *" fedora "* | *" rhel "*) echo fedora ;;
    *) echo unknown ;;
    esac
}

setup_missing() { # family, names...
    local family=$1 name
    shift
    for name in "$@"; do
        case "$family" in
        debian) [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name" ;;
        fedora) rpm -q "$name" >/dev/null 2>&1 || echo "$name" ;;
        esac
    done
}

setup_install() { # family, names...: quiet unless it fails
    local family=$1 root="" log
    shift
    [ "$(id -u)" -eq 0 ] || root="sudo"
    [ -t 0 ] || root="${root:+sudo -n}" # nobody is there to type a password
    log=$(mktemp)
    case "$family" in
    debian)
        $root apt-get -q update </dev/null >"$log" 2>&1 &&
            $root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" \
                </dev/null >>"$log" 2>&1
        ;;
    fedora) $root dnf -q install -y "$@" </dev/null >"$log" 2>&1 ;;
    esac || {
        tail -15 "$log" >&2
        rm -f "$log"
        return 1
    }
    rm -f "$log"
}

setup_packages() { # run or test
    local family missing extras
    family=$(setup_family)
    if [ "$family" = unknown ]; then
        echo "sluice: this is not Debian, Ubuntu or Fedora, so no packages are installed; needed are, by" \
            "Debian's names: $(setup_names debian "$1" | tr '\n' ' ')" >&2
        return 0
    fi
    missing=$(setup_missing "$family" $(setup_names "$family" "$1"))
    extras=$(setup_missing "$family" $(setup_extras "$family" "$1"))
    [ -n "$missing$extras" ] || return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        [ -z "$missing" ] || setup_fail "neither root nor sudo is there to install what is missing:" $missing
    if [ -n "$missing" ]; then
        echo "installing:" $missing
        setup_install "$family" $missing || setup_fail "could not install:" $missing
    fi
    [ -z "$extras" ] || setup_install "$family" $extras 2>/dev/null || echo "going on without:" $extras
}

setup_build() { # folder below .build, CMake options...
    local dir=.build/$1 launcher=""
    shift
    mkdir -p "$dir"
    ! command -v ccache >/dev/null || launcher=ccache
    cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER_LAUNCHER="$launcher" "$@" \
        </dev/null >"$dir/configure.log" 2>&1 || {
        cat "$dir/configure.log" >&2
        setup_fail "CMake cannot configure $dir, see above"
    }
    ninja -C "$dir" </dev/null >"$dir/build.log" 2>&1 || {
        grep -v '^\[' "$dir/build.log" | tail -60 >&2
        echo "sluice: the build in $dir failed, see above" >&2
        return 1
    }
}
