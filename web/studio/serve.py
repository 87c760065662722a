#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Serves a folder on 127.0.0.1, prints its address, and opens a browser if there is a display."""
import argparse
import functools
import http.server
import os
import webbrowser

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
         ".wasm": "application/wasm", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format, *args):
        pass


def server(folder, port=0):
    handler = functools.partial(Handler, directory=os.fspath(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def has_display():
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=8070, help="0: any free port")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    arguments = parser.parse_args()
    try:
        served = server(arguments.folder, arguments.port)
    except OSError:
        served = server(arguments.folder)  # the port is taken
    address = f"http://127.0.0.1:{served.server_address[1]}/"
    print(f"{address} (Ctrl+C ends it)", flush=True)
    if has_display() and not arguments.no_open:
        webbrowser.open(address)
    try:
        served.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
