# SPDX-License-Identifier: BSD-2-Clause
# Builds and tests libcof for other machines, which QEMU emulates. ./dev reads this file.

# Name, triplet, emulator, family and byte order of each. i386 has 32-bit pointers and another unit
# for floating-point numbers, armhf has 32-bit pointers, s390x is big-endian.
machine_list="i386 i686-linux-gnu i386 x86 little
armhf arm-linux-gnueabihf arm arm little
arm64 aarch64-linux-gnu aarch64 aarch64 little
ppc64el powerpc64le-linux-gnu ppc64le ppc64 little
riscv64 riscv64-linux-gnu riscv64 riscv64 little
s390x s390x-linux-gnu s390x s390x big"

# What runs on each of them, and which share in percent of the random trials: an emulated processor
# takes about 30 times as long. Machines that need no emulator run more.
emulated_tests="checksums determinism errors exponential files flood focus golden learning limits
    load options oracle parts presets problems published_figures report select several_palettes sharing
    seeding sort_samples stroke refine fuzz_files fuzz_load"
emulated_share=4
native_tests="$emulated_tests downscale fast fork gradient grey kernels memory one_call
    palette precision progress select_focus small_stack fuzz_api fuzz_memory"
native_share=25

# Writes what Meson needs to know of a machine: machine_file NAME TRIPLET EMULATOR FAMILY ORDER
machine_file() {
    root=/usr/$2
    emulator="'qemu-$3-static', '-L', '$root'"
    # A kernel of x86-64 may run programs of i386 itself.
    if [ "$1" = i386 ] && "$root/lib/ld-linux.so.2" --version >/dev/null 2>&1; then
        emulator="'$root/lib/ld-linux.so.2', '--library-path', '$root/lib:$PWD/build-machines/i386/src'"
    fi
    cat <<TEXT
[binaries]
c = '$2-gcc'
ar = '$2-ar'
strip = '$2-strip'
exe_wrapper = [$emulator]

[properties]
emulator = [$emulator]

[host_machine]
system = 'linux'
cpu_family = '$4'
cpu = '$4'
endian = '$5'
TEXT
}

# The same processor with another libc.
musl_file() {
    cat <<TEXT
[binaries]
c = 'musl-gcc'
ar = 'ar'
strip = 'strip'

[properties]
needs_exe_wrapper = false

[host_machine]
system = 'linux'
cpu_family = '$(uname -m)'
cpu = '$(uname -m)'
endian = 'little'
TEXT
}

# Builds for a machine and runs its tests, which are listed: test_machine NAME
test_machine() {
    began=$(date +%s)
    folder=build-machines/$1
    tests=$emulated_tests
    share=$emulated_share
    optimisation=2
    if ! grep -q qemu "$folder.ini"; then
        tests=$native_tests
        share=$native_share
        optimisation=3 # as released: frames of vector kernels are larger with less
    fi
    set_up "$folder" --cross-file "$folder.ini" --buildtype=release -Doptimization=$optimisation --werror \
        -Dauto_features=disabled -Dtests=enabled
    programs=
    for name in $tests; do
        case $name in
        checksums | small_stack) programs="$programs tests/$name" ;;
        kernels) programs="$programs tests/kernels_check" ;;
        fuzz_*) programs="$programs fuzz/$name" ;;
        *) programs="$programs tests/test_$name" ;;
        esac
    done
    # shellcheck disable=SC2086
    compile "$folder" $programs
    # shellcheck disable=SC2086
    COF_TEST_SHARE=$share check "$folder" -t 10 $tests
    # shellcheck disable=SC2154 # check() has set them
    echo "$1: $ok tests passed, $bad failed, $(($(date +%s) - began)) s with compiling"
}

# Packages of the machines that this one is not.
machine_packages() {
    echo "$machine_list" | while read -r name triplet _; do
        [ "$name" = "$(dpkg --print-architecture)" ] ||
            echo "gcc-$triplet libc6-dev-$name-cross"
    done
}

# test_machines [NAME]...: all, or those that are named.
test_machines() {
    wanted=${*:-$(echo "$machine_list" | cut -d ' ' -f 1) musl}
    # shellcheck disable=SC2046,SC2086
    need $build_packages qemu-user-static musl-tools $(machine_packages)
    mkdir -p build-machines
    for wish in $wanted; do
        line=$(echo "$machine_list" | grep "^$wish " || true)
        if [ "$wish" = musl ]; then
            say "musl, on this processor"
            musl_file >build-machines/musl.ini
        elif [ -z "$line" ]; then
            echo "no machine $wish" >&2
            exit 2
        elif [ "$wish" = "$(dpkg --print-architecture)" ]; then
            continue
        else
            # shellcheck disable=SC2086
            set -- $line
            say "$1 ($5-endian)"
            machine_file "$@" >"build-machines/$1.ini"
        fi
        test_machine "$wish"
    done
    tell
}
