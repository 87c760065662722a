#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Opens a page of a folder in headless Chromium and prints what it sends to /answer.

in_browser.py FOLDER PAGE
"""
import functools
import http.server
import queue
import subprocess
import sys
import tempfile
import threading

TIMEOUT_S = 60


class Handler(http.server.SimpleHTTPRequestHandler):
    answers = queue.Queue()

    def do_POST(self):
        self.answers.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    folder, page = sys.argv[1:3]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", "--remote-debugging-port=0",
             f"http://127.0.0.1:{server.server_port}/{page}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            print(Handler.answers.get(timeout=TIMEOUT_S))
        finally:
            browser.terminate()
            browser.wait()


if __name__ == "__main__":
    main()
