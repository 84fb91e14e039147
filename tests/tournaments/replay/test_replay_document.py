"""What a replay page is made from: every position as the engine has it, and small."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from engine.game import Options, Seat
from engine.registry import GAMES, AnyGame
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_game
from referee.record.format import RecordError
from referee.record.verify import replay_record
from referee.record.writer import Recorder
from tests.tournaments.record_files import lines_of, record, sealed, void_record
from tournaments.cli import main
from tournaments.replay import document as document_module
from tournaments.replay.document import (
    drawn_games,
    find_presentation,
    replay_document,
    view_document,
)
from tournaments.replay.page import replay_html

KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in GAMES.values()
    for kind in game.spec.kinds()
]
every_kind = pytest.mark.parametrize(("game", "kind"), KINDS)


def random_record(game: AnyGame, kind: Options, seed: str = "7") -> bytes:
    played = random_game(game, kind, seed_from_text(seed))
    seats = [{"entrant": f"bot{seat}"} for seat in range(kind.seats)]
    recorder = Recorder(game, kind, played.seed, b"salt", "m1", seats, {}, {})
    for n, (seat, legal, move) in enumerate(played.decisions, 1):
        recorder.decision(n, seat, game.format_move(move), 0 if legal == 1 else 2.5, legal)
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return recorder.data()


def changed(fields: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Apply what a frame says, as the page does."""
    result = dict(fields)
    for name, change in changes.items():
        if isinstance(change, dict):
            items = list(fields[name])
            for index, item in change.items():
                items[int(index)] = item
            result[name] = items
        else:
            result[name] = change
    return result


def unfolded(document: dict[str, Any]) -> list[dict[str, dict[str, Any]]]:
    """Return what each viewer sees in each frame."""
    seats = list(map(str, range(len(document["entrants"]))))
    everything: dict[str, Any] = {}
    others: dict[str, Any] = {}
    shown = []
    for frame in document["frames"]:
        everything = changed(everything, frame["everything"])
        others |= frame["views"]
        spectator = changed(everything, others["spectator"])
        views = {seat: changed(spectator, others[seat]) for seat in seats}
        shown.append({"everything": everything, "spectator": spectator, **views})
    return shown


@every_kind
def test_every_frame_is_the_position_of_the_engine(game: AnyGame, kind: Options) -> None:
    data = random_record(game, kind)
    story = find_presentation(game.spec.name)
    assert story is not None
    # By way of text, as it travels.
    shown = unfolded(json.loads(json.dumps(replay_document(data))))
    positions = replay_record(data).positions
    assert len(shown) == len(positions)
    for views, position in zip(shown, positions, strict=True):
        state = position.state
        assert views.pop("everything") == story.everything(state)
        assert views.pop("spectator") == story.view(game.view(state, None))
        for seat, view in views.items():
            assert view == story.view(game.view(state, Seat(int(seat))))


@every_kind
def test_decisions_are_those_of_the_record(game: AnyGame, kind: Options) -> None:
    data = random_record(game, kind)
    head, _, *decisions, end = lines_of(data)
    document = replay_document(data)
    assert document["drawn"]
    assert document["problem"] is None
    assert document["entrants"] == [seat["entrant"] for seat in head["seats"]]
    assert [document[key] for key in ("scores", "places", "ending")] == [
        end[key] for key in ("scores", "places", "ending")
    ]
    deal, *frames = document["frames"]
    assert (deal["n"], deal["seat"], deal["move"]) == (0, None, None)
    for frame, line in zip(frames, decisions, strict=True):
        for key in ("n", "seat", "move", "ms", "legal"):
            assert frame[key] == line[key]
    assert frames[-1]["scores"] == end["scores"]


@every_kind
def test_document_is_small(game: AnyGame, kind: Options) -> None:
    """300 kB before compression for 110 decisions of four seats, so 2.7 kB for each."""
    document = replay_document(random_record(game, kind))
    size = len(json.dumps(document, separators=(",", ":")))
    assert size < 2700 * len(document["frames"])


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_events_are_for_those_who_saw_them(game: AnyGame) -> None:
    private = 0
    for kind in game.spec.kinds():
        for seed in "12":
            data = random_record(game, kind, seed)
            positions = replay_record(data).positions
            for frame, position in zip(replay_document(data)["frames"], positions, strict=True):
                for told, event in zip(frame["events"], position.events, strict=True):
                    for seat in range(kind.seats):
                        saw = "only" not in told or seat in told["only"]
                        assert saw == event.visible_to(Seat(seat))
                    assert ("only" not in told) == event.visible_to(None)
                    private += "only" in told
    # Kupferkessel Co. and Festo! have no private events; in the others they occur.
    assert bool(private) == (game.spec.name not in {"kupferkessel", "festo"})


def test_secret_moves_have_a_covered_form() -> None:
    game = GAMES["gargon"]
    frames = replay_document(random_record(game, game.spec.options(3)))["frames"][1:]
    for frame in frames:
        word = frame["move"].split()[0]
        assert frame.get("covered") == (word if word in ("play", "pick") else None)


def test_verdicts_and_faults_are_told() -> None:
    document = replay_document(record("m1", "ann", "bob", verdicts=1))
    assert document["frames"][1]["verdicts"][0].startswith("fault malformed, reaction reject, said")
    stopped = replay_document(void_record("m2"))
    assert stopped["ending"] == "stopped"
    assert stopped["scores"] == stopped["places"] == []
    assert stopped["causes"] == ["fault stopped, cause machine, detail a test"]


def test_record_that_goes_wrong_is_shown_as_far_as_it_goes() -> None:
    lines = lines_of(record("m1", "ann", "bob"))
    lines[7]["move"] = "take a1"
    document = replay_document(sealed(lines))
    assert document["problem"].startswith("line 8: ")
    assert len(document["frames"]) == 6
    assert document["ending"] is None
    with pytest.raises(RecordError, match="line 1"):
        replay_document(b"nonsense\n")


def test_game_without_a_drawing_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new game works at once."""
    monkeypatch.setattr(document_module, "find_presentation", lambda _: None)
    game = GAMES["glastonbury"]
    data = record("m1", "ann", "bob", options={"recipes": True})
    document = replay_document(data)
    assert not document["drawn"]
    texts: dict[str, str] = {}
    for frame, position in zip(document["frames"], replay_record(data).positions, strict=True):
        texts |= frame["texts"]
        assert texts["spectator"] == game.render(game.view(position.state, None))
        assert texts["1"] == game.render(game.view(position.state, Seat(1)))
    assert document["frames"][0]["events"][0] == {"text": "Moved: seat 0, steps 2, stop 2"}
    assert document["frames"][0]["scores"] is None
    assert "const game = null;" in replay_html(document)
    state = replay_record(data).positions[0].state
    view = game.view(state, None)
    assert view_document(game, view) == {"drawn": False, "text": game.render(view)}


def test_single_view_for_a_live_table() -> None:
    game = GAMES["glastonbury"]
    view = game.view(game.deal(game.spec.options(2), seed_from_text("1")).state, None)
    document = view_document(game, view)
    assert document["drawn"]
    assert document["view"]["pile"] is None
    assert document["view"]["colours"] == ["Y", "G"]


def test_every_game_has_its_drawing() -> None:
    assert drawn_games() == set(GAMES)


def test_page_has_everything_inside_and_names_are_only_text() -> None:
    page = replay_html(replay_document(record("m1", "</script><script>alert(1)//", "<!--bob")))
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert "import " not in page.partition('<script type="module">')[2].partition("//")[0]
    policy = page.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_replay_writes_a_page(tmp_path: Any) -> None:
    (tmp_path / "m1.jsonl").write_bytes(record("m1", "ann", "bob"))
    out = tmp_path / "m1.html"
    run = CliRunner().invoke(main, ["replay", str(tmp_path / "m1.jsonl"), "--html", str(out)])
    assert run.exit_code == 0, run.output
    assert run.output.endswith("decisions; open it in a browser.\n")
    assert out.read_text("utf-8") == replay_html(replay_document(record("m1", "ann", "bob")))
    nowhere = tmp_path / "nowhere" / "m1.html"
    run = CliRunner().invoke(main, ["replay", str(tmp_path / "m1.jsonl"), "--html", str(nowhere)])
    assert run.exit_code == 2
    assert "cannot write" in run.output
