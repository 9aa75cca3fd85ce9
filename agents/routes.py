"""What the page to play on can ask for: the games that are kept, and an answer for each address."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from agents.lobby import Lobby
from agents.session import Early, Record, Refused, Seating, Session, Stale
from drago_env.core.records import is_count, line

MOST_GAMES = 1000  # that are kept at once; for one more, the one longest not asked for is forgotten
KEPT_SECONDS = 7 * 24 * 3600  # after which a game that nobody asks for is forgotten
FILES = Path(__file__).with_name("web")
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_OWN = "script-src 'self'; style-src 'self'; connect-src 'self'"
_INLINE = "script-src 'unsafe-inline'; style-src 'unsafe-inline'"  # a replay is one file


class Answer(NamedTuple):
    """What goes back to the browser."""

    status: int
    kind: str
    body: bytes
    headers: dict[str, str]
    policy: str = _OWN  # what the content may load, beyond nothing


class Problem(Exception):  # noqa: N818  (the request's, not the program's)
    """A request that is refused, and why; `more` stands beside the error in the answer."""

    def __init__(
        self, status: int, message: str, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.status, self.headers, self.more = status, headers or {}, more

    def answer(self, page: bool = False) -> Answer:
        """As JSON, or as a page for somebody who opened an address."""
        if not page:
            return as_json({"error": str(self), **self.more}, self.status, **self.headers)
        text = (FILES / "problem.html").read_text(encoding="utf-8")
        body = text.replace("@@problem@@", escape(str(self))).encode()
        return Answer(self.status, "text/html; charset=utf-8", body, self.headers)


def as_json(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status, "application/json", json.dumps(value).encode(), headers)


class Games:
    """The games of a server, by name.

    They begin at the table of the command line, if it described one, and at those that are chosen
    in the `lobby`. `seeds` gives the seed of each new game, `ended` gets the record of each
    finished one. With a `folder` games are kept there, and those that it holds go on.
    """

    def __init__(
        self,
        seating: Seating | None,
        seeds: Callable[[], int],
        ended: Callable[[Record], None],
        folder: Path | None = None,
        lobby: Lobby | None = None,
    ) -> None:
        self._seating, self._seeds, self._ended, self._folder = seating, seeds, ended, folder
        self.lobby = lobby or Lobby()
        self._kept: dict[str, tuple[Session, float]] = {}  # when it was asked for; the oldest first
        if folder is not None:
            self._read(folder)
        self.newest: Session | None = None
        if self._kept:
            self.newest = next(reversed(self._kept.values()))[0]
        elif seating is not None:
            self.deal(seating)

    def _read(self, folder: Path) -> None:
        """The games that an earlier server has left."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # what is hidden stands in the files
        files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in files[-MOST_GAMES:]:
            try:
                session = Session.read(file, self._table)
            except ValueError as error:
                print(f"error: {error}", file=sys.stderr)
            else:
                self._kept[session.name] = session, time.monotonic()

    def _table(self, chosen: Any) -> Seating:
        """The table of a kept game: chosen in the lobby, or that of the command line."""
        if chosen is not None:
            return self.lobby.seating(chosen)
        if self._seating is None:
            raise ValueError("it is of a table that the command line of this server does not name")
        return self._seating

    def deal(self, seating: Seating) -> Session:
        """A new game at a table."""
        session, now = Session(seating, self._seeds()), time.monotonic()
        for name, (_, asked) in list(self._kept.items()):
            if len(self._kept) >= MOST_GAMES or now - asked > KEPT_SECONDS:
                del self._kept[name]
                if self._folder is not None:
                    (self._folder / f"{name}.json").unlink(missing_ok=True)
        self.newest = session
        self._kept[session.name] = session, now
        self._keep(session)
        return session

    def named(self, name: str) -> Session:
        if name not in self._kept:
            raise Problem(404, f"there is no game {name!r:.40} here; / leads to the newest one")
        session, _ = self._kept.pop(name)
        self._kept[name] = session, time.monotonic()
        return session

    def play(self, session: Session, version: int, action: int) -> None:
        """Makes a move in one of the games."""
        session.play(version, action)
        self._moved(session)

    def advance(self, session: Session, version: int) -> None:
        """Lets the agents of a game that is watched make a move."""
        session.advance(version)
        self._moved(session)

    def _moved(self, session: Session) -> None:
        self._keep(session)
        if session.over:
            try:
                self._ended(session.record())
            except OSError as error:  # the game itself is whole, and can be downloaded
                print(f"error: the record was not written: {error}", file=sys.stderr)

    def undo(self, session: Session, version: int) -> None:
        """Takes a move back in one of the games."""
        session.undo(version)
        self._keep(session)

    def _keep(self, session: Session) -> None:
        if self._folder is not None:
            try:
                session.write(self._folder / f"{session.name}.json")
            except OSError as error:
                print(f"error: the game was not kept: {error}", file=sys.stderr)


# ---------------------------------------------------------------- routes

Params = dict[str, Any]  # the query or the body
Route = Callable[[Games, str, Params], Answer]


def _root(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    where = "/new" if games.newest is None else f"/games/{games.newest.name}"
    return Answer(303, "text/plain", b"", {"Location": where})


def _new(games: Games, name: str, params: Params) -> Answer:
    return _file(games, "new.html", params)


def _lobby(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    return as_json({"games": games.lobby.lists, "newest": games.newest is not None})


def _file(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    path = FILES / name
    return Answer(200, f"{_KINDS[path.suffix]}; charset=utf-8", path.read_bytes(), {})


def _page(games: Games, name: str, params: Params) -> Answer:
    games.named(name)
    return _file(games, "play.html", params)


def _deal(games: Games, name: str, params: Params) -> Answer:
    """A game at a table that was chosen, or at the one of another game."""
    with _refusals():
        if params.keys() == {"again"}:
            seating = games.named(str(params["again"])).seating
        else:
            seating = games.lobby.seating(params)
        return as_json(games.deal(seating).position(), 201)


def _position(games: Games, name: str, params: Params) -> Answer:
    session = games.named(name)
    return as_json(session.position(_numbers(params, since=False).get("since")))


def _changed(session: Session, change: Callable[..., Any], numbers: dict[str, int]) -> Answer:
    before = session.moves
    with _refusals(session):
        change(session, **numbers)
    return as_json(session.position(before))


def _move(games: Games, name: str, params: Params) -> Answer:
    return _changed(games.named(name), games.play, _numbers(params, version=True, action=True))


def _advance(games: Games, name: str, params: Params) -> Answer:
    return _changed(games.named(name), games.advance, _numbers(params, version=True))


def _look(games: Games, name: str, params: Params) -> Answer:
    session, numbers = games.named(name), _numbers(params, move=True)
    with _refusals(session):
        return as_json(session.frame(numbers["move"]))


def _undo(games: Games, name: str, params: Params) -> Answer:
    session, numbers = games.named(name), _numbers(params, version=True)
    with _refusals(session):
        games.undo(session, **numbers)
    return as_json(session.position())


def _hint(games: Games, name: str, params: Params) -> Answer:
    session, numbers = games.named(name), _numbers(params, version=True)
    with _refusals(session):
        return as_json(session.hint(**numbers))


@contextmanager
def _refusals(session: Session | None = None) -> Iterator[None]:
    """What is refused, as a problem; who is behind gets the present position with it."""
    try:
        yield
    except Stale as error:
        present = {} if session is None else {"position": session.position()}
        raise Problem(409, str(error), **present) from None
    except Early as error:
        raise Problem(403, str(error)) from None
    except Refused as error:
        raise Problem(422, str(error)) from None


def _board(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    return Answer(200, "image/svg+xml", games.named(name).board().encode(), {})


def _scores(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    return Answer(200, "image/svg+xml", games.named(name).scores().encode(), {})


def _review(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    session = games.named(name)
    with _refusals(session):
        return as_json(session.review())


def _view(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    session = games.named(name)
    with _refusals(session):
        return _download(session.view(), f"{session.kind}-{name}-seat-{session.seat}.jsonl")


def _record(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    session = games.named(name)
    return _download(_after_the_end(session.record, name), f"{session.kind}-{name}.jsonl")


def _replay(games: Games, name: str, params: Params) -> Answer:
    _numbers(params)
    text = _after_the_end(games.named(name).replay, name)
    return Answer(200, "text/html; charset=utf-8", text.encode(), {}, _INLINE)


def _after_the_end(wanted: Callable[[], Any], name: str) -> Any:
    try:
        return wanted()
    except Early as error:
        raise Problem(403, f"{error}; until then there is /api/games/{name}/view") from None


def _download(made: Record, file: str) -> Answer:
    head = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Answer(200, "application/jsonl", line(made).encode(), head)


_GAME = "/api/games/([^/]+)"
ROUTES: tuple[tuple[str, str, Route], ...] = (
    ("GET", "(/)", _root),
    ("GET", "(/new)", _new),
    ("GET", r"/(play\.css|play\.js|new\.js|review\.js)", _file),
    ("GET", "(/api/lobby)", _lobby),
    ("GET", "/games/([^/]+)", _page),
    ("POST", "(/api/games)", _deal),
    ("GET", _GAME, _position),
    ("POST", f"{_GAME}/moves", _move),
    ("POST", f"{_GAME}/advance", _advance),
    ("GET", f"{_GAME}/look", _look),
    ("POST", f"{_GAME}/undo", _undo),
    ("GET", f"{_GAME}/hint", _hint),
    ("GET", rf"{_GAME}/board\.svg", _board),
    ("GET", rf"{_GAME}/scores\.svg", _scores),
    ("GET", f"{_GAME}/review", _review),
    ("GET", f"{_GAME}/view", _view),
    ("GET", f"{_GAME}/record", _record),
    ("GET", f"{_GAME}/replay", _replay),
)


def find(method: str, target: str) -> tuple[Route, str, Params]:
    """What a request is about: its route, the name in its address, and its query."""
    try:
        url = urlsplit(target)
        pairs = parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query))
    except ValueError as error:
        raise Problem(400, f"the address {target!r:.80} cannot be read: {error}") from None
    there = {
        allowed: (route, found[1])
        for allowed, pattern, route in ROUTES
        if (found := re.fullmatch(pattern, url.path))
    }
    if not there:
        raise Problem(404, f"there is nothing at {url.path!r:.80}; / leads to the newest game")
    if method not in there:
        allow = ", ".join(there)
        raise Problem(405, f"{url.path!r:.80} takes {allow}, not {method:.20}", {"Allow": allow})
    query = {
        key: int(word) if re.fullmatch(r"\d{1,18}", word, re.A) else word for key, word in pairs
    }
    return *there[method], query


def _numbers(params: Params, **names: bool) -> dict[str, int]:
    """The whole numbers that a request names: those that it must (True) or may (False) name."""
    allowed = ", ".join(names) or "nothing"
    for key, value in params.items():
        if key not in names:
            raise Problem(400, f"{key!r:.40} is not known here; allowed: {allowed}")
        if not is_count(value):
            raise Problem(400, f"{key} must be a whole number from 0 on, not {value!r:.40}")
    missing = [name for name, needed in names.items() if needed and name not in params]
    if missing:
        raise Problem(400, f"{' and '.join(missing)} must be given; allowed: {allowed}")
    return params
