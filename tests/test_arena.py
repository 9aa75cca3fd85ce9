"""The arena: who sits where, what is counted, and runs that are interrupted."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import arena, seating
from agents.arena import Config, Result, run
from agents.folder import Folder
from agents.seating import deals, play_deals, who_plays
from drago_env import record
from drago_env.policy import Uniform, View
from tests.adapters import First, same
from tests.games import SPECS

ROOT = Path(__file__).parents[1]
FIRST, SLOW = "tests.adapters:First", "tests.test_arena:Slow"
STARTED = Path("/proc/self/environ")  # the environment that a process has started with


class Slow(Uniform):
    """Uniform, but slow and in small chunks, so that a run can be caught in the middle."""

    name = "slow"
    plans = True

    def act(self, observation: Any, mask: Any, rng: Any, view: View | None = None) -> Any:
        assert view is not None
        time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
        return super().act(observation, mask, rng, view)


class OneThread(Slow):
    """Plays only in a process that was told from its start to compute on one thread."""

    name = "one-thread"

    def act(self, observation: Any, mask: Any, rng: Any, view: View | None = None) -> Any:
        assert b"OMP_NUM_THREADS=1" in STARTED.read_bytes().split(b"\0")
        return super().act(observation, mask, rng, view)


class Cheat(Uniform):
    """Is told everything, and makes no use of it."""

    name = "cheat"
    sees_all = True


def mount(players: int) -> str:
    return f"mount_drago:players={players}"


def rows(result: Result) -> list[dict[str, Any]]:
    return result.table.to_dict("records")


def equal(one: Result, other: Result) -> bool:
    return same(one.columns, other.columns)


# ---------------------------------------------------------------- who sits where


@pytest.mark.parametrize(
    ("agents", "seats", "wanted"),
    [
        (1, 3, ["000", "000"]),
        (2, 2, ["01", "01"]),
        (2, 4, ["0101", "0101"]),
        (2, 3, ["010", "101", "010"]),  # the surplus seat goes to 0, then to 1
        (2, 5, ["01010", "10101"]),
        (3, 4, ["0120", "1201", "2012", "0120"]),
        (3, 5, ["01201", "20120", "12012", "01201"]),  # two surplus seats: 01, 20, 12
        (4, 5, ["01230", "12301", "23012", "30123"]),
        (3, 2, ["01", "02", "12", "01"]),
        (4, 3, ["012", "013", "023", "123", "012"]),
    ],
)
def test_seats_are_filled_in_turn(agents: int, seats: int, wanted: list[str]) -> None:
    found = who_plays(agents, seats, np.arange(len(wanted)))
    assert ["".join(map(str, row)) for row in found.tolist()] == wanted


@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (3, 4), (2, 5), (3, 5), (4, 5), (5, 2)])
def test_in_the_long_run_all_hold_as_many_seats(agents: int, seats: int) -> None:
    counts = Counter(who_plays(agents, seats, np.arange(60)).ravel().tolist())
    assert set(counts.values()) == {60 * seats // agents}


@pytest.mark.parametrize(("agents", "seats"), [(2, 2), (3, 3), (3, 5), (5, 3)])
def test_every_deal_is_played_in_every_rotation(agents: int, seats: int) -> None:
    config = Config(["uniform"] * agents, game=mount(seats), games=20 * seats)
    made = deals(config, 0, 20)
    assert made.seating.shape == (20, seats, seats)
    for number, turns in enumerate(made.seating.tolist()):
        assert sorted(turns[0]) == sorted(who_plays(agents, seats, np.array([number]))[0].tolist())
        for rotation, seated in enumerate(turns):
            assert seated == turns[0][rotation:] + turns[0][:rotation]
    assert len({tuple(order) for order in made.seating[:, 0].tolist()}) > 1


def test_orders_are_shuffled_evenly() -> None:
    made = deals(Config(["uniform"] * 3, game=mount(3), games=18_000), 0, 6000)
    counts = Counter(map(tuple, made.seating[:, 0].tolist()))
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts.values()) < 5 * math.sqrt(1000 * 5 / 6)


def test_a_deal_follows_from_the_seed_and_its_number() -> None:
    config = Config(["uniform"] * 2, games=20, seed=3)
    whole = deals(config, 0, 10)
    assert same(tuple(deals(config, 4, 7)), tuple(part[4:7] for part in whole))
    others = Config(["uniform", FIRST, FIRST], game=mount(4), games=4000, seed=3)
    assert same(deals(others, 0, 10).seeds, whole.seeds)
    assert not set(deals(Config(["uniform"], seed=4), 0, 10).seeds) & set(whole.seeds)
    assert len(set(whole.seeds)) == 10
    assert len(set(whole.choices.ravel())) == 20  # each rotation has choices of its own


# ---------------------------------------------------------------- what is counted


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_table_has_a_row_for_each_game_and_seat(players: int) -> None:
    config = Config(["uniform", FIRST, "uniform"], game=mount(players), games=31, seed=8)
    table = run(config, workers=1).table
    assert list(table.columns) == [
        *("deal", "rotation", "seat", "agent", "points", "win_share", "rank", "margin"),
    ]
    assert config.deals == math.ceil(31 / players)
    assert len(table) == config.deals * players**2
    assert set(table.agent) == {"uniform", FIRST, "uniform#2"}
    games = table.groupby(["deal", "rotation"])
    assert games.seat.apply(list).tolist() == [list(range(players))] * config.deals * players
    assert np.allclose(games.win_share.sum(), 1)
    assert np.allclose(games["rank"].sum(), players * (players + 1) / 2)
    assert np.allclose(games.margin.sum(), 0)
    best = table[table["rank"] == games["rank"].transform("min")]
    assert (best.points == games.points.transform("max")[best.index]).all()


def test_the_rows_are_those_of_the_records() -> None:
    config = Config(["uniform", FIRST], game=mount(3), games=12, seed=2)
    chunk = play_deals(config, 1, 4, records=True)
    made = deals(config, 1, 4)
    assert record.verify_all(chunk.records) == [None] * 9
    for number, kept in enumerate(chunk.records):
        deal, rotation = divmod(number, 3)
        seated = made.seating[deal, rotation].tolist()
        here = slice(3 * number, 3 * number + 3)
        assert kept["riders"] == [config.names[agent] for agent in seated]
        assert kept["seed"] == made.seeds[deal]
        assert chunk.columns["points"][here].tolist() == kept["scores"]
        assert chunk.columns["agent"][here].tolist() == seated
        assert np.flatnonzero(chunk.columns["win_share"][here]).tolist() == kept["winners"]
        assert set(chunk.columns["deal"][here]) == {deal + 1}
        assert set(chunk.columns["rotation"][here]) == {rotation}
    starts = [kept["start"] for kept in chunk.records]
    assert starts[0] == starts[1] == starts[2] != starts[3]
    moves = sum(len(kept["moves"]) for kept in chunk.records)
    assert chunk.decisions.sum() == moves
    assert (chunk.seconds > 0).all()


def test_equal_agents_are_told_apart() -> None:
    assert Config(["uniform", "uniform", FIRST, Uniform()]).names == [
        *("uniform", "uniform#2", FIRST, "uniform#3"),
    ]


@pytest.mark.parametrize(("players", "agents"), [(2, 2), (3, 2), (4, 4), (2, 3)])
def test_equal_agents_without_chance_differ_by_nothing(players: int, agents: int) -> None:
    config = Config([FIRST] * agents, game=mount(players), games=40)
    result = run(config, workers=1)
    means = result.table.groupby(["deal", "agent"])[["win_share", "margin"]].mean()
    for _, deal in means.groupby("deal"):
        assert np.allclose(deal, deal.iloc[0], rtol=0, atol=1e-12)
    for pair in json.loads(result.report().json())["pairs"]:
        assert pair["margin_difference"] == {"mean": 0, "low": 0, "high": 0}
        assert pair["win_share_difference"]["mean"] == 0
    luck = result.report().luck
    assert luck is not None
    assert luck.deal.mean == 1


def test_equal_agents_with_chance_play_different_games() -> None:
    table = run(Config(["uniform"] * 2, games=200), workers=1).table
    points = table.pivot_table(index=["deal", "seat"], columns="rotation", values="points")
    assert (points[0] != points[1]).mean() > 0.9


# ---------------------------------------------------------------- the same results


def test_results_do_not_depend_on_workers_or_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(["uniform", FIRST, "uniform"], games=80, seed=1)
    wanted = run(config, workers=1)
    for games in (2, 14, 64):
        monkeypatch.setattr(seating, "GAMES_AT_ONCE", games)
        assert equal(run(config, workers=1), wanted)
    assert equal(run(config, workers=2), wanted)
    assert run(config, workers=1).report().json() == wanted.report().json()
    assert not equal(run(Config(config.agents, games=80, seed=2), workers=1), wanted)


def test_chunks_are_a_matter_of_the_arena_alone() -> None:
    assert Config(["uniform"] * 2).chunk == 512
    assert [Config(["uniform", SLOW], mount(4), g).chunk for g in (1, 6400, 10**6)] == [4, 25, 256]
    # so even an agent that draws for the whole batch at once plays the same games again
    config = Config(["tests.adapters:Dice", "uniform"], game=mount(4), games=40)
    assert equal(run(config, workers=1), run(config, workers=1))


@pytest.mark.skipif(not STARTED.exists(), reason="asks the system")
def test_workers_compute_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries read it when they are loaded; here, and where the user says, it stays."""
    config = Config(["tests.test_arena:OneThread", "uniform"], games=32)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert equal(run(config, workers=2), run(Config(["uniform"] * 2, games=32), workers=1))
    assert "OMP_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with pytest.raises(AssertionError):
        run(config, workers=2)
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_made_policies_play_in_this_process() -> None:
    spy = First("spy")
    result = run(Config([spy, "uniform"], games=20))
    assert sum(spy.asked) == result.decisions[0] > 100
    assert set(result.table.agent) == {"spy", "uniform"}
    with pytest.raises(ValueError, match="not 2"):
        run(Config([spy, "uniform"], games=20), workers=2)


# ---------------------------------------------------------------- folders

CONFIG = Config(["uniform", FIRST, "uniform"], games=60, seed=5)


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "GAMES_AT_ONCE", 16)


def stop_after(monkeypatch: pytest.MonkeyPatch, chunks: int) -> None:
    """Ctrl-C in the middle of a chunk."""
    done = Counter[str]()

    def playing(*arguments: Any) -> Any:
        done["chunks"] += 1
        if done["chunks"] > chunks:
            raise KeyboardInterrupt
        return play_deals(*arguments)

    monkeypatch.setattr(arena, "_play", playing)


def spy(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Notes which deals are played."""
    seen: list[tuple[int, int]] = []

    def playing(config: Config, first: int, last: int, records: bool) -> Any:
        seen.append((first, last))
        return play_deals(config, first, last, records)

    monkeypatch.setattr(arena, "_play", playing)
    return seen


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.usefixtures("small_chunks")
def test_an_interrupted_arena_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    wanted = run(CONFIG, tmp_path / "whole", format, records=True, workers=1)
    broken = tmp_path / "broken"
    with monkeypatch.context() as patch:
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            run(CONFIG, broken, format, records=True, workers=1)
    parts = sorted((broken / "parts").glob("*.npz"))
    assert [part.stem for part in parts] == ["000000000-000000008", "000000008-000000016"]
    # what a killed run may leave behind: a half of a file, under its first name or its last
    parts[0].write_bytes(parts[0].read_bytes()[:1000])
    (broken / "parts" / "000000016-000000024.npz.part").write_bytes(b"half")
    (broken / "parts" / "000000016-000000020.jsonl").write_text('{"half":', encoding="utf-8")
    played = spy(monkeypatch)
    assert equal(run(CONFIG, broken, format, records=True, workers=1), wanted)
    assert played == [(0, 8), (16, 24), (24, 30)]
    assert files(broken) == [
        *("checksums.json", "config.json", "records.jsonl", f"results.{format}", "times.json")
    ]
    for name in ("records.jsonl", f"results.{format}", "config.json"):
        assert (broken / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert len(record.read(broken / "records.jsonl")) == 60


def test_an_arena_may_go_on_in_other_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(seating, "GAMES_AT_ONCE", 16)
        stop_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            run(CONFIG, tmp_path, workers=1)
    (tmp_path / "parts" / "000000000-000000008.npz").unlink()
    played = spy(monkeypatch)
    assert equal(run(CONFIG, tmp_path, workers=1), run(CONFIG, workers=1))
    assert played == [(0, 8), (16, 30), (0, 30)]


@pytest.mark.usefixtures("small_chunks")
def test_a_run_that_ends_while_it_merges_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(CONFIG.agents, games=40, seed=5)
    wanted = run(CONFIG, tmp_path / "whole", records=True, workers=1)
    folder = tmp_path / "folder"
    run(config, folder, records=True, workers=1)
    with monkeypatch.context() as patch:  # the records are joined, the table is not
        patch.setattr(shutil, "rmtree", None)
        patch.setattr(Folder, "_write_table", None)
        with pytest.raises(TypeError):
            run(CONFIG, folder, records=True, workers=1)
    with monkeypatch.context() as patch:  # the table is joined, its parts are still there
        patch.setattr(shutil, "rmtree", lambda path: None)
        run(CONFIG, folder, records=True, workers=1)
    assert list((folder / "parts").glob("*.npz"))
    assert equal(run(CONFIG, folder, records=True, workers=1), wanted)
    records = [tmp_path / name / "records.jsonl" for name in ("whole", "folder")]
    assert records[0].read_bytes() == records[1].read_bytes()


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_more_games_go_on_in_the_same_folder(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = run(Config(CONFIG.agents, games=21, seed=5), tmp_path, format, workers=1)
    assert few.config.deals == 11
    before = few.decisions.sum()
    more = run(CONFIG, tmp_path, format, workers=1)
    assert equal(more, run(CONFIG, workers=1))
    assert more.decisions.sum() > before
    assert json.loads((tmp_path / "config.json").read_text())["games"] == 60
    played = spy(monkeypatch)
    assert equal(run(CONFIG, tmp_path, format, workers=1), more)
    assert not played


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_the_files_hold_the_table(tmp_path: Path, format: str) -> None:
    import pandas

    result = run(CONFIG, tmp_path, format, workers=1)
    reader = {"parquet": pandas.read_parquet, "csv": pandas.read_csv}[format]
    read = reader(tmp_path / f"results.{format}")
    pandas.testing.assert_frame_equal(read, result.table, check_dtype=False, check_exact=True)


def test_another_arena_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run(CONFIG, folder, workers=1)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    board = tmp_path / "board.txt"
    shutil.copy(ROOT / "drago_env/mount_drago/boards/riders-4-5.txt", board)
    agents = CONFIG.agents
    for config, format, records, words in [
        (Config(agents, mount(3), 60, 5), "parquet", False, "players is 2 there and 3 here"),
        (Config(agents, games=60, seed=6), "parquet", False, "seed is 5 there and 6 here"),
        (Config(agents[:2], games=60, seed=5), "parquet", False, "agents is"),
        (
            *(Config(agents, "mount_drago:edition=italian", 60, 5), "parquet", False),
            "game is 'mount_drago' there and 'mount_drago:edition=italian' here",
        ),
        (
            *(Config(agents, f"mount_drago:board={board}", 60, 5), "parquet", False),
            "game is 'mount_drago' there and 'mount_drago:board=",
        ),
        (CONFIG, "csv", False, "format is 'parquet' there and 'csv' here"),
        (CONFIG, "parquet", True, "records is False there and True here"),
        (Config(agents, games=58, seed=5), "parquet", False, "ask for at least as many, not 58"),
    ]:
        with pytest.raises(ValueError, match=re.escape(words)):
            run(config, folder, format, records, workers=1)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("thesis.txt", "dear", r"holds other files \(thesis.txt\)"),
        ("config.json", "{", "config.json cannot be read"),
        ("config.json", "[]", "is not that of an arena"),
    ],
)
def test_a_folder_with_other_files_is_refused(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        run(CONFIG, tmp_path, workers=1)
    assert files(tmp_path) == [name]
    with pytest.raises(ValueError, match="is a file; --out must name a folder"):
        run(CONFIG, tmp_path / name, workers=1)


# ---------------------------------------------------------------- other games


RACE = SPECS["race"][0]  # no points, no chance, and some are cut off


def test_without_points_there_are_no_columns_for_them(tmp_path: Path) -> None:
    result = run(Config(["uniform", FIRST], RACE, 240, 4), tmp_path, workers=1)
    table, report = result.table, result.report()
    assert list(table.columns) == [
        *("deal", "rotation", "seat", "agent", "win_share", "rank", "truncated"),
    ]
    found = json.loads(report.json())
    assert "luck" not in found
    assert set(found["agents"][0]) == {
        *("agent", "games", "win_share", "rank", "rating", "sees_all"),
    }
    assert set(found["pairs"][0]) == {"a", "b", "win_share_difference", "ahead"}
    report.write(tmp_path)
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    shown = (page + report.json()).lower()
    for word in ("margin", "points", "variance", "nan", "| 0.00 ["):
        assert word not in shown
    assert "Win share and rating of each agent" in page
    assert equal(run(result.config, tmp_path, workers=1), result)  # the folder has them as well


def test_games_that_are_cut_off_are_counted_and_pay_what_the_game_says() -> None:
    result = run(Config(["uniform", FIRST], RACE, 240, 4), workers=1)
    games = result.table.groupby(["deal", "rotation"])
    cut = games.truncated.all()
    assert 10 < cut.sum() < 230
    assert (games.truncated.any() == cut).all()
    assert np.allclose(games.win_share.max()[cut], 1 / 3)  # a tie of all
    assert (games["rank"].max()[cut] == 2).all()  # all alike
    found = json.loads(result.report().json())
    assert found["truncated"] == cut.sum()
    assert any(f"{cut.sum()} of 240 games" in note for note in result.report().notes())


def test_without_chance_a_deal_is_an_opening() -> None:
    config = Config([FIRST, "search:playouts=8"], RACE, 60, 1)
    assert config.opening == 12
    made = play_deals(config, 0, 20, records=True)
    firsts = [
        tuple(move["action"] for move in kept["moves"][: config.opening]) for kept in made.records
    ]
    assert [firsts[n] for n in range(0, 60, 3)] == [firsts[n] for n in range(1, 60, 3)]
    assert len(set(firsts)) == 20  # another one for each deal
    assert made.decisions.sum() == sum(len(k["moves"]) - config.opening for k in made.records)
    assert len({kept["moves"][config.opening]["action"] for kept in made.records}) > 1
    later = play_deals(config, 5, 8, records=True)
    assert [k["moves"] for k in later.records] == [k["moves"] for k in made.records[15:24]]
    report = run(config, workers=1).report()
    assert json.loads(report.json())["opening"] == 12
    assert any("an opening of 12 random decisions" in note for note in report.notes())
    assert "opening" not in run(Config([FIRST], games=4), workers=1).report().json()


def test_workers_know_a_game_from_outside() -> None:
    config = Config(["uniform", FIRST], RACE, 30, 2)
    assert equal(run(config, workers=2), run(config, workers=1))


@pytest.mark.parametrize(
    ("agents", "words"),
    [
        ([FIRST, FIRST], "as if one game were played again and again"),
        (["uniform"], "One agent holds every seat"),
    ],
)
def test_what_rotations_cannot_tell_is_said(agents: list[str], words: str) -> None:
    assert any(words in note for note in run(Config(agents, games=40)).report().notes())
    notes = run(Config(["uniform", FIRST], games=40)).report().notes()
    assert not any("again" in note or "every seat" in note for note in notes)


def test_an_agent_may_have_a_name_of_its_own(tmp_path: Path) -> None:
    config = Config(["mine=search:playouts=2", f"mine={FIRST}", "uniform"], games=8)
    assert config.names == ["mine", "mine#2", "uniform"]
    assert set(run(config, tmp_path, workers=1).table.agent) == set(config.names)
    other = Config(["mine=search:playouts=3", *config.agents[1:]], games=8)
    with pytest.raises(ValueError, match="agents is"):  # the name alone does not tell
        run(other, tmp_path, workers=1)


def test_an_arena_of_an_older_version_is_refused(tmp_path: Path) -> None:
    old = {"version": 1, "package": "0.1.0", "game": "mount_drago", "games": 60}
    (tmp_path / "config.json").write_text(json.dumps(old), encoding="utf-8")
    with pytest.raises(ValueError, match=r"an arena of drago-env 0\.1\.0, in version 1"):
        run(CONFIG, tmp_path, workers=1)
    assert files(tmp_path) == ["config.json"]


def test_a_game_in_other_words_is_the_same_arena(tmp_path: Path) -> None:
    first = run(Config(["uniform"], games=8), tmp_path, workers=1)
    again = Config(["uniform"], "mount_drago:edition=german,players=2", 8)
    assert equal(run(again, tmp_path, workers=1), first)


def test_the_words_of_the_default_game_are_shorthands(capsys: pytest.CaptureFixture[str]) -> None:
    games = ["--games", "6", "--workers", "1", "--json"]
    words = ["--players", "3", "--edition", "italian"]
    assert arena.main(["uniform", *words, *games]) == 0
    short = capsys.readouterr().out
    spec = "mount_drago:players=3,edition=italian"
    assert arena.main(["uniform", "--game", spec, *games]) == 0
    assert capsys.readouterr().out == short
    assert json.loads(short)["game"] == spec
    assert arena.main(["uniform", "--game", "mount_drago", "--players", "3", *games]) == 2
    assert "--players is a shorthand" in capsys.readouterr().err


# ---------------------------------------------------------------- the command line


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_arena_is_resumed_to_the_same_end(tmp_path: Path) -> None:
    words = ["uniform", SLOW, "--games", "320", "--out", str(tmp_path), "--workers", "2"]
    for stop in (signal.SIGINT, signal.SIGKILL):
        before = len(list(tmp_path.glob("parts/*.npz")))
        process = subprocess.Popen(
            [sys.executable, "-m", "agents.arena", *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "SLOW_SECONDS": "0.04"},  # a run of half a minute
            start_new_session=True,
        )
        while process.poll() is None and len(list(tmp_path.glob("parts/*.npz"))) < before + 2:
            time.sleep(0.02)
        if stop == signal.SIGINT:  # Ctrl-C reaches the workers, too
            os.killpg(process.pid, stop)
        else:
            process.kill()
        out, err = process.communicate(timeout=60)  # ends when nobody holds the pipes any more
        assert out == ""
        if stop == signal.SIGINT:
            assert process.returncode == 130
            assert "the same command goes on from there" in err
            assert "Traceback" not in err
    assert 4 <= len(list(tmp_path.glob("parts/*.npz"))) < 20
    resumed = run(Config(["uniform", SLOW], games=320), tmp_path, workers=1)
    assert equal(resumed, run(Config(["uniform", "uniform"], games=320), workers=1))


def test_json_alone_is_on_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["uniform", FIRST, "--players", "3", "--games", "60", "--seed", "9", "--json"]
    folder = tmp_path / "new" / "folder"
    assert arena.main([*words, "--out", str(folder), "--format", "csv", "--records"]) == 0
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert out.count("\n") == 1
    assert "60/60 games" in err
    assert "How often" in err
    interval = {"mean", "low", "high"}
    names = ("players", "game", "seed", "deals", "games")
    assert [found[name] for name in names] == [3, "mount_drago:players=3", 9, 20, 60]
    assert found["even"] == pytest.approx(1 / 3, abs=1e-6)
    assert {one["agent"] for one in found["agents"]} == {"uniform", FIRST}
    for one in found["agents"]:
        assert one["games"] == 60
        for name in ("win_share", "margin", "rank", "rating", "points"):
            assert set(one[name]) == interval
            assert one[name]["low"] <= one[name]["mean"] <= one[name]["high"]
    shares = [one["win_share"]["mean"] for one in found["agents"]]
    assert shares == sorted(shares, reverse=True)
    (pair,) = found["pairs"]
    assert [pair["a"], pair["b"]] == [one["agent"] for one in found["agents"]]
    assert set(pair["win_share_difference"]) == set(pair["margin_difference"]) == interval
    gap = pair["win_share_difference"]["mean"]
    assert gap == pytest.approx(shares[0] - shares[1], abs=2e-6)
    # again, from Python, on one core
    report = run(Config(["uniform", FIRST], mount(3), 60, 9), workers=1).report()
    assert report.json() == out.strip()
    assert files(folder) == [
        *("checksums.json", "config.json", "records.jsonl", "report.md", "report.svg"),
        *("results.csv", "times.json"),
    ]


def test_the_report_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["uniform", "tests.test_arena:Cheat", FIRST, "--games", "60", "--workers", "1"]
    pictures = []
    for name in ("one", "two"):
        assert arena.main([*words, "--out", str(tmp_path / name)]) == 0
        pictures.append((tmp_path / name / "report.svg").read_bytes())
    assert pictures[0] == pictures[1]
    shown = capsys.readouterr().out
    page = (tmp_path / "one" / "report.md").read_text(encoding="utf-8")
    for text in (shown, page):
        assert "mount_drago, 2 players, 60 games (30 deals), seed 0" in text
        assert "Cheat (sees all)" in text
        assert "It cheats" in text
        assert "How often, in percent, a row ends before a column" in text
    assert "Cheat (sees all)" in pictures[0].decode()
    assert page.count("(sees all)") >= 3  # in both tables, and beside its neighbours
    assert re.search(r"(separated|more deals would likely tell)\.", page)
    assert re.search(r"\d µs|\d ms", page)
    found = json.loads(run(Config(["uniform", "tests.test_arena:Cheat"], games=20)).report().json())
    assert {one["agent"]: one["sees_all"] for one in found["agents"]} == {
        "uniform": False,
        "tests.test_arena:Cheat": True,
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "unknown policy 'nobody'"),
        (["uniform", "uniform:depth=3"], "the policy 'uniform:depth=3' cannot be made"),
        ([], "name one or more agents"),
        (["uniform", "--players", "6"], "players must be from 2 to 5, not 6"),
        (["uniform", "--edition", "klingon"], "edition must be german or italian, not 'klingon'"),
        (["uniform", "--board", "nowhere.txt"], "cannot read the board file nowhere.txt"),
        (["uniform", "--games", "0"], "games must be from 1 to"),
        (["uniform", "--seed", "-1"], "seed must be from 0 to"),
        (["uniform", "--workers", "0"], "workers must be at least 1"),
        (["uniform", "--records"], "records are written to a folder"),
        (["human", "uniform"], "nobody can be asked in an arena"),
        (["me=human", "uniform"], "nobody can be asked in an arena"),
        (["uniform", "--game", "chess"], "unknown game 'chess'"),
        (
            ["uniform", "tests.adapters:Wrong"],
            "the policy 'tests.adapters:Wrong' chose the illegal",
        ),
    ],
)
def test_bad_input_is_told_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith(f"error: {message}")


def test_bad_input_from_python() -> None:
    bad: list[Any] = ["uniform", []]
    for agents in bad:
        with pytest.raises(ValueError, match="agents must list at least one agent"):
            Config(agents)
    with pytest.raises(ValueError, match="format must be parquet or csv, not 'xls'"):
        run(CONFIG, "never made", "xls")
    with pytest.raises(ValueError, match=r"games must be a whole .*, not 2\.5"):
        Config(["uniform"], games=2.5)  # type: ignore[arg-type]


def test_an_interrupt_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop_after(monkeypatch, 0)
    assert arena.main(["uniform", "--out", str(tmp_path)]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
    assert arena.main(["uniform"]) == 130
    assert "Nothing is kept" in capsys.readouterr().err
