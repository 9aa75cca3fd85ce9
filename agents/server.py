"""A small HTTP server, for this machine alone, that serves the page to play on."""

from __future__ import annotations

import json
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agents.routes import Answer, Games, Problem, as_json, find

ADDRESS = "127.0.0.1"
MOST_BYTES = 4096  # of a request's body; a move takes some 30
_DRAINED = 1 << 20  # of a body that is too large, so that its sender can read the answer
_POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
_POLICY += "frame-ancestors 'none'; "
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Server(ThreadingHTTPServer):
    """Answers for the games, one request at a time; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, games: Games, port: int = 0) -> None:
        self.games = games
        self.lock = threading.Lock()  # one for all: an answer takes milliseconds
        super().__init__((ADDRESS, port), _Handler)
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}
        if self.server_port == 80:  # which browsers leave out
            self.hosts |= {ADDRESS, "localhost"}

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, has it answered, and writes the answer."""

    server: Server
    server_version, sys_version = "drago", ""
    timeout = 30  # seconds for a connection that says nothing

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = do_GET  # noqa: N815

    def _serve(self) -> None:
        try:
            answer = self._answer()
        except Problem as problem:
            answer = problem.answer()
        except Exception as error:  # such as a policy of one's own that fails
            traceback.print_exc()
            words = f"{type(error).__name__}: {error}"[:400]
            answer = as_json({"error": f"{words}. The game is as it was."}, 500)
        self._send(answer)

    def _answer(self) -> Answer:
        self._check_sender()
        route, name, query = find(self.command, self.path)
        params = self._body() if self.command == "POST" else query
        with self.server.lock:
            return route(self.server.games, name, params)

    def _check_sender(self) -> None:
        """No page of another site may talk to this one, under whatever name it found it."""
        hosts, allowed = self.headers.get_all("Host", []), sorted(self.server.hosts)
        if len(hosts) != 1 or hosts[0].lower() not in allowed:
            raise Problem(
                403, f"the Host must be {' or '.join(allowed)}, not {', '.join(hosts)!r:.80}"
            )
        for origin in self.headers.get_all("Origin", []):
            if origin.lower() not in [f"http://{host}" for host in allowed]:
                raise Problem(403, f"requests from the Origin {origin!r:.80} are not answered")

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            raise Problem(411, f"Content-Length must be a number of bytes, not {length!r:.40}")
        if int(length) > MOST_BYTES:
            self.rfile.read(min(int(length), _DRAINED))
            raise Problem(413, f"a body has at most {MOST_BYTES} bytes, not {length}")
        raw = self.rfile.read(int(length))
        kind = self.headers.get_content_type() if "Content-Type" in self.headers else ""
        if kind != "application/json":
            raise Problem(415, f"Content-Type must be application/json, not {kind!r:.60}")
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise Problem(400, f"the body is not JSON: {error}") from None
        if not isinstance(body, dict):
            raise Problem(400, f"the body must be a JSON object, not {body!r:.60}")
        return body

    def _send(self, answer: Answer) -> None:
        headers = {"Content-Security-Policy": _POLICY + answer.policy, **_HEADERS}
        headers |= {"Content-Type": answer.kind, "Content-Length": str(len(answer.body))}
        self.send_response(answer.status)
        for name, value in (headers | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library itself refuses: methods that nobody knows, and what is not HTTP."""
        if code == 501:
            problem = Problem(405, f"the method must be GET or POST, not {self.command!r:.40}")
        else:
            problem = Problem(code, message or "this is not a request")
        self._send(problem.answer())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: who plays does not want to read of every request."""
