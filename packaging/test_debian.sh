#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the packages that packaging/debian.sh has built in a minimal chroot:
#     packaging/test_debian.sh OUT [PACKAGE...] [upgrade]
# Each package is installed alone into a fresh system; its dependencies are printed, and its
# autopkgtest is run; then it is purged, and must leave nothing behind. Then all packages are
# upgraded from an older version. Needs root, overlay file systems and a Debian mirror
# (COF_DEBIAN_MIRROR, default http://deb.debian.org/debian; COF_DEBIAN_SUITE, default bookworm).
# COF_DEBIAN_CHROOT names a folder in which the minimal system is kept for the next time.
# shellcheck disable=SC2016 # dpkg-query replaces ${...}, not the shell
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C.UTF-8
export PATH LC_ALL
[ $# -ge 1 ] || { sed -n '3,10s/^# //p' "$0" >&2; exit 2; }
out=$(cd "$1" && pwd)
shift
mirror=${COF_DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=${COF_DEBIAN_SUITE:-bookworm}
[ "$(id -u)" = 0 ] || { echo "test_debian.sh: run this as root" >&2; exit 1; }
# Mounts are private to this process, and end with it.
if [ -z "${COF_DEBIAN_PRIVATE:-}" ]; then
    COF_DEBIAN_PRIVATE=1 exec unshare --mount sh "$0" "$out" "$@"
fi
for file in "$out"/*.dsc; do
    [ -f "$file" ] || { echo "$out: no .dsc file; run packaging/debian.sh first" >&2; exit 1; }
done

work=$(mktemp -d)
base=${COF_DEBIAN_CHROOT:-$work/base}
system=$work/system
failed=0

# Removes the current system; its mounts first, so that nothing outside it is deleted.
drop_system() {
    for mounted in dev/shm proc sys packages var/cache/apt/archives ''; do
        ! mountpoint -q "$system/$mounted" || umount -l "$system/$mounted"
    done
    rm -rf --one-file-system "$work/upper" "$work/scratch"
}

finish() {
    drop_system
    rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf '\n== %s\n' "$*"
}

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}

inside() {
    chroot "$system" env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
        "$@"
}

quietly() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

# The minimal system, which knows the packages under test and installs nothing recommended. The
# manual of a package is kept, unlike in images for containers.
make_base() {
    [ -f "$base/etc/debian_version" ] ||
        quietly debootstrap --variant=minbase "$suite" "$base" "$mirror" || exit 1
    cat >"$base/etc/apt/apt.conf.d/90cof" <<'TEXT'
APT::Install-Recommends "false";
APT::Get::Assume-Yes "true";
APT::Sandbox::User "root";
Dpkg::Use-Pty "false";
TEXT
    cat >"$base/etc/apt/sources.list" <<TEXT
deb [trusted=yes] file:/packages ./
deb $mirror $suite main
TEXT
    # Nobody needs the system after a power failure.
    echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/90cof"
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d"
    chmod +x "$base/usr/sbin/policy-rc.d"
}

# A folder with packages becomes what apt installs from: publish FOLDER
publish() {
    rm -rf "$work/packages"
    mkdir -p "$work/packages"
    for file in "$1"/*.deb; do
        case $file in
        *-dbgsym_*) ;;
        *) cp "$file" "$work/packages/" ;;
        esac
    done
    (cd "$work/packages" && apt-ftparchive packages . >Packages && apt-ftparchive release . >Release)
}

# Downloads are shared by all systems. What the mirror has is read once.
new_system() {
    drop_system
    mkdir -p "$work/upper" "$work/scratch" "$work/downloads/partial" "$system"
    mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/scratch" "$system"
    mkdir -p "$system/packages"
    mount --bind "$work/packages" "$system/packages"
    mount --bind "$work/downloads" "$system/var/cache/apt/archives"
    mount -t proc proc "$system/proc"
    mount -t sysfs -o ro sysfs "$system/sys" # pocl reads the topology of the processor
    mount -t tmpfs tmpfs "$system/dev/shm"
    quietly inside apt-get -q update || exit 1
}

installed() {
    inside dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort
}

# Files of the system, other than those that dpkg, apt and the loader write themselves.
files() {
    for folder in bin boot etc home lib opt root run sbin srv usr var/lib var/spool; do
        [ ! -d "$system/$folder" ] || (cd "$system" && find "$folder/" ! -type d)
    done | grep -v -e '^var/lib/dpkg/' -e '^var/lib/apt/' | sort
}

# All libraries of the programs of a package are there.
check_libraries() {
    inside dpkg-query -L "$1" | while read -r path; do
        [ -f "$system$path" ] || continue
        [ ! -L "$system$path" ] || continue
        [ "$(head -c 4 "$system$path" | tr -d '\177')" = ELF ] || continue
        inside ldd "$path" 2>&1 | grep 'not found' | sed "s|^|$path: |" || true
    done >"$work/missing"
    if grep . "$work/missing"; then
        fail "$1: libraries are missing"
    fi
}

# Installs one package alone: install_alone PACKAGE
install_alone() {
    installed >"$work/before"
    files >"$work/files"
    quietly inside apt-get -q install "$1" || { fail "$1: cannot be installed"; return 1; }
    installed >"$work/after"
    comm -13 "$work/before" "$work/after" >"$work/new"
    size=$(inside dpkg-query -W -f '${Installed-Size} ${Package}\n' |
        awk 'NR == FNR {new[$1] = 1; next} $2 in new {sum += $1} END {print sum}' "$work/new" -)
    inside dpkg-query -W -f '${Package}: Depends: ${Depends}\n' "$1"
    echo "installs $(wc -l <"$work/new") packages, $size kB: $(tr '\n' ' ' <"$work/new")"
    check_libraries "$1"
    # A library of C is all that libcof needs.
    if [ "$1" = libcof1 ] && [ "$(cat "$work/new")" != libcof1 ]; then
        fail "libcof1 needs more than a minimal system has"
    fi
}

run_autopkgtest() {
    if autopkgtest --no-built-binaries --test-name "$1" "$work/tree/" -- chroot \
        "$system" >"$work/autopkgtest.log" 2>&1; then
        sed -n "s/^$1 *PASS/autopkgtest: &/p" "$work/autopkgtest.log" | tail -n 1
    else
        cat "$work/autopkgtest.log"
        fail "autopkgtest $1"
    fi
}

# Purges all packages of this source that were installed for a package.
purge() {
    installed >"$work/now"
    echo "$packages" | tr ' ' '\n' | sort | comm -12 - "$work/now" >"$work/ours"
    # shellcheck disable=SC2046
    quietly inside apt-get -q purge $(cat "$work/ours") || fail "$1: cannot be purged"
    # Other packages stay, with files such as coffeescript.xml.
    files | comm -13 "$work/files" - | grep -E '(^|[/_.-])(lib)?cof([/_.0-9-]|$)' >"$work/left" || true
    if [ -s "$work/left" ]; then
        cat "$work/left"
        fail "$1: files are left behind"
    fi
    if inside dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | grep -v '^ii' | grep cof; then
        fail "$1: is not purged"
    fi
}

# The test of a package has its name.
test_package() {
    say "$1"
    new_system
    install_alone "$1" || return 0
    run_autopkgtest "$1"
    purge "$1"
}

# The same packages as version 0.9: age FOLDER
age() {
    mkdir -p "$1"
    for file in "$out"/*.deb; do
        case $file in
        *-dbgsym_*) continue ;;
        esac
        rm -rf "$work/unpacked"
        dpkg-deb -R "$file" "$work/unpacked"
        sed -i -e "s/^Version: .*/Version: 0.9.0-1/" \
            -e "s/(= $version)/(= 0.9.0-1)/g" -e "s/(>= ${version%-*})/(>= 0.9.0)/g" \
            "$work/unpacked/DEBIAN/control"
        dpkg-deb --root-owner-group -b "$work/unpacked" "$1" >/dev/null
    done
}

# The library alone is upgraded first: programs of the older version still run with it.
test_upgrade() {
    say "upgrade from version 0.9"
    age "$work/old"
    publish "$work/old"
    new_system
    installed >"$work/before"
    files >"$work/files"
    # shellcheck disable=SC2086
    quietly inside apt-get -q install $packages || { fail "0.9 cannot be installed"; return 0; }
    publish "$out"
    umount -l "$system/packages"
    mount --bind "$work/packages" "$system/packages"
    quietly inside apt-get -q update
    # Left to itself, apt upgrades all packages of a source together.
    quietly inside apt-get -q -o APT::Get::Upgrade-By-Source-Package=false install --only-upgrade \
        libcof1 libcof-dev libcof-opencl || fail "libcof1 cannot be upgraded alone"
    inside dpkg-query -W -f '${Package} ${Version}\n' cof libcof1 | tee "$work/versions"
    printf 'cof 0.9.0-1\nlibcof1 %s\n' "$version" | cmp -s - "$work/versions" ||
        fail "other packages than the library were upgraded"
    inside cof --version || fail "cof 0.9 does not run with the newer libcof1"
    quietly inside apt-get -q upgrade || fail "upgrade"
    # shellcheck disable=SC2086
    inside dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' $packages |
        tee "$work/versions"
    [ "$(grep -c " $version installed$" "$work/versions")" = "$(echo "$packages" | wc -w)" ] ||
        fail "not all packages were upgraded"
    inside cof --version || fail "cof does not run after the upgrade"
    [ -z "$(inside dpkg --audit)" ] || fail "dpkg --audit"
    quietly inside dpkg --verify || fail "dpkg --verify"
    purge "the packages"
}

make_base
dpkg-source --no-check -x "$out"/*.dsc "$work/tree" >/dev/null
version=$(dpkg-parsechangelog -l "$work/tree/debian/changelog" -S Version)
packages=$(sed -n 's/^Package: //p' "$work/tree/debian/control" | tr '\n' ' ')
publish "$out"
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $packages upgrade
for name; do
    case $name in
    upgrade) test_upgrade ;;
    *) test_package "$name" ;;
    esac
done
printf '\n%d failed\n' "$failed"
[ "$failed" = 0 ]
