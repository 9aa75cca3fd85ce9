"""The server of the page to play on: what it answers, and whom and what it refuses."""

from __future__ import annotations

import gc
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agents import routes
from agents.play import Command, seating
from agents.routes import Games, find
from agents.server import MOST_BYTES, Server
from drago_env import record
from drago_env.mount_drago.record import Record

PLAIN = Command(("uniform",))


@contextmanager
def serving(
    command: Command = PLAIN,
    seed: int = 7,
    ended: Any = lambda made: None,
    games: Games | None = None,
) -> Any:
    """A server on a free port, with known deals."""
    with Server(games or Games(seating(command), count(seed).__next__, ended)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


class Reply:
    """What came back."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    @property
    def json(self) -> Any:
        assert self.headers["Content-Type"] == "application/json"
        return json.loads(self.body)


def ask(
    server: Server,
    path: str,
    body: Any = None,
    method: str | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """A request as the page makes it, except for what is given."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    more = {"Cookie": server.cookie}
    more |= {} if body is None else {"Content-Type": "application/json"}
    try:
        connection.request(
            method or ("GET" if body is None else "POST"), path, sent, more | (headers or {})
        )
        return Reply(connection.getresponse())
    finally:
        connection.close()


def game_of(server: Server) -> str:
    assert server.games.newest
    return f"/api/games/{server.games.newest.name}"


def play_on(server: Server, game: str, moves: int = 10**6) -> Any:
    """The first legal move again and again, up to the end or so many times."""
    position = ask(server, game).json
    while position["legal"] and moves:
        wish = {"version": position["version"], "action": position["legal"][0]["action"]}
        reply = ask(server, f"{game}/moves", wish)
        assert reply.status == 200
        position, moves = reply.json, moves - 1
    return position


# ---------------------------------------------------------------- what it answers


def test_the_root_leads_to_the_page_of_the_newest_game(server: Server) -> None:
    reply = ask(server, "/")
    assert reply.status == 303
    page = ask(server, reply.headers["Location"])
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    made = ask(server, "/api/games", {"again": reply.headers["Location"].split("/")[-1]})
    assert made.status == 201
    assert ask(server, "/").headers["Location"] == f"/games/{made.json['game']}"
    assert ask(server, reply.headers["Location"]).body == page.body  # the other one is kept


def test_the_page_loads_nothing_from_elsewhere(server: Server) -> None:
    kinds = {".js": "text/javascript", ".css": "text/css"}
    files = [path.name for path in routes.FILES.iterdir() if path.suffix in kinds]
    assert len(files) == 4
    for file, kind in ((file, kinds[Path(file).suffix]) for file in files):
        reply = ask(server, f"/{file}")
        assert reply.headers["Content-Type"] == f"{kind}; charset=utf-8"
        assert reply.body == (routes.FILES / file).read_bytes()
    for path in routes.FILES.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text
        assert "style=" not in text  # the policy would not let it pass


def test_every_answer_is_guarded(server: Server) -> None:
    game = game_of(server)
    for path in ("/", "/play.js", game, f"{game}/board.svg", f"{game}/view", "/nowhere"):
        headers = ask(server, path).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers


def test_a_whole_game(server: Server) -> None:
    game = game_of(server)
    early = ask(server, f"{game}/record")
    assert early.status == 403
    assert early.json["error"].endswith(f"until then there is {game}/view")
    assert ask(server, f"{game}/replay").status == 403
    view = json.loads(ask(server, f"{game}/view").body)
    assert (view["seed"], view["start"]["hands"][1]) == (None, 6)
    position = play_on(server, game)
    assert position["over"]
    reply = ask(server, f"{game}/record")
    assert reply.headers["Content-Disposition"].startswith("attachment; filename=")
    made = json.loads(reply.body)
    record.verify(made)
    assert (made["seed"], made["riders"]) == (7, ["human", "uniform"])
    replay = ask(server, f"{game}/replay")
    assert "script-src 'unsafe-inline'" in replay.headers["Content-Security-Policy"]
    assert "connect-src" not in replay.headers["Content-Security-Policy"]
    assert b"<title>" in replay.body


def test_moves_undo_and_hint(server: Server) -> None:
    game = game_of(server)
    before = ask(server, game).json
    after = play_on(server, game, 1)
    assert after["version"] == 1
    assert [frame["move"] for frame in after["frames"]] == [1, 2]
    assert [frame["move"] for frame in ask(server, f"{game}?since=1").json["frames"]] == [2]
    hint = ask(server, f"{game}/hint?version=1").json
    assert hint["best"] in [move["action"] for move in after["legal"]]
    undone = ask(server, f"{game}/undo", {"version": 1}).json
    assert (undone["study"], undone["version"]) == (True, 2)
    assert undone["legal"] == before["legal"]


def test_finished_games_are_handed_on() -> None:
    kept: list[Record] = []
    with serving(ended=kept.append) as server:
        play_on(server, game_of(server))
        assert [made["seed"] for made in kept] == [7]
        record.verify(kept[0])


def test_a_full_disk_does_not_harm_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    def full(made: Record) -> None:
        raise OSError("no space left")

    with serving(ended=full) as server:
        assert play_on(server, game_of(server))["over"]
        assert ask(server, f"{game_of(server)}/record").status == 200
    assert "the record was not written: no space left" in capsys.readouterr().err


# ---------------------------------------------------------------- two windows


def test_a_stale_move_gets_the_present_position(server: Server) -> None:
    game = game_of(server)
    first = ask(server, game).json
    now = play_on(server, game, 2)
    for path, more in (("moves", {"action": first["legal"][0]["action"]}), ("undo", {})):
        reply = ask(server, f"{game}/{path}", {"version": 0, **more})
        assert reply.status == 409
        assert reply.json["error"] == "the position has the version 2, not 0"
        told = reply.json["position"]
        assert (told["version"], told["log"]) == (2, now["log"])
    assert ask(server, f"{game}/hint?version=1").status == 409
    assert ask(server, game).json["version"] == 2


def test_of_many_windows_one_moves(server: Server) -> None:
    game = game_of(server)
    for version in range(5):
        action = ask(server, game).json["legal"][0]["action"]
        wish = {"version": version, "action": action}
        with ThreadPoolExecutor(8) as pool:
            replies = pool.map(ask, [server] * 8, [f"{game}/moves"] * 8, [wish] * 8)
            assert sorted(reply.status for reply in replies) == [200] + [409] * 7
    play_on(server, game)
    record.verify(json.loads(ask(server, f"{game}/record").body))


# ---------------------------------------------------------------- who is refused

FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1"},
    {"Host": "127.0.0.1:1"},
    {"Host": "localhost.evil.example:{port}"},
    {"Host": ""},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1:{port}.evil.example"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_strangers_get_403(server: Server, headers: dict[str, str]) -> None:
    game = game_of(server)
    strange = {key: value.format(port=server.server_port) for key, value in headers.items()}
    wish = {"version": 0, "action": ask(server, game).json["legal"][0]["action"]}
    for path, body in ((game, None), ("/", None), (f"{game}/moves", wish), ("/nowhere", None)):
        reply = ask(server, path, body, headers=strange)
        assert reply.status == 403
        assert "error" in reply.json
    assert ask(server, game).json["version"] == 0


def test_a_request_without_a_host_gets_403(server: Server) -> None:
    for lines in (b"", b"Host: localhost:%d\r\n" % server.server_port * 2):
        assert b" 403 " in raw(server, b"GET / HTTP/1.1\r\n" + lines + b"\r\n").split(b"\r\n")[0]


def test_its_own_names_are_answered(server: Server) -> None:
    for name in ("127.0.0.1", "localhost", "LOCALHOST"):
        host = f"{name}:{server.server_port}"
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert ask(server, game_of(server), headers=headers).status == 200


def test_who_does_not_know_the_token_gets_403(server: Server) -> None:
    game = game_of(server)
    wish = {"version": 0, "action": ask(server, game).json["legal"][0]["action"]}
    others = ["", "x=y", f"drago-{server.server_port}=", server.cookie[:-1], f"{server.cookie}x"]
    for cookie in others:
        for path, body in ((game, None), ("/", None), (f"{game}/moves", wish), ("/play.js", None)):
            reply = ask(server, path, body, headers={"Cookie": cookie})
            assert (reply.status, "token" in reply.json["error"]) == (403, True)
    for path in ("/?token=", f"/?token={server.token[:-1]}", f"{game}?token={server.token}"):
        assert ask(server, path, headers={"Cookie": ""}).status == 403
    assert ask(server, game).json["version"] == 0


def test_the_printed_address_hands_out_the_cookie(server: Server) -> None:
    path = server.url.partition(f":{server.server_port}")[2]
    reply = ask(server, path, headers={"Cookie": ""})
    newest = game_of(server).removeprefix("/api")
    assert (reply.status, reply.headers["Location"]) == (303, newest)
    cookie, *rest = reply.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax"} <= {*rest}
    both = {"Cookie": f"other=1; {cookie}"}
    assert ask(server, reply.headers["Location"], headers=both).status == 200
    assert "Set-Cookie" not in ask(server, "/").headers


def test_idle_connections_hold_no_threads(server: Server) -> None:
    before, lines = threading.active_count(), []
    for number in range(200):
        lines.append(socket.create_connection(("127.0.0.1", server.server_port), timeout=20))
        if number % 2:
            lines[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")  # and nothing more
    assert ask(server, game_of(server)).status == 200
    assert threading.active_count() <= before + 1
    assert lines[0].recv(1) == b""  # the oldest was closed for the newest
    lines[-1].setblocking(False)
    with pytest.raises(BlockingIOError):
        lines[-1].recv(1)
    for line in lines:
        line.close()


def test_a_connection_that_says_nothing_is_closed(
    monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setattr("agents.server.IDLE_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as line:
        assert line.recv(1) == b""


def test_a_port_that_is_taken_is_told_in_a_sentence(server: Server) -> None:
    with pytest.raises(OSError, match=f"^port {server.server_port} is taken: .*--port 0"):
        Server(server.games, server.server_port)


def test_games_go_on_after_a_restart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kept"

    def games(command: Command = PLAIN) -> Games:
        return Games(seating(command), count(7).__next__, lambda made: None, folder)

    with serving(games=games()) as server:
        older = game_of(server)
        play_on(server, older, 3)
        ask(server, f"{older}/undo", {"version": 3})
        again = {"again": older.split("/")[-1]}
        game = f"/api/games/{ask(server, '/api/games', again).json['game']}"
        play_on(server, game, 5)
        before = [ask(server, one).json for one in (older, game)]
    assert folder.stat().st_mode & 0o077 == 0  # the seeds stand there
    with serving(games=games()) as server:
        assert game_of(server) == game
        assert [ask(server, one).json for one in (older, game)] == before
        assert play_on(server, game)["over"]
        record.verify(json.loads(ask(server, f"{game}/record").body))
    (folder / "broken.json").write_text("[" * 100_000, encoding="utf-8")
    with serving(games=games(Command(("greedy",)))) as server:
        assert ask(server, game).status == 404
        assert ask(server, game_of(server)).json["version"] == 0
    said = capsys.readouterr().err
    assert "it is of another table than this server's" in said
    assert "broken.json cannot be read" in said


def test_it_listens_to_this_machine_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


# ---------------------------------------------------------------- what is refused

MOVES = "{game}/moves"
BAD: list[tuple[str, Any, int, str]] = [
    (MOVES, b"{", 400, "the body is not JSON: "),
    (MOVES, b"", 400, "the body is not JSON: "),
    (MOVES, b"\xff\xfe\xfd", 400, "the body is not JSON: "),
    (MOVES, b"[" * 4000, 400, "the body is not JSON: "),
    (MOVES, [0, 1], 400, "the body must be a JSON object, not [0, 1]"),
    (MOVES, {}, 400, "version and action must be given; allowed: version, action"),
    (MOVES, {"version": 0}, 400, "action must be given"),
    (MOVES, {"version": 0, "action": "1"}, 400, "action must be a whole number from 0 on, not '1'"),
    (MOVES, {"version": 0, "action": True}, 400, "not True"),
    (MOVES, {"version": 0, "action": 1.5}, 400, "not 1.5"),
    (MOVES, {"version": 0, "action": -1}, 400, "not -1"),
    (MOVES, {"version": 0, "action": None}, 400, "not None"),
    (MOVES, {"version": 0, "action": 1, "seat": 1}, 400, "'seat' is not known here"),
    (MOVES, {"version": 0, "action": 150}, 422, "it is not the discard step (clause 10.3)"),
    (MOVES, {"version": 0, "action": 151}, 422, "action must be a number from 0 to 150, not 151"),
    (MOVES, {"version": 0, "action": 10**300}, 422, "action must be a number from 0 to 150"),
    ("{game}/undo", {"version": 0}, 422, "there is no move of yours to take back"),
    ("/api/games", {"seed": 1}, 422, "a table has agents, game, options, seat, not seed"),
    ("/api/games", {"again": "nothing"}, 404, "there is no game 'nothing' here"),
    ("{game}/advance", {"version": 0}, 422, "the game waits for you"),
    ("{game}/look?move=1", None, 422, "the game has the moves 0 to 0, not 1"),
    ("{game}/review", None, 403, "it comes after the end"),
    ("/api/games/nothing/moves", {"version": 0, "action": 1}, 404, "there is no game 'nothing'"),
    ("/api/games/nothing", None, 404, "there is no game 'nothing' here"),
    ("/games/nothing", None, 404, "there is no game 'nothing' here"),
    ("/games/", None, 404, "there is nothing at '/games/'"),
    ("/nowhere", None, 404, "there is nothing at '/nowhere'; / leads to the newest game"),
    ("/play.html", None, 404, "there is nothing at"),
    ("/../pyproject.toml", None, 404, "there is nothing at"),
    ("/games/..%2f..%2fpyproject.toml", None, 404, "there is no game"),
    ("{game}/board.svg/", None, 404, "there is nothing at"),
    ("{game}/hint", None, 400, "version must be given"),
    ("{game}/hint?version=x", None, 400, "version must be a whole number from 0 on, not 'x'"),
    ("{game}/hint?version=0&version", None, 400, "cannot be read"),
    ("{game}?since=-1", None, 400, "since must be a whole number"),
    ("{game}?since=%00", None, 400, "since must be a whole number"),
    ("{game}/view?seat=1", None, 400, "'seat' is not known here"),
]


@pytest.mark.parametrize(("path", "body", "status", "words"), BAD, ids=range(len(BAD)))
def test_bad_requests_are_told_what_is_allowed(
    server: Server, path: str, body: Any, status: int, words: str
) -> None:
    game = game_of(server)
    reply = ask(server, path.format(game=game), body)
    assert (reply.status, words in reply.json["error"]) == (status, True), reply.json
    assert len(reply.body) < 2000
    assert ask(server, game).json["version"] == 0


def test_content_types_and_sizes(server: Server) -> None:
    path = f"{game_of(server)}/moves"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "json"):
        reply = ask(server, path, {"version": 0, "action": 1}, headers={"Content-Type": kind})
        assert reply.status == 415
        assert "must be application/json" in reply.json["error"]
    kind = "application/json; charset=utf-8"
    assert (
        ask(server, f"{game_of(server)}/undo", b"{}", headers={"Content-Type": kind}).status == 400
    )
    large = ask(server, path, b" " * (MOST_BYTES + 1))
    assert large.status == 413
    assert f"at most {MOST_BYTES} bytes, not {MOST_BYTES + 1}" in large.json["error"]
    assert ask(server, path, b" " * 3_000_000).status == 413
    for length in ("x", "-1", "1_0", "\u00b2", ""):
        request = f"POST {path} HTTP/1.1\r\nHost: localhost:{server.server_port}\r\n"
        request += f"Cookie: {server.cookie}\r\nContent-Length: {length}\r\n\r\n"
        assert b" 411 " in raw(server, request.encode("latin-1")).split(b"\r\n")[0]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"])
def test_other_methods_get_405(server: Server, method: str) -> None:
    reply = ask(server, game_of(server), method=method)
    assert reply.status == 405
    assert method == "HEAD" or method in reply.json["error"]


def test_what_changes_a_game_is_never_a_get(server: Server) -> None:
    game = game_of(server)
    for path in (f"{game}/moves?version=0&action=1", f"{game}/undo?version=0", "/api/games"):
        reply = ask(server, path)
        assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    assert ask(server, f"{game}/hint", {"version": 0}).headers["Allow"] == "GET"
    assert ask(server, game).json["version"] == 0


class Cheat:
    """Answers with what is not legal, and so gets its legal plays listed."""

    name = "cheat"

    def act(self, observation: Any, mask: Any, rng: Any, view: Any = None) -> Any:
        return mask.argmin(1)


def test_an_illegal_answer_of_an_opponent_shows_no_cards(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serving(Command(("tests.test_server:Cheat",))) as server:
        game = game_of(server)
        wish = {"version": 0, "action": ask(server, game).json["legal"][0]["action"]}
        reply = ask(server, f"{game}/moves", wish)
        assert reply.status == 500
        assert reply.json["error"].startswith("The opponent tests.test_server:Cheat failed; ")
        assert "legal" not in reply.json["error"]
    assert "legal: play" in capsys.readouterr().err


@pytest.mark.parametrize("line", [b"nonsense", b"GET / HTTP/9.9", b"GET " + b"/" * 70_000, b"\0"])
def test_what_is_not_http_harms_nothing(server: Server, line: bytes) -> None:
    raw(server, line + b"\r\n\r\n")
    assert ask(server, game_of(server)).status == 200


def raw(server: Server, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as line:
        line.sendall(request)
        return line.recv(65536)


def test_a_browser_that_goes_away_is_no_error(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"POST /api/games HTTP/1.1\r\nHost: localhost:{server.server_port}\r\n"
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.server_port)) as line:
            line.sendall(head.encode() + b"Content-Length: 10\r\n\r\n{")
    assert ask(server, game_of(server)).status == 200
    assert "Traceback" not in capsys.readouterr().err


def test_a_policy_that_fails_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Command(("tests.test_session:Failing",))) as server:
        game = game_of(server)
        position = play_on(server, game, 2)
        wish = {"version": 2, "action": position["legal"][0]["action"]}
        reply = ask(server, f"{game}/moves", wish)
        assert reply.status == 500
        told = "The opponent tests.test_session:Failing failed; the terminal says why."
        assert reply.json["error"] == f"{told} The game is as it was."
        assert ask(server, game).json == position | {"frames": position["frames"][-1:]}
    assert "no idea" in capsys.readouterr().err


def test_games_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setattr(routes, "MOST_GAMES", 3)
    first = game_of(server)
    again = {"again": first.split("/")[-1]}
    made = [f"/api/games/{ask(server, '/api/games', again).json['game']}" for _ in range(2)]
    assert ask(server, first).status == 200  # asked for again: the next is longest not asked for
    assert ask(server, "/api/games", again).status == 201
    assert [ask(server, game).status for game in (first, *made)] == [200, 404, 200]
    monkeypatch.setattr(routes, "KEPT_SECONDS", -1)
    again = {"again": server.games.newest.name}  # type: ignore[union-attr]
    assert ask(server, "/api/games", again).status == 201
    assert [ask(server, game).status for game in (first, made[1])] == [404, 404]
    assert ask(server, game_of(server)).status == 200


def test_the_documentation_lists_every_address() -> None:
    text = (Path(__file__).parents[1] / "docs" / "playing.md").read_text(encoding="utf-8")
    for method, pattern, _ in routes.ROUTES:
        path = pattern.replace("([^/]+)", "NAME").replace("\\", "")
        paths = [f"/{one}" for one in path.strip("/()").split("|")] if "|" in path else [path]
        for one in paths:
            assert f"`{method} {one.strip('()')}`" in text
            assert find(method, one.strip("()"))


def test_a_server_that_ends_leaves_no_connection_open() -> None:
    """Neither one that waits, nor one that nobody has spoken to yet."""
    for early in range(60):
        with serving() as server, ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(socket.create_connection(server.server_address))
            if early % 2:
                stack.close()
    gc.collect()  # what is still open warns now
