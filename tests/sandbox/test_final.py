"""A final among the best of a league: its submitted bots play a tournament, by commands alone."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from tests.tournaments.packages import bot_folder
from tests.tournaments.serving import LEAGUE, Place, highstreet, wait_until
from tournaments.store import Store

NAMES = ("crow", "jay", "magpie")
FILE = (
    'title = "Spring"\ngame = "glastonbury"\ntable_sizes = [2, 3]\nenrolment = "open"\n'
    "separate_authors = false\n"
    '[variants]\nrecipes = "both"\n[time_control]\nper_move = 60\n'
)


def test_the_best_bots_of_a_league_play_a_final_from_their_packages(tmp_path: Path) -> None:
    league, token = tmp_path / "spring.toml", tmp_path / "ann.token"
    league.write_text(FILE, encoding="utf-8")
    url, out = f"sqlite:///{tmp_path / 'league.db'}", tmp_path / "final"
    with contextlib.ExitStack() as stack:
        place = Place(tmp_path / "place", url, stack)
        place.start("--league", f"{LEAGUE}={league}")
        where = {"HIGHSTREET_SERVER": place.address}
        enrolled = highstreet("enrol", LEAGUE, "ann", "--token-out", str(token), **where)
        assert enrolled.returncode == 0, enrolled.stderr
        for name in NAMES:
            folder = str(bot_folder(tmp_path / name, name, runtime="python"))
            own = ("--league", LEAGUE, "--token-file", str(token))
            done = highstreet("submit", folder, *own, **where)
            assert done.returncode == 0, done.stdout + done.stderr
        store = stack.enter_context(Store.open(url, migrate=False))
        asked = ("league", "standings", LEAGUE, "--json")

        def all_have_played() -> bool:
            table = json.loads(highstreet(*asked, **where).stdout)["standings"]
            return len([line for line in table if line["matches"] > 0]) == len(NAMES)

        wait_until(all_have_played, "all have played")
        assert store.results(LEAGUE)
        organiser = {**where, "HIGHSTREET_TOKEN": place.organiser}
        more = ("--top", "3", "--best-of", "1", "--out", str(out), "--json")
        written = highstreet("league", "final", LEAGUE, *more, **organiser)
        assert written.returncode == 0, written.stderr
    seeds = json.loads(written.stdout)["entrants"]
    assert sorted(seeds) == sorted(NAMES)
    assert sorted(path.name for path in (out / "packages").iterdir()) == [
        f"{name}.tar.gz" for name in NAMES
    ]
    plan = highstreet("tournament", "plan", str(out / "final.toml"))
    assert f"seeds, the best one first: {', '.join(seeds)}." in plan.stdout, plan.stderr
    ran = highstreet("tournament", "run", str(out / "final.toml"), "--out", str(out / "cup"))
    assert ran.returncode == 0, ran.stderr
    assert "has won the knock-out." in ran.stdout
    verified = highstreet("tournament", "verify", str(out / "cup"))
    assert verified.returncode == 0, verified.stderr
    published = highstreet("league", "publish", LEAGUE, str(out / "cup"), "--database", url)
    assert published.returncode == 0, published.stderr
    assert f"{LEAGUE}: final 1 is published: Spring: final, " in published.stdout
    with Store.open(url, migrate=False) as store:
        (final,) = store.finals(LEAGUE)
        document = json.loads(final.document)
        assert f"{document['rounds']['winner']} has won the knock-out." in ran.stdout
        records = {path.name: path.read_bytes() for path in (out / "cup" / "records").iterdir()}
        kept = {f"{name}.jsonl.zst": data for name, data in store.final_records(LEAGUE, 1)}
        assert kept == records
        assert len(document["secrets"]) == 1, "the tournament is over"
