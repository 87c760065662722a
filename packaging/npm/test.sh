#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the npm package into an empty folder, uses it from node, packs a program with it by esbuild
# in the two ways that docs/web.md describes, and runs that in node and in Chromium:
#     test.sh ARCHIVE
# Of a folder, which ./dev web makes, an archive is made first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
archive=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -d "$archive" ]; then
    archive=$(/usr/bin/python3 -B "$here/make_npm.py" "$archive" "$work")
fi
mkdir "$work/app"
cd "$work/app"
echo '{"name": "app", "private": true, "type": "module"}' >package.json

if command -v npm >/dev/null; then
    npm_config_cache=$work/cache npm install --offline --no-audit --no-fund --silent "$archive"
else
    # What npm does with a package that needs no others.
    mkdir -p node_modules/libcof
    tar -xzf "$archive" --strip-components=1 -C node_modules/libcof
fi
# shellcheck disable=SC2016
sed -n '/^```js$/,/^```$/{/^```/!p}' node_modules/libcof/README.md >readme.js
node readme.js >printed
diff - printed <<'TEXT'
64 48 12288
32 2
cof --preset texture photo.jpg smooth.png
TEXT
cp "$here/app.js" .
expected=$(node app.js)
echo "node: $expected"

# is WHERE WHAT: the program says what it says when it is not packed.
is() {
    echo "$1: $2"
    [ "$2" = "$expected" ]
}

# 1. The files of the package lie beside the bundle.
esbuild --bundle --format=esm --log-level=warning app.js --outfile=beside/app.js
cp node_modules/libcof/worker.js node_modules/libcof/*.wasm beside
echo '<!doctype html><script type="module" src="app.js"></script>' >beside/page.html
# 2. They lie elsewhere, and Cof.create() is told where. The bundle is minified.
esbuild --bundle --minify --format=esm --log-level=warning app.js --outfile=elsewhere/js/app.js
mkdir elsewhere/assets
cp node_modules/libcof/worker.js node_modules/libcof/*.wasm elsewhere/assets
cat >elsewhere/page.html <<'TEXT'
<!doctype html>
<script>globalThis.cofOptions = { wasm: 'assets/', worker: 'assets/worker.js' };</script>
<script type="module" src="js/app.js"></script>
TEXT
cat >elsewhere/start.js <<'TEXT'
const place = (name) => new URL(`./assets/${name}`, import.meta.url);
globalThis.cofOptions = { wasm: place(''), worker: place('worker.js') };
await import('./js/app.js');
TEXT
rm -r node_modules
is "bundle in node, files beside it" "$(node beside/app.js)"
is "bundle in node, files elsewhere" "$(node elsewhere/start.js)"
if command -v chromium >/dev/null; then
    for folder in beside elsewhere; do
        is "bundle in Chromium, files $folder" \
            "$(/usr/bin/python3 -B "$here/in_browser.py" $folder page.html)"
    done
else
    echo "there is no Chromium: not tried in a browser"
fi
