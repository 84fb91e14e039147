"""The arenas: matches of attackers as root and as an ordinary user, in the sandbox and without."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ORDINARY = 65534
"""The user id of an ordinary user, when root runs the tests."""
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("ordinary",)
FOREIGN = 'int main(){int r;__asm__ volatile("int $0x80":"=a"(r):"a"(20):"memory");return r<=0;}'

Outcomes = dict[str, Any]
Arena = Callable[[str, str, tuple[str, ...]], Outcomes]


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip everything here, with one line, where bubblewrap is missing.

    Tests of one arena run in one process (``--dist loadgroup``), so that the others do not wait.
    """
    for item in items:
        if "tests/sandbox" in str(item.path) and (group := _arena_of(item)):
            item.add_marker(pytest.mark.xdist_group(group))
    if os.environ.get("HIGHSTREET_SANDBOX") == "required" or shutil.which("bwrap"):
        return
    for item in items:
        if "tests/sandbox" in str(item.path):
            item.add_marker(pytest.mark.skip(reason="bwrap is missing: apt install bubblewrap"))


def _arena_of(item: pytest.Item) -> str:
    """Return which arena a test needs first: its user and its place; nothing without one."""
    values = getattr(item, "callspec", None)
    if values is None or not {"arena", "grpc_arena"} & set(getattr(item, "fixturenames", ())):
        return ""
    place = "build" if "of_a_build" in item.name or "the_build" in item.name else ""
    place = place or ("none" if "without_the_sandbox" in item.name else "bubblewrap")
    own = values.params
    return f"{item.path.stem}-{own['user']}-{own.get('place', place)}"


def interpreter(user: str) -> list[str]:
    """Return a command that runs Python with this project as a user."""
    paths = [str(ROOT), str(ROOT / "proto" / "gen" / "python"), sysconfig.get_path("purelib")]
    command = ["env", "-C", str(ROOT), f"PYTHONPATH={':'.join(paths)}", "PYTHONDONTWRITEBYTECODE=1"]
    if user == "root" or os.geteuid() != 0:
        return [*command, sys.executable]
    become = [f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        known = ["setpriv", *become, *command, python]
        tried = subprocess.run([*known, "-c", "import orjson"], capture_output=True, check=False)
        if tried.returncode == 0:
            return known
    pytest.skip("no Python of this version that an ordinary user can run: apt install python3")


@cache
def _played_once(
    shared: Path, module: str, user: str, place: str, attacks: tuple[str, ...]
) -> Outcomes:
    """Return the outcomes of an arena, which one of the processes of this run plays."""
    file = shared / f"{module}-{user}-{place}.json"
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_text(json.dumps(_play(module, user, place, attacks)))
        outcomes: Outcomes = json.loads(file.read_text())
        return outcomes


def _play(module: str, user: str, place: str, attacks: tuple[str, ...]) -> Outcomes:
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        if shutil.which("gcc"):
            build = ["gcc", "-static", "-x", "c", "-o", str(folder / "foreign"), "-"]
            subprocess.run(build, input=FOREIGN.encode(), check=True)
        folder.chmod(0o755)
        if user == "ordinary" and os.geteuid() == 0:
            os.chown(folder, ORDINARY, ORDINARY)
        played = subprocess.run(
            [*interpreter(user), "-m", module, str(folder), place, *attacks],
            env={**os.environ, "ARENA_MARK": f"arena-{secrets.token_hex(8)}"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert played.returncode == 0, played.stderr
        found: Outcomes = {}
        for line in played.stdout.splitlines():
            found |= json.loads(line)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    """Run a test once for each kind of user."""
    return str(request.param)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture
def arena(shared: Path) -> Arena:
    """Return a function that tries attacks, once for each user and place."""
    return partial(_played_once, shared, "tests.sandbox.arena")


@pytest.fixture
def grpc_arena(shared: Path) -> Arena:
    """Return a function that plays the same way with bots over gRPC."""
    return partial(_played_once, shared, "tests.sandbox.grpc_arena")
