# SPDX-License-Identifier: BSD-2-Clause
# ./dev fuzz
# shellcheck shell=sh disable=SC2086,SC2154

fuzz_targets="load files api memory options arguments headers images"

# The corpus of a target; some share one.
fuzz_corpus() {
    case $1 in
    load) echo files ;;
    headers) echo images ;;
    *) echo "$1" ;;
    esac
}

# The folders with the stored inputs of a target.
fuzz_inputs() {
    corpus=$(fuzz_corpus "$1")
    echo "fuzz/corpus/$corpus"
    [ "$corpus" != images ] || echo tests/data/corpus
}

# Builds programs in a folder: build_fuzzers FOLDER PROGRAMS MESON-OPTION...
build_fuzzers() {
    folder=$1 programs=$2
    shift 2
    need $build_packages $fuzz_packages
    say "compiling in $folder/"
    CC=clang set_up "$folder" $without_hosts "$@"
    compile "$folder" $(for name in $programs; do echo "fuzz/fuzz_$name"; done)
}

# Runs one target: fuzz_one TARGET SECONDS. What it learns is kept for the next time.
fuzz_one() {
    corpus=$(fuzz_corpus "$1")
    grown=build-fuzz/corpus/$corpus
    mkdir -p "$grown" "build-fuzz/found/$1"
    say "$1, $2 seconds"
    temporary=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # an input that crashes leaves files
    # shellcheck disable=SC2046
    TMPDIR=$temporary ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
        LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0" \
        "build-fuzz/fuzz/fuzz_$1" -fork="$(nproc)" -ignore_crashes=1 -timeout=30 -max_len=4096 \
        -max_total_time="$2" -artifact_prefix="build-fuzz/found/$1/" "$grown" $(fuzz_inputs "$1") \
        >"build-fuzz/$1.log" 2>&1 || true
    rm -rf "$temporary"
    grep "^#" "build-fuzz/$1.log" | tail -n 1
}

fuzz() {
    case ${1:-} in
    --coverage)
        fuzz_coverage
        return
        ;;
    '' | [0-9]*) targets=$fuzz_targets ;;
    *)
        echo " $fuzz_targets " | grep -q " $1 " || { usage >&2; exit 2; }
        targets=$1
        shift
        ;;
    esac
    # Tracing comparisons of numeric loops takes four fifths of the time.
    fuzz_args="-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp -fno-sanitize-recover=undefined"
    build_fuzzers build-fuzz "$targets" --buildtype=debugoptimized -Dfuzz-engine=-fsanitize=fuzzer \
        -Db_sanitize=address,undefined -Db_lundef=false \
        "-Dc_args=$fuzz_args"
    for target in $targets; do
        fuzz_one "$target" "${1:-60}"
    done
    found=$(find build-fuzz/found -type f)
    [ -z "$found" ] || { printf '\nfindings:\n%s\n' "$found"; exit 1; }
    printf '\nno findings\n'
}

# The inputs of the repository run on every instruction set of this machine.
fuzz_coverage() {
    build_fuzzers build-coverage "$fuzz_targets" --buildtype=debugoptimized \
        "-Dc_args=-fprofile-instr-generate -fcoverage-mapping" -Dc_link_args=-fprofile-instr-generate
    profiles=build-coverage/profiles
    rm -rf "$profiles"
    objects=build-coverage/src/libcof.so
    for target in $fuzz_targets; do
        objects="$objects -object build-coverage/fuzz/fuzz_$target"
        for level in best $(lower_levels); do
            # shellcheck disable=SC2046
            LLVM_PROFILE_FILE=$profiles/$target-$level-%m.profraw COF_CPU=$level quietly \
                "build-coverage/$target.log" "build-coverage/fuzz/fuzz_$target" \
                $(fuzz_inputs "$target")
        done
    done
    llvm-profdata merge -o "$profiles/all" "$profiles"/*.profraw
    llvm-cov report -instr-profile="$profiles/all" -show-region-summary=false \
        -show-branch-summary=false $objects \
        -ignore-filename-regex='build-coverage/\.\./(cli/[^i]|(fuzz|include|plugins|tests)/)|^/usr/'
}
