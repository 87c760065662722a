#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Puts the studio together: a folder for any static host, and one page that opens from a file."""
import argparse
import base64
import gzip
import hashlib
import json
import pathlib
import shutil

import bundle

HERE = pathlib.Path(__file__).resolve().parent
CORE_FILES = ("cof.js", "worker.js", "cof.wasm", "cof-plain.wasm")
SINGLE_PAGE = "libcof-studio.html"
MAX_GZIPPED = 400_000


def copy_files(core, folder):
    """Copies the page and the core, and returns their names."""
    sources = [path for path in sorted(HERE.rglob("*")) if path.suffix in
               (".html", ".css", ".js", ".svg", ".jpg")]
    for path in sources:
        target = folder / path.relative_to(HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name in CORE_FILES:
        shutil.copyfile(core / name, folder / name)
    return sorted([path.relative_to(HERE).as_posix() for path in sources] + list(CORE_FILES))


def list_files(folder, names):
    """Tells the service worker what to keep, and the version, which changes with any file."""
    kept = [name for name in names if name not in ("sw.js", "cof-plain.wasm")]
    version = hashlib.sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()
    path = folder / "sw.js"
    path.write_text(path.read_text().replace("[/* files */]", json.dumps(["./", *kept]))
                    .replace("/* version */", version[:16]))


def script_text(text):
    """Text that can stand inside a script element."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def write_single_page(folder, names):
    """Writes a page that contains everything: workers as text, other files in base64."""
    files = {name: base64.b64encode((folder / name).read_bytes()).decode()
             for name in names if name.endswith((".wasm", ".jpg"))}
    scripts = {"pixel_worker.js": bundle.bundle(folder, "pixel_worker.js"),
               "worker.js": (folder / "worker.js").read_text(encoding="utf-8")}
    data = "globalThis.studioFiles = " + json.dumps({"files": files, "scripts": scripts}) + ";"
    page = (folder / "index.html").read_text(encoding="utf-8")
    icon = base64.b64encode((folder / "icon.svg").read_bytes()).decode()
    for old, new in (
            ("script-src 'self'", "script-src 'unsafe-inline'"),
            ("style-src 'self'", "style-src 'unsafe-inline'"),
            ('<link rel="icon" href="icon.svg">',
             f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">'),
            ('<link rel="stylesheet" href="studio.css">',
             f'<style>\n{(folder / "studio.css").read_text(encoding="utf-8")}</style>'),
            ('<script type="module" src="main.js"></script>\n', ""),
            ("</body>", f"<script>{script_text(data)}</script>\n"
             f"<script>{script_text(bundle.bundle(folder, 'main.js'))}</script>\n</body>")):
        if old not in page:
            raise SystemExit(f"index.html has no {old}")
        page = page.replace(old, new)
    (folder / SINGLE_PAGE).write_text(page, encoding="utf-8")


def gzipped_size(folder, names):
    """Bytes that a browser with SIMD loads, compressed, without the built-in images."""
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in names
               if not name.endswith(".jpg") and name != "cof-plain.wasm")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", type=pathlib.Path, required=True,
                        help="folder with cof.js, worker.js, cof.wasm and cof-plain.wasm")
    parser.add_argument("output", type=pathlib.Path, help="folder to write; it is replaced")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.output, ignore_errors=True)
    arguments.output.mkdir(parents=True)
    names = copy_files(arguments.core, arguments.output)
    list_files(arguments.output, names)
    write_single_page(arguments.output, names)
    size = gzipped_size(arguments.output, names)
    print(f"{arguments.output}: {size} bytes gzipped, at most {MAX_GZIPPED}")
    return 1 if size > MAX_GZIPPED else 0


if __name__ == "__main__":
    raise SystemExit(main())
