# SPDX-License-Identifier: BSD-2-Clause
# Tests on other releases of Debian, in folders that debootstrap fills and that are kept.
# shellcheck shell=sh disable=SC2154

# Runs a command as root of a system: in_system FOLDER COMMAND. What it mounts ends with it.
in_system() {
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
        exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            COF_MESON_OPTIONS=--werror sh -c "$2"' sh "$@"
}

# Makes a system of a release of Debian, and says why if that cannot be done: make_system FOLDER NAME
make_system() {
    [ "$(id -u)" = 0 ] || { echo "skipped: chroot needs root"; return 1; }
    need debootstrap
    if [ ! -e "$1/complete" ]; then
        rm -rf "$1"
        mkdir -p "$1"
        debootstrap --variant=minbase "$2" "$1" >"$1.log" 2>&1 ||
            { echo "skipped: debootstrap failed, see $1.log"; return 1; }
        touch "$1/complete"
    fi
    in_system "$1" true || { echo "skipped: nothing can be mounted here"; return 1; }
}

# test_systems [NAME]...: runs ./dev test in releases of Debian, and then what depends on versions of
# other programs.
test_systems() {
    [ $# -gt 0 ] || set -- trixie testing
    for name; do
        say "Debian $name"
        system=$PWD/build-systems/$name
        make_system "$system" "$name" || { skipped=$((skipped + 1)); continue; }
        mkdir -p "$system/cof"
        tar -c --exclude='./build*' --exclude=./.git --exclude=./release . | tar -x -C "$system/cof"
        in_system "$system" 'cd /cof && ./dev test; ./dev test video dask xarray gegl gimp' 2>&1 |
            tee "$system.log"
        counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$system.log" |
            awk '{n++; ok += $1; bad += $2} END {if (n == 2) print ok, bad}')
        counts=${counts:-0 1} # a run that did not end
        passed=$((passed + ${counts% *}))
        failed=$((failed + ${counts#* }))
    done
}
