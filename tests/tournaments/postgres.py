"""A PostgreSQL server of our own, in a temporary folder, for as long as the tests run."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

REQUIRED: Final = os.environ.get("HIGHSTREET_POSTGRES") == "required"
"""Whether it is a failure that there is no PostgreSQL here."""
PATIENCE: Final = 120.0
_UNPRIVILEGED: Final = ("postgres", "nobody")


def find_programs() -> Path | None:
    """Return the folder with initdb and postgres, the newest one if there are several."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    debian = Path("/usr/lib/postgresql")
    folders += sorted(debian.glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def _user() -> str | None:
    """Return as whom the server runs: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


class PostgresServer:
    """A server that listens on a socket in its own folder only."""

    def __init__(self, programs: Path) -> None:
        """Make a cluster and start it; raises if it does not come up."""
        user = _user()
        # A short path: the name of a socket has 107 bytes at most.
        self._folder = Path(tempfile.mkdtemp(prefix="highstreet-pg-", dir="/tmp"))
        if user is not None:
            shutil.chown(self._folder, user)
        self._programs, self._user = programs, user
        try:
            subprocess.run(
                [
                    programs / "initdb",
                    f"--pgdata={self._folder / 'data'}",
                    "--username=postgres",
                    "--auth=trust",
                    "--encoding=UTF8",
                    "--locale=C",
                    "--no-sync",
                ],
                cwd=self._folder,
                user=user,
                check=True,
                capture_output=True,
            )
            self._numbers = count(1)
            self._admin = sa.create_engine(
                self.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool
            )
            self.start()
        except BaseException:
            shutil.rmtree(self._folder)
            raise

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = self._folder / "log"
        settings = ["fsync=off", "listen_addresses=", f"unix_socket_directories={self._folder}"]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    self._programs / "postgres",
                    "-D",
                    self._folder / "data",
                    *(word for setting in settings for word in ("-c", setting)),
                ],
                cwd=self._folder,
                user=self._user,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        try:
            self._wait(log)
        except BaseException:
            self.rest()
            raise

    def _wait(self, log: Path) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except sa.exc.OperationalError:
                if self._process.poll() is not None or time.monotonic() > give_up:
                    raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from None
                time.sleep(0.05)
            else:
                return

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql+psycopg://postgres@/{database}?host={self._folder}"

    def execute(self, statement: str) -> None:
        """Do something as the administrator."""
        with self._admin.connect() as connection:
            connection.exec_driver_sql(statement)

    def new_database(self) -> str:
        """Make an empty database; return its address."""
        name = f"test{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database, also if programs are connected to it."""
        self.execute(f"DROP DATABASE {sa.make_url(url).database} WITH (FORCE)")

    def rest(self) -> None:
        """Stop it as for an update: everybody is cut off, and ``start`` brings it back."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Stop it and remove everything."""
        self.rest()
        shutil.rmtree(self._folder)


@contextlib.contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a server for a while; skip the test where there is none, unless it must be."""
    programs = find_programs()
    if programs is None:
        if REQUIRED:
            pytest.fail("PostgreSQL is required here, but there is no initdb and no postgres.")
        pytest.skip("no PostgreSQL here: install Debian's package postgresql to test on it")
    server = PostgresServer(programs)
    try:
        yield server
    finally:
        server.stop()
