"""``highstreet records download`` against a real referee, over connections that are really cut."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

import pytest
from click.testing import CliRunner

from referee.record.writer import write_record
from referee.transports.certificates import self_signed
from tests.tournaments.record_files import record, void_record, with_small_files
from tests.waiting import PATIENCE, wait_until
from tournaments.cli import main

HIGHSTREET = str(Path(sys.executable).parent / "highstreet")
ROOT = Path(__file__).parents[3]
SERVER = "tests.tournaments.cli.record_server"
GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "download-records.md"
RECORDS = {
    "m1": record("m1", "ann", "bob"),
    "m2": record("m2", "ann", "cid", "dan", options={"recipes": True}),
    "m3": void_record("m3"),
}
LARGE = record("large", "ann", "bob", verdicts=40)


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    exit_code: int
    output: str
    errors: str


def run(*arguments: object, cwd: Path | None = None) -> Done:
    done = subprocess.run(
        [HIGHSTREET, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def download(server: str, out: Path, *arguments: object) -> Done:
    return run("records", "download", "--server", server, "--out", out, *arguments)


class Referee(NamedTuple):
    """A referee in a process of its own."""

    process: subprocess.Popen[str]
    address: str


@contextlib.contextmanager
def serving(folder: Path, *arguments: object) -> Iterator[Referee]:
    process = subprocess.Popen(
        [sys.executable, "-m", SERVER, str(folder), *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.match(r"listening on (\S+)", process.stdout.readline())
        assert found, process.communicate()[1]
        yield Referee(process, found[1])
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with three small records."""
    folder = tmp_path_factory.mktemp("shelf")
    for match, data in RECORDS.items():
        write_record(folder, match, data)
    return folder


@pytest.fixture(scope="module")
def referee(shelf: Path) -> Iterator[str]:
    """Run a referee that has three small records."""
    with serving(shelf, shelf / "socket") as running:
        yield running.address


@pytest.fixture(scope="module")
def large_shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with one record of a few megabytes."""
    folder = tmp_path_factory.mktemp("large")
    write_record(folder, "large", LARGE)
    return folder


class Line:
    """A wire between a client and a server; it counts what it carries back to the client.

    The first connection carries nothing more after a number of bytes, until it is cut.
    """

    def __init__(self, server: str, most: int | None = None) -> None:
        host, _, port = server.rpartition(":")
        self._server = (host, int(port))
        self._left = most
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.carried = 0
        self.full = threading.Event()
        self._start(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def cut(self) -> None:
        """Cut what is connected; later connections are accepted."""
        self._left = None
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cut what is connected, and take no more."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self.cut()
        for thread in self._threads:
            thread.join(PATIENCE)
        for each in (self._listening, *self._ends):
            each.close()

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(self._server)
                self._ends += [client, server]
                for carry in (self._forth, self._back):
                    self._start(carry, client, server)

    def _forth(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)

    def _back(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
                self.carried += len(data)
                if self._left is not None and self.carried > self._left:
                    self.full.set()
                    return
            client.shutdown(socket.SHUT_RDWR)


# Fetching ---------------------------------------------------------------------------------------


def test_all_records_are_fetched_and_verified(referee: str, tmp_path: Path) -> None:
    """Void matches too; the second time nothing is sent."""
    done = download(referee, tmp_path)
    assert done == (0, "3 records: 3 fetched, 0 there already, 0 failed\n", "")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        f"{match}.jsonl": data for match, data in RECORDS.items()
    }
    assert run("verify", tmp_path).output == "3 records: 3 correct, 0 wrong\n"
    done = download(referee, tmp_path)
    assert done == (0, "3 records: 0 fetched, 3 there already, 0 failed\n", "")


def test_records_is_the_default_folder(referee: str, tmp_path: Path) -> None:
    done = run("records", "download", "--server", referee, "m1", cwd=tmp_path)
    assert done.output == "1 record: 1 fetched, 0 there already, 0 failed\n"
    assert (tmp_path / "records" / "m1.jsonl").read_bytes() == RECORDS["m1"]


def test_named_matches_are_fetched_once_each(referee: str, tmp_path: Path) -> None:
    done = download(referee, tmp_path, "m2", "none", "m2", "../m1")
    assert done.exit_code == 1
    assert done.output == "3 records: 1 fetched, 0 there already, 2 failed\n"
    assert sorted(done.errors.splitlines()) == [
        '../m1: "../m1" cannot be the name of a file.',
        'none: the server refuses: there is no match "none", or its record is not released.',
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["m2.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--entrant", "bob"], {"m1.jsonl", "m3.jsonl"}),
        (["--entrant", "dan", "--game", "glastonbury"], {"m2.jsonl"}),
        (["--game", "kupferkessel"], set()),
    ],
)
def test_only_what_is_asked_for_is_fetched(
    referee: str, tmp_path: Path, arguments: list[str], names: set[str]
) -> None:
    assert download(referee, tmp_path, *arguments).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_damaged_file_is_replaced_and_that_is_said(referee: str, tmp_path: Path) -> None:
    (tmp_path / "m1.jsonl").write_bytes(RECORDS["m1"][:-1])
    done = download(referee, tmp_path)
    assert done.exit_code == 0
    assert "\n1 of them took the place of a file with other bytes\n" in done.output
    assert (tmp_path / "m1.jsonl").read_bytes() == RECORDS["m1"]


def test_a_unix_socket_serves_too(shelf: Path, referee: str, tmp_path: Path) -> None:
    assert referee
    done = download(f"unix:{shelf}/socket", tmp_path)
    assert done == (0, "3 records: 3 fetched, 0 there already, 0 failed\n", "")


def test_tls_is_spoken_with_whom_the_file_vouches_for(shelf: Path, tmp_path: Path) -> None:
    for name in ("right", "wrong"):
        certificate, key = self_signed(["127.0.0.1"], 1)
        (tmp_path / f"{name}.pem").write_bytes(certificate)
        (tmp_path / f"{name}.key").write_bytes(key)
    right, wrong = tmp_path / "right.pem", tmp_path / "wrong.pem"
    with serving(shelf, right, tmp_path / "right.key") as server:
        done = download(server.address, tmp_path / "out", "--tls-ca", right)
        assert done == (0, "3 records: 3 fetched, 0 there already, 0 failed\n", "")
        for arguments in (["--tls-ca", wrong], []):
            done = download(server.address, tmp_path / "no", *arguments)
            assert done.exit_code == 2
            assert "does it want TLS or not?\n" in done.errors
    assert list((tmp_path / "no").iterdir()) == []


# Interruptions ----------------------------------------------------------------------------------


@contextlib.contextmanager
def halfway(server: str, out: Path) -> Iterator[tuple[subprocess.Popen[str], Line]]:
    """Start a download whose connection stops carrying anything after a million bytes."""
    asked = [HIGHSTREET, "records", "download", "--server"]
    with Line(server, 10**6) as line:
        process = subprocess.Popen(
            [*asked, line.address, "--out", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert line.full.wait(PATIENCE)
            part = out / "large.jsonl.part"
            wait_until(lambda: part.exists() and part.stat().st_size >= 900_000)
            yield process, line
        finally:
            process.kill()
            process.communicate()


def rest_is_fetched(server: str, out: Path) -> None:
    """Check that what is there is a beginning, and that only the rest of it is sent."""
    part = out / "large.jsonl.part"
    begun = part.read_bytes()
    assert [path.name for path in out.iterdir()] == [part.name]
    assert LARGE.startswith(begun)
    assert len(begun) >= 900_000
    with Line(server) as line:
        done = download(line.address, out)
        assert done == (0, "1 record: 1 fetched, 0 there already, 0 failed\n", "")
        assert line.carried < len(LARGE) - len(begun) + 100_000
    assert [path.name for path in out.iterdir()] == ["large.jsonl"]
    assert (out / "large.jsonl").read_bytes() == LARGE


def test_a_cut_connection_is_taken_up_again(large_shelf: Path, tmp_path: Path) -> None:
    """The same command goes on by itself, and hardly anything is sent twice."""
    with serving(large_shelf) as server, halfway(server.address, tmp_path) as (process, line):
        line.cut()
        output, errors = process.communicate(timeout=PATIENCE)
        assert output == "1 record: 1 fetched, 0 there already, 0 failed\n"
        assert (process.returncode, errors) == (0, "")
        assert len(LARGE) < line.carried < len(LARGE) + 300_000
    assert [path.name for path in tmp_path.iterdir()] == ["large.jsonl"]
    assert (tmp_path / "large.jsonl").read_bytes() == LARGE


def test_ctrl_c_keeps_what_has_come(large_shelf: Path, tmp_path: Path) -> None:
    with serving(large_shelf) as server:
        with halfway(server.address, tmp_path) as (process, _):
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert (output, errors) == ("", "interrupted; the same command goes on from here.\n")
        rest_is_fetched(server.address, tmp_path)


def test_a_killed_download_goes_on_too(large_shelf: Path, tmp_path: Path) -> None:
    with serving(large_shelf) as server:
        with halfway(server.address, tmp_path) as (process, _):
            process.kill()
        rest_is_fetched(server.address, tmp_path)


@pytest.mark.slow
def test_a_server_that_dies_is_given_up_after_a_while(large_shelf: Path, tmp_path: Path) -> None:
    with serving(large_shelf) as server, halfway(server.address, tmp_path) as (process, line):
        began = time.monotonic()
        server.process.kill()
        line.close()
        output, errors = process.communicate(timeout=PATIENCE)
        assert time.monotonic() - began > 7, "it waited 7.75 seconds in all"
    assert process.returncode == 1
    assert output == "1 record: 0 fetched, 0 there already, 1 failed\n"
    assert errors.startswith(f"stopped: {line.address}: ")
    assert errors.endswith(" The same command goes on from here.\n")
    with serving(large_shelf) as server:
        rest_is_fetched(server.address, tmp_path)


def test_a_full_disk_is_said(large_shelf: Path, tmp_path: Path) -> None:
    """A limit for the size of files is as bad as a full disk."""
    with serving(large_shelf) as server:
        asked = ["records", "download", "--server", server.address, "--out", str(tmp_path)]
        done = subprocess.run(
            [*with_small_files(10**6), *asked], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert f"stopped: cannot write {tmp_path}: File too large." in done.stderr
        assert "Traceback" not in done.stderr
        rest_is_fetched(server.address, tmp_path)


# Usage ------------------------------------------------------------------------------------------


def test_nobody_there_is_exit_code_2(tmp_path: Path) -> None:
    with socket.socket() as held:  # it does not listen, and keeps the port from others
        held.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{held.getsockname()[1]}"
        for arguments in ([], ["m1"]):
            done = download(address, tmp_path, *arguments)
            assert done.exit_code == 2
            assert f"Error: {address}: " in done.errors
            assert "Is the address right, is a referee there" in done.errors


REFUSALS = {
    "no server": ([], "say which server: --server HOST:PORT"),
    "no port": (["--server", "localhost"], "write HOST:PORT, such as localhost:7000"),
    "a large port": (["--server", "localhost:70000"], '"localhost:70000" is no address'),
    "a URL": (["--server", "http://localhost:7000"], "is no address"),
    "no certificate": (
        ["--server", "localhost:1", "--tls-ca", __file__],
        "holds no certificate in PEM format.",
    ),
    "TLS on a socket": (["--server", "unix:x", "--tls-ca", __file__], "leave --tls-ca out."),
    "names and filters": (["--server", "localhost:1", "--game", "x", "m1"], "but not both."),
    "a file for a folder": (["--server", "localhost:1", "--out", "/dev/null/x"], "cannot make"),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_usage_is_exit_code_2(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("HIGHSTREET_SERVER", raising=False)
    done = CliRunner().invoke(main, ["records", "download", *arguments])
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing was begun"


def test_a_progress_bar_leaves_standard_output_alone(referee: str, tmp_path: Path) -> None:
    inner, outer = pty.openpty()
    asked = ["records", "download", "--server", referee, "--out", str(tmp_path)]
    with subprocess.Popen(
        [HIGHSTREET, *asked], stdout=subprocess.PIPE, stderr=outer, text=True
    ) as process:
        os.close(outer)
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that nobody writes any more
            while part := os.read(inner, 65536):
                shown += part
        output, _ = process.communicate()
    os.close(inner)
    assert output == "3 records: 3 fetched, 0 there already, 0 failed\n"
    assert b"records" in shown
    assert b"100%" in shown


def test_the_guide_does_what_it_says(referee: str, tmp_path: Path) -> None:
    """Its commands run one after the other against a referee, and then its program."""
    text = GUIDE.read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)\n```", text)
    assert len(commands) == 3
    for command in commands:
        program, *arguments = shlex.split(command.replace("referee.example:7000", referee))
        assert program == "highstreet"
        done = run(*arguments, cwd=tmp_path)
        assert (done.exit_code, done.errors) == (0, "")
    (program,) = re.findall(r"```python no-run\n(.*?)```", text, re.DOTALL)
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert re.search(r"^cid: \d+\.\d ms on average, \d+\.\d at most$", shown.stdout, re.MULTILINE)
