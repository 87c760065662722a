#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compiles the library for macOS on arm64, as far as that can be done without a Mac: clang makes
# objects for it from headers of musl, without GNU extensions, and they must need nothing that macOS
# lacks. It does not link or run them. docs/systems.md says what is left.
# Usage: check_macos.sh SOURCE-FOLDER
set -eu
cd "$1"
headers=/usr/include/x86_64-linux-musl
if [ ! -d $headers ] || ! command -v clang >/dev/null; then
    echo "needs clang and musl-tools"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
: > "$work/include/xlocale.h"

for file in src/*/*.c src/kernels/*/*.c; do
    case $file in
    *_avx2.c | *_avx512.c | *_vbmi.c | *_wasm.c) continue ;;
    esac
    clang --target=arm64-apple-macos11 -std=c11 -pedantic -Wgnu -Wall -Wextra -Werror -O1 \
        -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-math-errno -fno-builtin-pow -DNDEBUG \
        -DCOF_BUILD -nostdlibinc -isystem "$work/include" -isystem $headers -Iinclude -Isrc \
        -c "$file" -o "$work/$(basename "$file" .c).o"
done
# Functions of POSIX and C11 that macOS 11 has, and what clang calls by itself.
cat > "$work/known" <<'TEXT'
___stack_chk_fail ___stack_chk_guard _aligned_alloc _bzero _clock_gettime _cos _dladdr _dlopen
_dlsym _exp _exp2 _expf _fmod _free _freelocale _getegid _getenv _geteuid _getgid _getpid _getuid
_log _lround _memchr _memcmp _memcpy _memmove _memset _memset_pattern16 _newlocale _pow _powf
_pthread_attr_destroy _pthread_attr_init _pthread_attr_setstacksize _pthread_cond_broadcast
_pthread_cond_destroy _pthread_cond_init _pthread_cond_signal _pthread_cond_wait _pthread_create
_pthread_join _pthread_mutex_destroy _pthread_mutex_init _pthread_mutex_lock _pthread_mutex_unlock
_sin _snprintf _strcmp _strlen _strncmp _strnlen _strrchr _strspn _strtod _sysconf _uselocale
TEXT
llvm-nm-14 -u "$work"/*.o | grep -v ':$' | awk 'NF {print $NF}' | grep -vE '^_cofi?_' | sort -u \
    > "$work/needed"
tr ' ' '\n' < "$work/known" | sort -u > "$work/allowed"
unknown=$(comm -23 "$work/needed" "$work/allowed")
[ -z "$unknown" ] || { echo "does macOS have these? $unknown"; exit 1; }
echo "$(find "$work" -name '*.o' | wc -l) objects, which need $(wc -l < "$work/needed") functions"
