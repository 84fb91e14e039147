"""What a run on a cluster does without one: refusals, secrets, the check of records."""

from __future__ import annotations

import asyncio
import pickle
import secrets
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from referee.record import Record, compressed, decompressed
from referee.runtime import run_async
from tests.tournaments.leagues import BEGINNING
from tests.tournaments.runner.torture import command, run_to_end
from tests.tournaments.tournament_files import read
from tests.waiting import PATIENCE
from tournaments.config import SettingsFileError
from tournaments.model import FaultNote, Job, PlayedMatch, Result
from tournaments.runner.cluster_entrants import check_entrants
from tournaments.runner.cluster_host import (
    ChildEnded,
    ClusterHost,
    Exchange,
    Opening,
    Reply,
    here,
)
from tournaments.runner.marked_processes import kill_marked
from tournaments.runner.record_check import problem_with
from tournaments.runner.tournament_folder import begun
from tournaments.runner.worker_jobs import by_seating
from tournaments.worker import MARK

SECRET = "5ec2e7" * 8
CUP = f'name = "x"\nsecret = "{SECRET}"\ntable_sizes = [2]\n' + "".join(
    f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in "ab"
)


@pytest.mark.parametrize(
    ("entrant", "line", "said"),
    [
        ('command = ["true"]', 9, "shared_filesystem = true"),
        ("remote = true", 9, "without --cluster"),
        ('bot = "random"\nfolder = "/"', 10, "shared_filesystem = true"),
    ],
)
def test_entrants_that_other_machines_cannot_start_are_refused(
    entrant: str, line: int, said: str
) -> None:
    text = CUP.replace('name = "b"\nbot = "random"', f'name = "b"\n{entrant}')
    with pytest.raises(SettingsFileError, match=said) as caught:
        check_entrants(read(text, Path("/")), text, Path("cup.toml"))
    assert str(caught.value).startswith(f"cup.toml:{line}: b ")


def test_a_shared_file_system_has_the_commands() -> None:
    text = CUP.replace('name = "b"\nbot = "random"', 'name = "b"\ncommand = ["true"]')
    text += "[cluster]\nshared_filesystem = true\n"
    check_entrants(read(text, Path("/")), text, Path("cup.toml"))


def test_nothing_that_is_sent_contains_the_secret(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    with begun(tmp_path / "cup", file) as folder:
        assert folder.tournament.secret == bytes.fromhex(SECRET)
        shared = Opening("mark", (), replace(folder.tournament, secret=None), 1, "w")
        jobs = [folder.job(match, 1) for match in folder.pending()]
        sent = pickle.dumps((shared, jobs))
        assert bytes.fromhex(SECRET) in pickle.dumps(folder.tournament), "the test can fail"
    assert bytes.fromhex(SECRET) not in sent
    assert SECRET.encode() not in sent


def test_sample_bots_are_started_as_the_machine_has_them() -> None:
    elsewhere = read(CUP, Path("/"))
    first = elsewhere.entrants[0]
    assert first.command is not None
    moved = replace(first.command, arguments=("/nowhere/python", "bot.py"), environment={"X": "1"})
    found = here(replace(elsewhere, entrants=(replace(first, command=moved),))).entrants[0].command
    assert found is not None
    assert found.arguments == first.command.arguments
    assert found.environment == {"X": "1"}


def test_a_call_that_the_network_delivers_late_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    with begun(tmp_path / "cup", file) as folder:
        tournament = replace(folder.tournament, secret=None)
        job = folder.job(next(iter(folder.pending())), 1)

    async def late_call() -> Reply:
        host = ClusterHost(mark := secrets.token_hex(8))
        await host.open(Opening(mark, (), tournament, 1, "w"))
        try:
            ready = await host.exchange(pickle.dumps(Exchange(1, PATIENCE, ())))
            assert ready.messages
            second = asyncio.create_task(host.exchange(pickle.dumps(Exchange(2, PATIENCE, ()))))
            await asyncio.sleep(0)
            assert not (await host.exchange(pickle.dumps(Exchange(1, 0, ())))).messages
            await host.play([job])
            return await second
        finally:
            await host.close()

    messages = [each for each in run_async(late_call()).messages if isinstance(each, PlayedMatch)]
    assert [each.result.match for each in messages] == [job.match.id]


def test_a_task_that_comes_after_the_worker_process_has_died_ends_at_once(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    with begun(tmp_path / "cup", file) as folder:
        tournament = replace(folder.tournament, secret=None)
        first, second = [folder.job(match, 1) for match in folder.pending()[:2]]

    async def late_task() -> int:
        host = ClusterHost(mark := secrets.token_hex(8))
        await host.open(Opening(mark, (), tournament, 1, "w"))
        try:
            await host.exchange(pickle.dumps(Exchange(1, PATIENCE, ())))
            await host.play([first])
            kill_marked(MARK, mark)
            async with asyncio.timeout(PATIENCE):
                for number in count(2):
                    reply = await host.exchange(pickle.dumps(Exchange(number, 1, ())))
                    if any(isinstance(message, ChildEnded) for message in reply.messages):
                        break
                return await host.play([second])
        finally:
            await host.close()

    assert run_async(late_task()) == 0


def played(tmp_path: Path) -> tuple[Job, PlayedMatch]:
    """Return a match that was really played."""
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    done = run_to_end(file, tmp_path / "cup")
    assert done.returncode == 0, done.stderr
    with begun(tmp_path / "cup", file) as folder:
        result: Result = folder.results()[0]
        match = folder.match(result.match)
        record = (folder.records / f"{match.id}.jsonl.zst").read_bytes()
        ending = Record(decompressed(record)).end.text("ending")
        return folder.job(match, 1), PlayedMatch(result, 1, 0.1, record, ending)


def test_a_record_that_is_wrong_is_found(tmp_path: Path) -> None:
    job, right = played(tmp_path)
    for again in (False, True):
        assert problem_with(job, right, play_again=again) is None
    scores = tuple(score + 1 for score in right.result.scores)
    assert problem_with(job, right._replace(result=replace(right.result, scores=scores)))
    assert problem_with(job._replace(attempt=2), right)
    assert problem_with(job._replace(salt=b"another"), right)
    assert problem_with(job, right._replace(record=b"no record"))
    assert problem_with(job, right._replace(ending="another"))
    result = right.result
    for other in (
        replace(result, variant="another"),
        replace(result, game="another"),
        replace(result, used=(0.1,)),
    ):
        assert problem_with(job, right._replace(result=other))
    note = FaultNote(job.match.id, "a", "crash", "bot", "", BEGINNING)
    assert problem_with(job, right._replace(faults=(note,)), play_again=False) is None
    for wrong_note in (note._replace(entrant="c"), note._replace(match="another")):
        assert "fault" in str(problem_with(job, right._replace(faults=(wrong_note,))))
    data = decompressed(right.record)
    changed = compressed(data.replace(b'"ms":', b'"ms":1', 1))
    wrong = right._replace(record=changed)
    assert problem_with(job, wrong, play_again=False) is None, "its hashes are checked in some"
    assert "hash" in str(problem_with(job, wrong, play_again=True))


def test_a_task_has_all_first_seatings_first(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f"sets_per_table = 3\n{CUP}")
    with begun(tmp_path / "cup", file) as folder:
        matches = folder.pending(whole_sets=True)
        sets = [match.set_id for match in matches]
        assert sets == sorted(sets, key=sets.index), "set by set"
        ordered = by_seating([folder.job(match, 1) for match in matches])
    assert [job.match.id[-1] for job in ordered] == list("111222")


def test_options_of_a_cluster_need_one(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    for options, said in (
        (["--without-worker", "w1"], "are for a run with --cluster"),
        (["--cluster", "tcp://127.0.0.1:1", "--tables", "2"], "are for this machine"),
    ):
        arguments = command("tournament", "run", file, *options)
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert said in done.stderr


def test_without_dask_the_message_says_how_to_install_it(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    hide = "import sys; sys.modules['distributed'] = None; "
    code = hide + "from tournaments.cli import main; main()"
    words = ["tournament", "run", str(file), "--cluster", "tcp://x:1"]
    arguments = [sys.executable, "-c", code, *words]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'highstreet[cluster]'" in done.stderr
