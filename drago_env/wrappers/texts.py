"""Decisions in words, for people and language models."""

from __future__ import annotations

import re

from drago_env.game import Game, State


def legal_texts(game: Game, state: State) -> dict[str, int]:
    """The legal actions of the one game of a state, by the words in which their seat hears them."""
    legal, seat = game.legal(state), int(game.current_player(state)[0])
    actions = legal.actions[0, : legal.counts[0]].tolist()
    told = {
        game.told(state, 0, action, seat) or game.action_text(action): action for action in actions
    }
    if len(told) < len(actions):  # two would sound the same
        return {game.action_text(action): action for action in actions}
    return told


def action_from_text(game: Game, state: State, legal: dict[str, int], text: str) -> int:
    """The one of the legal actions that these words mean.

    They are those of `legal_texts`, or the action's own, or some of either that fit one legal
    action alone: `blue 3 keep` for `play blue 3 and keep`. Case and punctuation are free.
    """
    asked = _words(text)
    spoken = [(_words(told), action) for told, action in legal.items()]
    spoken += [(_words(game.action_text(action)), action) for action in legal.values()]
    exact = {action for words, action in spoken if words == asked}
    loose = {action for words, action in spoken if asked and _within(asked, words)}
    found = exact or loose
    if len(found) == 1:
        return found.pop()
    if found:
        named = [told for told, action in legal.items() if action in found]
        raise ValueError(f"{text!r:.60} can mean {' or '.join(map(repr, named))}: say which")
    action = game.action_from_text(text)  # or a ValueError that has suggestions
    raise game.illegal(state, 0, action)


def _words(text: str) -> list[str]:
    return re.findall(r"[+-]?\w[\w-]*", text.lower())


def _within(some: list[str], words: list[str]) -> bool:
    """Whether all of some words are among others, in their order."""
    rest = iter(words)
    return all(word in rest for word in some)
