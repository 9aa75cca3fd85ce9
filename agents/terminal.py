"""A whole game at the terminal: what everybody plays and scores, hints, and going back."""

from __future__ import annotations

from textwrap import wrap

from agents import human
from agents.session import Record, Refused, Seating, Session
from drago_env.game import Move

HELP = "h gives a hint, u takes your last move back (the game is then a study)."


def at_the_terminal(table: Seating, seed: int, person: human.Human | None = None) -> Record:
    """A whole game, asked for on standard input; its record."""
    person = person or human.Human(colour=human.in_colour())
    session, told, shown = Session(table, seed), 0, -1
    goal = session.position()["goal"]
    if goal:
        person.say(*_wrapped(goal))
    while True:
        for move in session.heard[told:]:
            person.say(*_wrapped(_words(session, move)))
        if session.over:
            break
        told = len(session.heard)
        wishes, same = {"h": "hint", "u": "undo"}, session.version == shown
        chosen = person.choose(session.look(), session.names, wishes, HELP, same)
        shown = session.version
        try:
            if chosen == "h":
                person.say(*_hint(session))
            elif chosen == "u":
                session.undo(session.version)
                told = len(session.heard)
            else:
                session.play(session.version, int(chosen))
        except Refused as error:
            person.say(str(error))
    person.show("\n" + session.picture())
    person.say("", *_wrapped(session.outcome()))
    return session.record()


def _words(session: Session, move: Move) -> str:
    """A move, and what everybody got by it."""
    gains = zip(session.names, move.points, strict=False)
    points = ", ".join(f"{name} {gain:+d}" for name, gain in gains if gain)
    return f"{session.names[move.seat]}: {move.text}{f' ({points})' if points else ''}"


def _hint(session: Session) -> list[str]:
    """The best moves and the chance to win after each, as `search` sees it."""
    moves = session.hint(session.version)["moves"][:5]
    if moves[0]["chance"] is None:
        return [f"hint: {moves[0]['text']}, your only move"]
    width = max(len(move["text"]) for move in moves)
    lines = [f"  {move['text']:<{width}}  {100 * move['chance']:3.0f}%" for move in moves]
    return ["best moves and your chance to win after each:", *lines]


def _wrapped(text: str) -> list[str]:
    return wrap(text, human.WIDTH, subsequent_indent="    ")
