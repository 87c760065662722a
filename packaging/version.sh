#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the version, which only meson.build states.
set -eu
cd "$(dirname "$0")/.."
meson introspect --projectinfo meson.build |
    /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])'
