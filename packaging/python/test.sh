#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs a wheel and an sdist into virtual environments without a network, and runs the Python
# lines of README.md there: test.sh WHEEL SDIST
# The environments are empty but for pip; numpy, and what the lines use, are added by links to
# Debian's packages one by one, so that nothing else of the system can help.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
wheel=$(readlink -f "$1")
sdist=$(readlink -f "$2")
version=$(sh "$root/packaging/version.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COF_LIBRARY COF_MODULE_PATH PYTHONPATH LD_LIBRARY_PATH

# environment NAME MODULE...: an environment that has these modules of Debian.
environment() {
    name=$1
    shift
    /usr/bin/python3 -m venv "$work/$name"
    mkdir "$work/$name/debian"
    echo "$work/$name/debian" >"$(echo "$work/$name"/lib/python3*/site-packages)/debian.pth"
    for module; do
        for file in /usr/lib/python3/dist-packages/"$module" \
            /usr/lib/python3/dist-packages/"$module".py \
            /usr/lib/python3/dist-packages/"$module"-*-info; do
            [ ! -e "$file" ] || ln -s "$file" "$work/$name/debian"
        done
    done
    mkdir "$work/$name/empty"
}

# use NAME: the package in that environment works.
use() {
    python=$work/$1/bin/python
    cd "$work/$1/empty"
    "$python" -m cof >about
    sed -n 1,4p about
    grep -qx "libcof $version" about
    grep -q "^library: $work/$1/lib/python3.*/site-packages/cof/libcof.so$" about
    grep -qE '^instruction set: (c|neon|avx2|avx512|vbmi)$' about
    grep -q '^devices: ' about
    "$python" -c 'import importlib.metadata, cof
assert importlib.metadata.version("cof") == cof.__version__ == cof.version()'
    # shellcheck disable=SC2016
    sed -n '/^```python$/,/^```$/{/^```/!p}' "$root/README.md" >lines.py
    grep -q 'import cof' lines.py
    cp "$root/tests/data/photos/coffee.png" photo.png
    "$python" lines.py
    [ -s smooth.png ]
    cd "$work"
}

echo "the wheel: $(basename "$wheel")"
environment wheel numpy imageio PIL
"$work/wheel/bin/pip" install -q --no-index --disable-pip-version-check "$wheel"
use wheel
sh "$root/packaging/python/check_glibc.sh" 2.34 "$work"/wheel/lib/python3*/site-packages/cof/*.so |
    sed 's/^/needs glibc /'

echo "the sdist: $(basename "$sdist")"
environment sdist numpy imageio PIL mesonpy pyproject_metadata packaging pyparsing \
    typing_extensions wheel setuptools meson_python
"$work/sdist/bin/pip" install -q --no-index --disable-pip-version-check --no-build-isolation \
    --config-settings setup-args=-Dpython-libcof=inside "$sdist"
use sdist
cmp "$work/wheel/empty/smooth.png" "$work/sdist/empty/smooth.png"

echo "their files"
for name in wheel sdist; do
    (cd "$work/$name"/lib/python3*/site-packages/cof && find . -name '*.pyc' -o -type f -print) |
        sort >"$work/$name.files"
done
diff "$work/wheel.files" "$work/sdist.files"
"$work/wheel/bin/pip" check --disable-pip-version-check
"$work/wheel/bin/pip" uninstall -q -y cof
[ -z "$(find "$work/wheel/lib" -name cof)" ] || { echo "files are left"; exit 1; }
