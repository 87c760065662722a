#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the tests of the JavaScript package in COF_WEB, which ./dev web makes; skipped without it.
set -eu
cd "$(dirname "$0")"
[ -f "$COF_WEB/cof.js" ] || { echo "there is no $COF_WEB; run ./dev web"; exit 77; }
exec "${NODE:-node}" --test equality.test.mjs methods.test.mjs package.test.mjs strokes.test.mjs \
    workers.test.mjs pages.test.mjs
