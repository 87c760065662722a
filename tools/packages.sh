# SPDX-License-Identifier: BSD-2-Clause
# The packages that commands of ./dev need, and how they are installed.
# shellcheck shell=sh disable=SC2034

build_packages="gcc libc6-dev meson ninja-build pkgconf|pkg-config dpkg-dev libvips-dev libtiff-dev
    libgdal-dev scdoc"
demo_packages="fonts-dejavu-core libvips-tools"
test_packages="python3 python3-numpy python3-pil python3-tifffile python3-gdal libcmocka-dev libvips-tools
    fonts-dejavu-core"
opencl_packages="ocl-icd-libopencl1 pocl-opencl-icd opencl-c-headers|opencl-headers oclgrind?"
gallery_packages="python3 python3-numpy python3-opencv python3-pil python3-matplotlib python3-skimage ffmpeg"
site_packages="python3 python3-numpy python3-pil python3-markdown-it python3-pygments python3-dask
    python3-xarray mandoc"
bench_packages="python3 python3-numpy python3-opencv python3-skimage"
count_packages="python3 valgrind"
corpus_packages="python3 python3-numpy python3-pil python3-tifffile python3-gdal libvips-tools ffmpeg"
fuzz_packages="clang libclang-rt-dev llvm libcmocka-dev"
web_packages="clang lld llvm wasi-libc libclang-rt-14-dev-wasm32|libclang-rt-dev-wasm32 nodejs"
windows_packages="gcc-mingw-w64-x86-64-posix binutils-mingw-w64-x86-64 wine? wine64? clang lld llvm
    zip unzip python3-numpy"
gimp_packages="libgegl-dev gimp gir1.2-gimp-3.0?"

# What tests of one part need beside $test_packages.
dask_packages="python3-dask python3-distributed python3-xarray python3-rasterio python3-rioxarray
    python3-zarr"
gegl_packages="libgegl-dev gegl gir1.2-gegl-0.4 python3-gi"
rest_packages="$opencl_packages $dask_packages $gegl_packages abigail-tools bash binutils clang
    clang-format-14|clang-format cmake cppcheck ffmpeg fish frei0r-plugins-dev g++ gdal-bin musl-tools mypy
    python3-imageio python3-ipykernel python3-matplotlib python3-mesonpy python3-nbconvert
    python3-opencv python3-pip python3-skimage python3-yaml reuse shellcheck strace zsh"
host_packages="$gimp_packages melt gstreamer1.0-tools gstreamer1.0-plugins-base
    gstreamer1.0-plugins-good gstreamer1.0-plugins-bad chromium? chromium-driver? firefox-esr?
    esbuild qgis python3-qgis qgis-providers xvfb xauth"

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "run this as root, or install sudo; it needs:$missing" >&2
        return 1
    fi
}

# Whether one of a|b is installed.
is_installed() {
    for candidate in $(echo "${1%\?}" | tr '|' ' '); do
        ! dpkg-query -W -f '${db:Status-Status}\n' "$candidate" 2>/dev/null | grep -qx installed || return 0
    done
    return 1
}

is_known() {
    apt-cache show --no-all-versions "$1" 2>/dev/null | grep -q .
}

# The first of a|b that apt knows; nothing if it knows none and the name ends in ?.
choose() {
    candidates=$(echo "${1%\?}" | tr '|' ' ')
    for candidate in $candidates; do
        ! is_known "$candidate" || { echo "$candidate"; return; }
    done
    [ "$1" != "${1%\?}" ] || echo "${candidates%% *}" # apt will say that there is none
}

update_lists() {
    as_root apt-get -qq -o DPkg::Lock::Timeout=600 update || exit 1
}

# Installs packages, and prints how far it is.
install_packages() {
    { as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a apt-get -qq -y \
        -o DPkg::Lock::Timeout=600 -o APT::Status-Fd=1 --no-install-recommends install "$@" ||
        echo failed; } |
        awk -F: '$1 == "dlstatus" || $1 == "pmstatus" {
                if ($1 != part) { part = $1; shown = 0 }
                if (int($3 / 20) > shown) {
                    shown = int($3 / 20)
                    printf "%s %d %%\n", part == "dlstatus" ? "downloaded" : "installed", shown * 20
                    fflush()
                }
            }
            /^failed$/ { bad = 1 }
            END { exit bad }'
}

# Installs those packages that are missing: a, a|b or a?, since releases of Debian differ.
need() {
    wanted=
    for package; do
        is_installed "$package" || wanted="$wanted $package"
    done
    [ -n "$wanted" ] || return 0
    missing="$wanted"
    is_known dpkg || update_lists
    missing=
    for package in $wanted; do
        chosen=$(choose "$package")
        missing="$missing${chosen:+ $chosen}"
    done
    [ -n "$missing" ] || return 0
    update_lists
    # shellcheck disable=SC2086
    all=$(apt-get -qq -y --print-uris --no-install-recommends install $missing | awk '{n++; bytes += $3}
        END {printf "%d packages, %.0f MB", n, bytes / 1e6}')
    say "installing $all:$missing"
    # shellcheck disable=SC2086
    install_packages $missing || exit 1
}
