"""A small HTTP server, for one user of this machine, that serves the page to play on."""

from __future__ import annotations

import asyncio
import errno
import json
import re
import secrets
import socket
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from typing import Any

from agents.routes import Answer, Games, Problem, as_json, find
from agents.session import Failed
from drago_env.core.checks import whole

ADDRESS = "127.0.0.1"
MOST_BYTES = 4096  # of a request's body; a move takes some 30
MOST_WAITING = 64  # connections that say nothing; for one more the oldest is closed
IDLE_SECONDS = 30.0  # for a connection that says nothing
_HEAD = 1 << 17  # bytes of a request before its body
_DRAINED = 1 << 22  # of a body that is too large, so that its sender can read the answer
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


class Server:
    """Answers for the games, one request at a time; port 0 takes a free one.

    Who does not have the token of the printed address is not answered. Connections wait in one
    thread, however many they are; another one answers.
    """

    def __init__(self, games: Games, port: int = 0) -> None:
        self.games = games
        self.token = secrets.token_urlsafe(24)
        whole("port", port, 0, 65535)
        try:
            self._socket = socket.create_server((ADDRESS, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise OSError(
                f"port {port} is taken: choose another with --port, or say --port 0 for a free one"
            ) from None
        self.server_address = self._socket.getsockname()
        self.server_port: int = self.server_address[1]
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}
        if self.server_port == 80:  # which browsers leave out
            self.hosts |= {ADDRESS, "localhost"}
        self._worker = ThreadPoolExecutor(1)
        self._begun, self._stop, self._ended = threading.Event(), asyncio.Event(), threading.Event()
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._waiting: dict[asyncio.StreamWriter, None] = {}  # the oldest first

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """What a browser sends once it has been at the printed address."""
        return f"drago-{self.server_port}={self.token}"  # browsers share cookies between ports

    def serve_forever(self) -> None:
        """Until `shutdown`, or Ctrl-C."""
        try:
            with asyncio.Runner() as runner:
                self._loop = runner.get_loop()
                self._begun.set()
                runner.run(self._serve())
        finally:
            self._ended.set()

    def shutdown(self) -> None:
        """Ends `serve_forever`, which runs in another thread."""
        self._begun.wait()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._ended.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _serve(self) -> None:
        listening = await asyncio.start_server(self._accept, sock=self._socket, limit=_HEAD)
        try:
            await self._stop.wait()
        finally:
            # who is being accepted is met first: asyncio would lose them when it closes
            asyncio.get_running_loop().remove_reader(self._socket)
            for _ in range(3):
                await asyncio.sleep(0)
                for writer in self._open:
                    writer.transport.abort()
            listening.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._converse(reader, writer))
        self._open[writer] = talk  # a task that nobody holds may vanish
        talk.add_done_callback(lambda _: self._open.pop(writer))

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: a request and its answer."""
        if len(self._waiting) >= MOST_WAITING:
            next(iter(self._waiting)).transport.abort()
        self._waiting[writer] = None
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                request = await _request(reader)
            del self._waiting[writer]
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._worker, _answer, request, self)
            async with asyncio.timeout(IDLE_SECONDS):
                writer.write(answer)
                await writer.drain()
                await _drain(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            pass  # a browser that went away is no error
        finally:
            self._waiting.pop(writer, None)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> bytes:
    """The bytes of a request, as far as they are of use."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        return await reader.read(_HEAD)  # too long, which is told
    found = re.search(rb"(?im)^content-length:[ \t]*(\d{1,18})[ \t]*\r$", head)
    length = int(found[1]) if found else 0
    return head + (await reader.readexactly(length) if length <= MOST_BYTES else b"")


async def _drain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hears a sender out, who else would not read the answer."""
    writer.write_eof()
    left = _DRAINED
    while left > 0 and (more := await reader.read(1 << 16)):
        left -= len(more)


def _answer(request: bytes, server: Server) -> bytes:
    return _Handler(request, server).wfile.getvalue()


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, has it answered, and writes the answer."""

    server: Server  # type: ignore[assignment]
    wfile: BytesIO
    server_version, sys_version = "drago", ""

    def __init__(self, request: bytes, server: Server) -> None:
        self.server, self.client_address = server, (ADDRESS, 0)
        self.rfile, self.wfile = BytesIO(request), BytesIO()
        self.handle_one_request()

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = do_GET  # noqa: N815

    def _serve(self) -> None:
        try:
            answer = self._answer()
        except Problem as problem:
            answer = problem.answer("text/html" in self.headers.get("Accept", ""))
        except Exception as error:  # its words may tell what is hidden: they are not for the page
            traceback.print_exc()
            words = str(error) if isinstance(error, Failed) else "The server failed"
            told = f"{words}; the terminal says why. The game is as it was."
            answer = as_json({"error": told}, 500)
        self._send(answer)

    def _answer(self) -> Answer:
        self._check_sender()
        entered = secrets.compare_digest(
            self.path.encode(), f"/?token={self.server.token}".encode()
        )
        if not entered and not self._knows_token():
            raise Problem(403, "open the address that the server has printed, with its token")
        route, name, query = find(self.command, "/" if entered else self.path)
        params = self._body() if self.command == "POST" else query
        answer = route(self.server.games, name, params)
        if entered:
            answer.headers["Set-Cookie"] = f"{self.server.cookie}; HttpOnly; SameSite=Lax; Path=/"
        return answer

    def _knows_token(self) -> bool:
        sent = ";".join(self.headers.get_all("Cookie", [])).split(";")
        wanted = self.server.cookie.encode()
        return any(secrets.compare_digest(one.strip().encode(), wanted) for one in sent)

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
