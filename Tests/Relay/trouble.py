"""A verifier that answers in the way that the token names: python3 Tests/Relay/trouble.py PORT"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ANSWERS = {
    "500": (500, b""), "302": (302, b""), "204": (204, b""), "401": (401, b"{}"), "text": (200, b"yes"),
    "list": (200, b"[]"), "no subject": (200, b'{"email":"a@example.org"}'), "empty subject": (200, b'{"subject":""}'),
    "huge": (200, b'{"subject":"' + b"x" * 300_000 + b'"}'),
}


class Verifier(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        token = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["subjectToken"]
        if token == "silence":
            time.sleep(20)
        status, body = _ANSWERS.get(token, (500, b""))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Verifier).serve_forever()
