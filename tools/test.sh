# SPDX-License-Identifier: BSD-2-Clause
# ./dev test. A test that Meson lists has the suite `more` unless ./dev test runs it.
# shellcheck shell=sh disable=SC2154,SC2086

passed=0
failed=0
skipped=0
repeat="./dev test"
# Tests wait for files and other programs now and then: one more than there are processors.
processes=${COF_TEST_PROCESSES:-$(($(nproc) + 1))}
# Plug-ins run in programs that have no sanitizer.
without_hosts="-Dvips=disabled -Dgegl=disabled -Dfrei0r=disabled"

# Runs tests of a build folder, shows each when it ends, and counts them: check FOLDER
# MESON-TEST-OPTION... The limits of time are for machines ten times as slow as those of today.
check() {
    folder=$1
    shift
    meson test -C "$folder" --no-rebuild --print-errorlogs --num-processes "$processes" \
        --timeout-multiplier 10 "$@" 2>&1 | tee "$folder/test.log" |
        sed -u -e '/^ninja: /d' -e '/^Summary of Failures:/,$d' -e '/^Ok: /,$d' \
            -e "s#^ *[0-9]*/[0-9]* .*[/:] *\\([^ :/]*\\) *\\(FAIL\\|TIMEOUT\\|ERROR\\) .*#&\\nto repeat it: $repeat \\1#"
    ok=$(sed -n 's/^Ok: *//p' "$folder/test.log")
    [ -n "$ok" ] || { cat "$folder/test.log"; failed=$((failed + 1)); return 0; }
    passed=$((passed + ok))
    failed=$((failed + $(awk '/^(Fail|Unexpected Pass|Timeout): /{n += $NF} END {print n + 0}' "$folder/test.log")))
    skipped=$((skipped + $(awk '/^Skipped: /{n += $NF} END {print n + 0}' "$folder/test.log")))
}

# Counts one test that is not in Meson's list: expect WHAT COMMAND...
expect() {
    say "$1"
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

tell() {
    printf '\n%d passed, %d failed' "$passed" "$failed"
    [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
    echo
    [ "$failed" = 0 ]
}

# The instruction sets of this machine below the best one, which the other tests use.
lower_levels() {
    echo c
    ! grep -qw avx512f /proc/cpuinfo || echo avx2
    ! grep -qw avx512vbmi /proc/cpuinfo || echo avx512
}

test_default() {
    need $build_packages $test_packages
    say "compiling libcof, the command and their tests in build/"
    configure build --buildtype=release
    say "library, oracle, kernels, files, command, Python"
    check build
    for level in $(lower_levels); do
        say "what depends on the instruction set, with $level"
        repeat="COF_CPU=$level ./dev test"
        COF_CPU=$level check build --suite levels
    done
    repeat="./dev test"
}

# What needs plug-ins, large programs or much time.
test_more() {
    need $build_packages $test_packages $rest_packages $host_packages $site_packages
    build_studio build-web
    say "compiling plug-ins and their tests in build/"
    configure build --buildtype=release
    say "plug-ins, other programs, pages, analysers, and what takes long"
    check build --suite more
}

test_clang() {
    need $build_packages $test_packages clang
    say "clang, where a warning is an error"
    CC=clang configure build-clang --buildtype=release --werror $without_hosts
    repeat="./dev test clang"
    check build-clang --suite oracle --suite kernels --suite unit
}

# LeakSanitizer takes four seconds per process on arm64, which is too long for thousands of commands.
# There it checks the unit tests only, which call every function.
leak_checks() {
    [ "$(uname -m)" = aarch64 ] && echo 0 || echo 1
}

# AddressSanitizer and UndefinedBehaviorSanitizer: test_sanitizers [NAME]... Line numbers are all that a
# report needs; debug information on variables takes a third of the time to compile.
test_sanitizers() {
    need $build_packages $test_packages ffmpeg
    say "gcc, AddressSanitizer and UndefinedBehaviorSanitizer"
    configure build-asan --buildtype=debugoptimized -Db_sanitize=address,undefined --werror \
        "-Dc_args=-fno-sanitize-recover=undefined -g1 -fno-var-tracking" $without_hosts
    repeat="./dev test sanitizers"
    if [ $# -gt 0 ]; then
        check_memory "$(leak_checks)" --setup everything "$@"
    else
        check_memory 1 --suite unit
        check_memory "$(leak_checks)" --suite oracle --suite kernels --suite fuzz --suite cli
    fi
}

# Runs tests of build-asan: check_memory LEAKS --suite SUITE...
check_memory() {
    leaks=$1
    shift
    COF_SANITIZED=1 UBSAN_OPTIONS=print_stacktrace=1 \
        ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=$leaks" \
        LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0" \
        check build-asan "$@"
}

test_threads() {
    need $build_packages $test_packages
    say "gcc, ThreadSanitizer"
    set_up build-tsan --buildtype=debugoptimized -Db_sanitize=thread \
        "-Dc_args=-g1 -fno-var-tracking" $without_hosts
    compile build-tsan tests/test_determinism tests/test_sharing tests/test_errors tests/checksums \
        tests/test_early_features tests/test_thread_pool
    # The sanitizer does not start if addresses are randomised in more bits than it supports.
    fixed=
    ! setarch -R true 2>/dev/null || fixed="setarch -R"
    repeat="./dev test threads; "
    TSAN_OPTIONS=halt_on_error=1 check build-tsan thread_pool early_features threads sharing errors \
        checksums ${fixed:+--wrapper "$fixed"}
}

# Compiles for the other processor. The suffix of a kernel selects its compiler flags.
cross_compile() {
    options="-O3 -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-math-errno -fno-trapping-math
        -Iinclude -Isrc"
    mkdir -p build-other
    rm -f build-other/*.o
    for file in src/*/*.c src/kernels/*/*.c; do
        flags=
        case $cpu-$file in
        x86_64-*_avx2.c) flags="-mavx2 -mfma" ;;
        x86_64-*_avx512.c) flags="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma" ;;
        x86_64-*_vbmi.c) flags="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mfma" ;;
        esac
        echo $options -Werror=frame-larger-than=8192 $flags -c "$file" \
            -o "build-other/$(basename "$file" .c).o"
    done | xargs -P "$(nproc)" -L 1 "$compiler" || return 1
    for program in tests/unit/checksums.c tests/kernels/compare_levels.c \
        "tests/kernels/kernels_check.c tests/kernels/kernel_data.c tests/kernels/guard_pages.c tests/kernels/check_*.c"; do
        name=$(basename "${program%% *}" .c)
        "$compiler" $options $program build-other/*.o -lm -lpthread \
            -o "build-other/$name" || return 1
    done
}

# Sets cpu and cross, or an empty cpu if there is no emulation, and installs the compiler.
find_other_processor() {
    case $(uname -m) in
    x86_64) cpu=aarch64 debian=arm64 cross=aarch64-linux-gnu ;;
    aarch64) cpu=x86_64 debian=amd64 cross=x86-64-linux-gnu ;;
    *)
        cpu=
        return 0
        ;;
    esac
    need "gcc-$cross" "libc6-dev-$debian-cross" qemu-user-static
}

# Runs programs of the other processor under emulation: palette, labels and counts must be the same,
# results of the exact method nearly the same, and kernels must agree with C.
test_emulated() {
    find_other_processor
    [ -n "$cpu" ] || return 0
    set_up build --buildtype=release
    compile build tests/compare_levels
    triplet=$(echo "$cross" | sed s/x86-64/x86_64/)
    compiler=$triplet-gcc
    expect "compiling for $cpu" cross_compile
    # Programs are linked dynamically: the static libm of Debian's cross compiler for x86_64 is a
    # linker script that names files of another folder.
    emulator="qemu-$cpu-static -L /usr/$triplet"
    images="tests/data/cat.ppm tests/data/cup16.ppm tests/data/man16.pgm"
    expect "palette, labels and counts on $cpu" \
        sh tests/check_checksums.sh $emulator build-other/checksums tests/data
    build/tests/compare_levels --write build-other/results $images
    expect "results of the exact method on $cpu and on this processor" \
        $emulator build-other/compare_levels --compare build-other/results $images
    expect "results of the exact method on $cpu, with and without vectors" \
        $emulator build-other/compare_levels $images
    expect "kernels on $cpu" $emulator build-other/kernels_check
}

# Runs the tests as WebAssembly under node, compiled as ./dev web does. Results of the exact method
# must be nearly those of this processor. Without SIMD, only the tests whose results might depend on
# the kernels run, so the others are not compiled.
test_webassembly() {
    need $web_packages
    set_up build --buildtype=release
    compile build tests/compare_levels
    for kind in with-simd without-simd; do
        say "WebAssembly, $kind"
        set_up_web build-web $kind
        if [ $kind = with-simd ]; then
            compile build-web/with-simd
            check build-web/with-simd
        else
            compile build-web/without-simd tests/wasm/kernels_check.wasm tests/wasm/checksums.wasm \
                tests/wasm/compare_levels.wasm
            check build-web/without-simd --suite kernels --suite levels
        fi
    done
    images="$PWD/tests/data/cat.ppm $PWD/tests/data/cup16.ppm $PWD/tests/data/man16.pgm"
    results=$PWD/build-web/with-simd/results
    build/tests/compare_levels --write "$results" $images
    expect "results of the exact method as WebAssembly and on this processor" \
        node --no-warnings tests/wasm/run_wasi.mjs \
        "$PWD/build-web/with-simd/tests/wasm/compare_levels.wasm" --compare "$results" $images
}

test_all() {
    test_default
    test_rest
    test_systems trixie
}

# What ./dev test leaves out, on this system.
test_rest() {
    test_more
    test_clang
    test_sanitizers
    test_threads
    test_emulated
    test_webassembly
}

test_windows() {
    need $build_packages $test_packages $windows_packages
    say "compiling for Windows"
    sh packaging/windows/build.sh build-windows build-windows/out --test
    set_up build --buildtype=release
    compile build command tests/compare_levels
    sh packaging/windows/test.sh build-windows build-windows/out build/src/libcof.so \
        build/tests/compare_levels
}

# The numbers of runs and failures are what counts here, so the tests print to the terminal.
test_faults() {
    need $build_packages $test_packages ffmpeg
    say "compiling in build/"
    set_up build --buildtype=release
    compile build command
    status=0
    say "each command with each fault, at 20 random moments"
    COF=build/cli/cof COF_FAULT_RUNS=20 /usr/bin/python3 -B tests/cli/test_faults.py || status=1
    say "a batch of 2000 images, 200 of them damaged"
    COF=build/cli/cof COF_BATCH_IMAGES=2000 /usr/bin/python3 -B tests/cli/test_mixed_batch.py ||
        status=1
    return $status
}

soak() {
    need $build_packages $test_packages ffmpeg
    say "compiling in build/"
    set_up build --buildtype=release
    compile build command tests/soak_api
    say "$1 minutes"
    COF=build/cli/cof COF_LIBRARY=$PWD/build/src/libcof.so \
        COF_SOAK_API=build/tests/soak_api /usr/bin/python3 -B tests/soak/soak.py "$@"
}

# The tests of build/, a line each: SUITE+SUITE... NAME. Newer versions of Meson have another form of
# this list.
listed_tests() {
    meson test -C build --setup everything --list 2>/dev/null |
        sed -n -e 's|^cof:\([^ ]*\) / |\1 |p' -e 's|^\([^ ]*\) - cof:|\1 |p'
}

# Whether there is a test or a suite of this name in build/.
is_listed() {
    listed_tests | awk -v name="$1" '$2 == name || index("+" $1 "+", "+" name "+") { found = 1 }
        END { exit !found }'
}

# Tests or suites of build/. Their packages are installed if the tests are not there without them.
test_named() {
    need $build_packages $test_packages
    for name; do
        case $name in
        video) need ffmpeg ;;
        dask | xarray) need $dask_packages ;;
        gegl) need $gegl_packages ;;
        gimp) need $gegl_packages $gimp_packages ;;
        docs) need $rest_packages ;;
        *) [ ! -d build ] || is_listed "$name" || need $rest_packages $host_packages $site_packages ;;
        esac
    done
    configure build --buildtype=release
    for name; do
        is_listed "$name" || { echo "$name: there is no such test, suite or part here" >&2; exit 2; }
    done
    suites=$(listed_tests | cut -d ' ' -f 1 | tr + '\n' | sort -u)
    for name; do
        if echo "$suites" | grep -qx "$name"; then
            check build --suite "$name"
        else
            check build --setup everything "$name"
        fi
    done
}

test_command() {
    part=${1:-default}
    [ $# -eq 0 ] || shift
    case $part in
    machines)
        . packaging/machines/machines.sh
        test_machines "$@"
        return
        ;;
    windows | faults)
        "test_$part"
        return
        ;;
    default | all | rest | clang | sanitizers | threads | emulated | webassembly | systems)
        "test_$part" "$@"
        ;;
    *) test_named "$part" "$@" ;;
    esac
    tell
}
