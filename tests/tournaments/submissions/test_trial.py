"""From a package to a bot that has passed every stage, in the real sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from referee.model import SYSTEM, Policy, TimeControl
from tests.waiting import PATIENCE
from tournaments.model import Manifest, Stage, StageReport
from tournaments.submissions import (
    PackageCache,
    PackageError,
    PackageTrial,
    StageError,
    TrialPlan,
    pack,
)
from tournaments.submissions.build import build
from tournaments.submissions.runtimes import find_runtime

SAMPLES = Path(__file__).parents[3] / "sample_bots"

pytestmark = pytest.mark.skipif(
    os.environ.get("HIGHSTREET_SANDBOX") != "required" and shutil.which("bwrap") is None,
    reason="bwrap is missing: apt install bubblewrap",
)


def package(folder: Path, run: str, runtime: str, extra: str = "") -> Path:
    """Write a manifest into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(
        f'[bot]\nname = "x"\ngames = ["glastonbury"]\n{extra}\n'
        f'[run]\ncommand = {run}\nruntime = "{runtime}"\n'
    )
    return folder


def checked(
    packed: bytes, cache: Path, control: TimeControl | None = None
) -> dict[Stage, StageReport]:
    """Take a package through all stages, and return the reports; raises StageError."""
    reports: dict[Stage, StageReport] = {}

    def report(each: StageReport) -> None:
        reports[each.stage] = each

    def plan(manifest: Manifest) -> TrialPlan:
        return TrialPlan.of_games(manifest.games, control or TimeControl(), Policy())

    asyncio.run(PackageTrial(PackageCache(cache), report).run(packed, plan))
    return reports


def failure(packed: bytes, cache: Path, control: TimeControl | None = None) -> StageReport:
    """Return the report of the stage that a package fails."""
    with pytest.raises(StageError) as error:
        checked(packed, cache, control)
    return error.value.report


def test_a_python_bot_passes_every_stage(tmp_path: Path) -> None:
    folder = package(tmp_path / "bot", '["python3", "tiny_bot.py"]', "python")
    for name in ("tiny_bot.py", "plumbing.py"):
        shutil.copy(SAMPLES / "python" / name, folder)
    reports = checked(pack(folder), tmp_path / "cache")
    assert list(reports) == [Stage.UNPACKED, Stage.BUILT, Stage.CHECKED, Stage.TRIED]
    assert reports[Stage.BUILT].sentence == "there is no build command"
    assert "glastonbury: answers legally and readably: " in reports[Stage.CHECKED].log
    assert reports[Stage.TRIED].log.count("glastonbury, ") == 2  # with 2 and with 4 seats
    assert all(report.passed and report.seconds > 0 for report in reports.values())
    for stage in (Stage.CHECKED, Stage.TRIED):
        assert 0.01 < reports[stage].cpu_seconds < reports[stage].seconds + 1
        assert 2**20 < reports[stage].memory_bytes < 2**30


@pytest.mark.skipif(not (shutil.which("cc") and shutil.which("make")), reason="cc or make missing")
def test_a_bot_in_c_is_built_once_and_passes(tmp_path: Path) -> None:
    shutil.copytree(
        SAMPLES / "stdio" / "c", tmp_path / "bot", ignore=shutil.ignore_patterns("build")
    )
    folder = package(
        tmp_path / "bot", '["build/bot", "greedy"]', "c", '[build]\ncommand = ["make"]'
    )
    reports = checked(pack(folder), tmp_path / "cache")
    assert "CPU time" in reports[Stage.BUILT].sentence
    assert " -o build/bot " in reports[Stage.BUILT].log
    assert reports[Stage.BUILT].cpu_seconds > 0
    assert reports[Stage.BUILT].memory_bytes > 0
    again = checked(pack(folder), tmp_path / "cache")
    assert again[Stage.BUILT].sentence == "built before"


TENTH = TimeControl(per_move=timedelta(seconds=0.1), latency=timedelta(0))


def slow_bot(folder: Path, line: str) -> Path:
    """Return a bot that runs a line of Python before each of its first four answers."""
    folder = package(folder, '["python3", "main.py"]', "python")
    source = (SAMPLES / "python" / "tiny_bot.py").read_text()
    begin, asked = "import json\n", '    if decision := message.get("decision"):\n'
    assert asked in source
    source = source.replace(begin, f"import json, time\nleft = 4\n{begin}", 1)
    more = f"        left -= 1\n        if left >= 0:\n            {line}\n"
    (folder / "main.py").write_text(source.replace(asked, asked + more))
    return folder


def test_a_bot_that_waits_for_a_busy_machine_passes_by_the_cpu_clock(tmp_path: Path) -> None:
    """It is late by the wall clock; only the first decision has start-up time."""
    folder = slow_bot(tmp_path / "bot", "time.sleep(0.3)")
    reports = checked(pack(folder), tmp_path / "cache", TENTH)
    assert reports[Stage.TRIED].passed


def test_a_bot_that_computes_for_too_long_is_refused_by_the_cpu_clock(tmp_path: Path) -> None:
    line = "while time.process_time() < (4 - left) * 0.3: pass"
    report = failure(pack(slow_bot(tmp_path / "bot", line)), tmp_path / "cache", TENTH)
    assert report.stage is Stage.CHECKED
    assert report.sentence == "the check of glastonbury failed: answers in time."


@pytest.mark.slow
def test_a_stage_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """The bot sleeps, which the CPU clock does not charge; the other authors wait."""
    folder = slow_bot(
        tmp_path / "bot", "import sys; print('zzz', file=sys.stderr, flush=True); time.sleep(3600)"
    )
    packed = pack(folder)

    def plan(manifest: Manifest) -> TrialPlan:
        found = TrialPlan.of_games(manifest.games, TimeControl(), Policy())
        return replace(found, longest=4.0)

    with pytest.raises(StageError) as error:
        asyncio.run(PackageTrial(PackageCache(tmp_path / "cache")).run(packed, plan))
    assert error.value.report.stage is Stage.CHECKED
    assert str(error.value) == "the stage took more than 4 seconds."
    assert error.value.report.log.endswith("zzz")


def test_a_bot_that_breaks_the_protocol_is_refused(tmp_path: Path) -> None:
    folder = package(tmp_path / "bot", '["sh", "-c", "echo nonsense"]', "executable")
    report = failure(pack(folder), tmp_path / "cache")
    assert report.stage is Stage.CHECKED
    assert report.sentence.startswith("the check of glastonbury failed: starts")


def test_a_bot_that_gives_up_in_the_trial_match_is_refused_with_its_standard_error(
    tmp_path: Path,
) -> None:
    """It keeps the protocol with two seats, and ends at a table of four."""
    folder = package(tmp_path / "bot", '["python3", "main.py"]', "python")
    shutil.copy(SAMPLES / "python" / "tiny_bot.py", folder / "tiny.py")
    source = (SAMPLES / "python" / "tiny_bot.py").read_text()
    guard = (
        '    if message.get("match_started", {}).get("match") == "trial":\n'
        '        sys.exit("no trial")\n'
    )
    after = "    message = json.loads(line)\n"
    assert after in source
    (folder / "main.py").write_text(source.replace(after, after + guard))
    report = failure(pack(folder), tmp_path / "cache")
    assert report.stage is Stage.TRIED
    assert "it forfeited the trial match of glastonbury" in report.sentence
    assert "no trial" in report.log


def test_a_build_that_fails_says_why_in_its_log(tmp_path: Path) -> None:
    command = '[build]\ncommand = ["sh", "-c", "echo no such library >&2; exit 3"]'
    folder = package(tmp_path / "bot", '["sh"]', "executable", command)
    report = failure(pack(folder), tmp_path / "cache")
    assert "the process ended with exit code 3" in report.sentence
    assert report.log == "no such library"
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_build_that_removes_the_manifest_is_refused(tmp_path: Path) -> None:
    command = '[build]\ncommand = ["rm", "bot.toml"]'
    folder = package(tmp_path / "bot", '["sh"]', "executable", command)
    report = failure(pack(folder), tmp_path / "cache")
    assert report.stage is Stage.BUILT
    assert report.sentence == "the package has no file bot.toml at its top."


def test_what_a_killed_program_left_in_the_cache_is_removed(tmp_path: Path) -> None:
    for name, seconds in (("unfinished-old", 3600), ("unfinished-new", 0)):
        (tmp_path / name / "built").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - seconds,) * 2)
    PackageCache(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["unfinished-new"]


def copy_module(name: str, folder: Path) -> None:
    """Copy an installed module into a folder."""
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    source, target = Path(found.origin), folder.joinpath(*name.split("."))
    if source.name == "__init__.py" or found.submodule_search_locations:
        shutil.copytree(source.parent, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, folder)


def test_a_bot_over_grpc_passes_every_stage(tmp_path: Path) -> None:
    """It brings its libraries along, as a package has to."""
    folder = package(tmp_path / "bot", '["python3", "random_bot.py"]', "python")
    with (folder / "bot.toml").open("a") as manifest:
        manifest.write('transport = "grpc"\n')
    for name in ("random_bot.py", "plumbing.py", "grpc_plumbing.py"):
        shutil.copy(SAMPLES / "python" / name, folder)
    for needed in ("grpc", "google.protobuf", "highstreet.v1", "typing_extensions"):
        copy_module(needed, folder)
    reports = checked(pack(folder), tmp_path / "cache")
    assert "glastonbury: comes back after a cut: " in reports[Stage.CHECKED].log
    assert list(reports)[-1] is Stage.TRIED


def test_an_unknown_runtime_is_refused(tmp_path: Path) -> None:
    folder = package(tmp_path / "bot", '["sh"]', "pyhton")
    report = failure(pack(folder), tmp_path / "cache")
    assert 'no runtime "pyhton". Did you mean "python"' in report.sentence


def run_build(folder: Path, script: str) -> Path:
    """Build a package with a script, and return the built folder."""
    (folder / "package").mkdir()
    (folder / "package" / "bot.toml").write_text("own")
    command = ("sh", "-c", script)
    runtime = find_runtime("python")
    asyncio.run(build(folder / "package", command, runtime, folder / "built", folder / "log"))
    return folder / "built"


def test_a_build_makes_files_and_changes_nothing_of_the_package(tmp_path: Path) -> None:
    built = run_build(
        tmp_path, "cat bot.toml > made; chmod +x made; ln made second; ln -s made third"
    )
    assert (built / "made").read_text() == (built / "second").read_text() == "own"
    assert os.access(built / "made", os.X_OK)
    assert (built / "third").readlink() == Path("made")
    assert [path.name for path in (tmp_path / "package").iterdir()] == ["bot.toml"]


def test_a_build_sees_nothing_of_the_machine(tmp_path: Path) -> None:
    """Each line that is no refusal is a hole: the file says which."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    secret.chmod(0o644)
    tries = [
        f"cat {secret}",
        f"ls {tmp_path}",
        "touch /package/x",
        "touch /usr/x",
        "ls /home /root /var",
        "cat /proc/1/environ | grep .",
        f"kill -0 {os.getpid()}",
    ]
    script = "; ".join(f"({one}) >/dev/null 2>&1 && echo '{one}' >> holes" for one in tries)
    built = run_build(tmp_path, f"touch holes; {script}; true")
    assert (built / "holes").read_text() == ""


def test_a_build_has_no_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        came = threading.Event()
        server.settimeout(PATIENCE)

        def accept() -> None:
            try:
                server.accept()[0].close()
                came.set()
            except OSError:
                pass

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        built = run_build(tmp_path, f'python3 -c "{code}" 2>/dev/null && touch reached; touch done')
        assert sorted(path.name for path in built.iterdir()) == ["bot.toml", "done"]
        assert not came.is_set()
        socket.create_connection(("127.0.0.1", port)).close()  # from outside it can be reached
        thread.join()
        assert came.is_set()


def test_an_archive_that_a_build_prints_is_checked_as_any_other(tmp_path: Path) -> None:
    """Links that lead out are refused after a build too."""
    with pytest.raises(PackageError, match="leaves the package"):
        run_build(tmp_path, "ln -s /etc/passwd out")
    assert not (tmp_path / "built").exists()


def test_a_build_that_leaves_a_process_behind_ends_with_it(tmp_path: Path) -> None:
    """The build ends once its child runs, which the child shows."""
    mark = f"sleep {100_000 + os.getpid()}"
    child = f"touch runs; exec {mark} >/dev/null 2>&1"
    wait = "until test -e runs && kill -0 $!; do sleep 0.01; done"
    built = run_build(tmp_path, f"sh -c '{child}' & {wait}; touch made")
    assert {"runs", "made"} <= {path.name for path in built.iterdir()}
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in commands if mark.replace(" ", "\0").encode() in command]


def test_the_system_is_part_of_every_runtime() -> None:
    assert set(SYSTEM.paths) <= set(find_runtime("executable").paths)


def highstreet(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from tournaments.cli import main; main()", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_the_command_checks_and_packs(tmp_path: Path) -> None:
    folder = package(tmp_path / "bot", '["python3", "tiny_bot.py"]', "python")
    for name in ("tiny_bot.py", "plumbing.py"):
        shutil.copy(SAMPLES / "python" / name, folder)
    checked = highstreet("bot", "check", str(folder))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.count("sandbox: bubblewrap; memory and processes are limited by") == 1
    packed = highstreet("bot", "pack", str(folder), "--out", str(tmp_path / "x.tar.gz"))
    assert packed.returncode == 0
    digest = hashlib.sha256((tmp_path / "x.tar.gz").read_bytes()).hexdigest()
    assert f"package {digest}" in packed.stdout
    assert f"passed: package {digest}" in checked.stdout


def test_the_command_ends_with_1_and_the_log_of_a_build_that_failed(tmp_path: Path) -> None:
    command = '[build]\ncommand = ["sh", "-c", "echo no such library; exit 3"]'
    folder = package(tmp_path / "bot", '["sh"]', "executable", command)
    checked = highstreet("bot", "check", str(folder))
    assert checked.returncode == 1
    assert "    no such library\n" in checked.stdout
    assert "exit code 3" in checked.stdout
