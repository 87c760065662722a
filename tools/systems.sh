# SPDX-License-Identifier: BSD-2-Clause
# Tests on other releases of Debian, in folders that debootstrap fills and that are kept.
# shellcheck shell=sh disable=SC2154

unmount_system() {
    umount -l "$system/dev" "$system/proc" 2>/dev/null || true
}

# Makes build-systems/NAME; false if that cannot be done here.
make_system() {
    system=$PWD/build-systems/$1
    [ "$(id -u)" = 0 ] || { echo "skipped: chroot needs root"; return 1; }
    need debootstrap
    if [ ! -e "$system/complete" ]; then
        rm -rf "$system"
        mkdir -p "$system"
        debootstrap --variant=minbase "$1" "$system" >"$system.log" 2>&1 ||
            { echo "skipped: debootstrap failed, see $system.log"; return 1; }
        touch "$system/complete"
    fi
    { mount -t proc proc "$system/proc" && mount --rbind /dev "$system/dev"; } ||
        { echo "skipped: nothing can be mounted here"; unmount_system; return 1; }
}

# Runs ./dev test in a system, and then what depends on versions of other programs.
run_in_system() {
    mkdir -p "$system/cof"
    tar -c --exclude='./build*' --exclude=./.git --exclude=./release . | tar -x -C "$system/cof"
    chroot "$system" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin COF_MESON_OPTIONS=--werror \
        sh -c 'cd /cof && ./dev test; ./dev test video dask xarray gegl gimp' 2>&1
}

# test_systems [NAME]...: releases of Debian
test_systems() {
    [ $# -gt 0 ] || set -- trixie testing
    for name; do
        say "Debian $name"
        make_system "$name" || { skipped=$((skipped + 1)); continue; }
        trap unmount_system EXIT
        run_in_system | tee "$system.log"
        unmount_system
        counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$system.log" |
            awk '{n++; ok += $1; bad += $2} END {if (n == 2) print ok, bad}')
        counts=${counts:-0 1} # a run that did not end
        passed=$((passed + ${counts% *}))
        failed=$((failed + ${counts#* }))
    done
}
