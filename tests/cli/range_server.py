# SPDX-License-Identifier: BSD-2-Clause
"""A web server for one folder that answers requests for ranges of bytes, as object stores do."""
import contextlib
import http.server
import pathlib
import re
import threading


def handler_of(folder, requests):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, with_body):
            path = pathlib.Path(folder) / self.path.partition("?")[0].rpartition("/")[2]
            requests.append(self.path)
            if not path.is_file():
                self.send_error(404)
                return
            body = path.read_bytes()
            size, found = len(body), re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            first, last = (int(found[1]), min(int(found[2] or size), size - 1)) if found else (0, size - 1)
            self.send_response(206 if found else 200)
            self.send_header("Accept-Ranges", "bytes")
            if found:
                self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
                body = body[first:last + 1]
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def do_GET(self):
            self.answer(True)

        def do_HEAD(self):
            self.answer(False)

        def log_message(self, *arguments):
            pass
    return Handler


@contextlib.contextmanager
def serve(folder):
    """Serves a folder on a free port of this machine: yields the address, and a list to which the
    paths of requests are added."""
    requests = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(folder, requests)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()
