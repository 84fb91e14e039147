"""Whatever the bytes of a record are: every program that reads it says what is wrong.

The mutations are seeded, so a failure can be repeated by its number.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
import zstandard
from click.testing import CliRunner

from engine.errors import HighstreetError
from engine.game import Seat
from referee.devkit.rerun import Recording
from referee.record.reader import decompressed, read_record
from referee.record.verify import replay_record, verify_record, verify_whole
from referee.record.writer import write_record
from tests.referee.record.chaos import chaotic_record
from tests.tournaments.record_files import record
from tournaments.cli import main
from tournaments.export.rows import rows_of
from tournaments.replay.document import replay_document
from tournaments.verification.checks import result_of

SOURCES = [
    record(
        "m1", "ann", "bob", tournament={"name": "t", "match": "m1", "set": "s", "variant": "plain"}
    ),
    *(chaotic_record(number) for number in range(0, 60, 5)),
]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 7, 10**9, 2**31, 2**53, 2**63, 2**64 - 1, -(2**63)),
    *(0.5, -0.0, 1e-320, 1e300, 1.7e308, 12050.001),
    *("", "x", "stopped", "crash", "reject", "\r", "\u2028", "\x1b[2J", "x" * 5000, "٣", "0" * 64),
    *([], {}, [[]], [{}], {"a": {"b": [1]}}, [None], list(range(500))),
]
BLANKS = [b"\r", b"\t", b" ", b"\r\r ", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xa0", b"\n"]
NUMBERS = [b"1e308", b"1e400", b"-1e308", b"1E5", b"0.1e-400", b"NaN", b"9" * 400, b"-0", b"00"]


def hashed(bodies: list[bytes]) -> bytes:
    """Write lines, which are given without hashes, as docs/reference/record-format.md says."""
    written, before = [], b""
    for number, body in enumerate(bodies, 1):
        digits = 64 if number == len(bodies) else 16
        before = hashlib.sha256(before + body).hexdigest()[:digits].encode()
        written.append(b'%b,"hash":"%b"}\n' % (body[:-1], before))
    return b"".join(written)


def bodies_of(data: bytes) -> list[bytes]:
    return [re.sub(rb',"hash":"[0-9a-f]*"}$', b"}", line) for line in data.split(b"\n")[:-1]]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return every container with every key or index, however deep."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def other_values(data: bytes, chance: Random) -> bytes:
    """Put odd values in one or two places, or take them away."""
    lines = [orjson.loads(body) for body in bodies_of(data)]
    for _ in range(chance.randrange(1, 3)):
        line = chance.choice([lines[0], lines[1], lines[-1], chance.choice(lines)])
        found = [place for place in places(line) if place[1] != "kind"] or [(line, "kind")]
        holder, key = chance.choice(found)
        if chance.random() < 0.1:
            del holder[key]
        else:
            holder[key] = chance.choice(ODD)
    return hashed([orjson.dumps(line) for line in lines])


def other_white_space(data: bytes, chance: Random) -> bytes:
    """Put white space, real or not, between the parts of a line."""
    bodies = bodies_of(data)
    at = chance.randrange(len(bodies))
    where = [found.end() for found in re.finditer(rb"[,:\[{]", bodies[at])]
    cut = chance.choice(where)
    bodies[at] = bodies[at][:cut] + chance.choice(BLANKS) + bodies[at][cut:]
    return hashed(bodies)


def other_numbers(data: bytes, chance: Random) -> bytes:
    """Write a number as JSON or something like it can."""
    bodies = bodies_of(data)
    at = chance.choice([0, 2, len(bodies) - 1, chance.randrange(len(bodies))])
    found = list(re.finditer(rb"(?<=[:,\[])-?[0-9.]+(?=[,\]}])", bodies[at]))
    if found:
        one = chance.choice(found)
        number = chance.choice(NUMBERS)
        bodies[at] = bodies[at][: one.start()] + number + bodies[at][one.end() :]
    return hashed(bodies)


def other_bytes(data: bytes, chance: Random) -> bytes:
    """Change bytes anywhere; the hashes are right again."""
    bodies = bodies_of(data)
    at = chance.choice([0, len(bodies) - 1, chance.randrange(len(bodies))])
    body = bytearray(bodies[at])
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(body))
        body[start : start + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
    bodies[at] = bytes(body)
    return hashed(bodies)


def other_lines(data: bytes, chance: Random) -> bytes:
    """Drop, double or swap lines."""
    bodies = bodies_of(data)
    one, two = chance.randrange(len(bodies)), chance.randrange(len(bodies))
    bodies[one], bodies[two] = bodies[two], bodies[one]
    del bodies[chance.randrange(len(bodies))]
    return hashed(bodies)


def broken(data: bytes, chance: Random) -> bytes:
    """Change bytes, and leave the hashes as they are."""
    changed = bytearray(data)
    start = chance.randrange(len(changed))
    changed[start : start + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
    return bytes(changed)


MUTATIONS: list[Callable[[bytes, Random], bytes]] = [
    other_values,
    other_values,
    other_white_space,
    other_numbers,
    other_bytes,
    other_lines,
    broken,
]


def examine(compressed: bytes) -> object:
    """Do what ``tournament verify`` does with a record of its store."""
    return result_of(verify_whole(decompressed(compressed)))


READERS: dict[str, Callable[[bytes], object]] = {
    "verify": verify_record,
    "replay": replay_record,
    "the page of a replay": replay_document,
    "export": lambda data: rows_of(data, "m1.jsonl"),
    "tournament verify": lambda data: examine(zstandard.ZstdCompressor().compress(data)),
    "feed": lambda data: Recording.read(data).result(Seat(0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_no_mutation_ends_in_a_traceback(reader: Callable[[bytes], object]) -> None:
    for number in range(400):
        chance = Random(number)  # noqa: S311  no secret
        data = chance.choice(MUTATIONS)(chance.choice(SOURCES), chance)
        said = ""
        try:
            reader(data)
        except HighstreetError as error:
            said = str(error)
        except Exception as error:
            raise AssertionError(f"mutation {number}: {error!r}") from error
        assert said.isprintable()


def test_no_mutation_of_a_compressed_record_ends_in_a_traceback() -> None:
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(SOURCES[0])
    for number in range(500):
        chance = Random(number)  # noqa: S311  as above
        changed = bytearray(packed)
        for _ in range(chance.randrange(1, 4)):
            changed[chance.choice([chance.randrange(20), chance.randrange(len(changed))])] ^= (
                1 << chance.randrange(8)
            )
        for reader in (decompressed, examine):
            try:
                reader(bytes(changed))
            except HighstreetError:
                continue


@pytest.mark.parametrize("command", ["verify", "replay", "export"])
def test_commands_say_what_is_wrong(command: str, tmp_path: Path) -> None:
    """The commands as a person runs them, with the two records that ended in a traceback once."""
    data = SOURCES[0]
    bodies = bodies_of(data)
    late = re.sub(rb'"ms":[0-9.]+', b'"ms":1e308', bodies[2])
    bodies_with_return = [bodies[0].replace(b",", b",\r", 1), *bodies[1:]]
    for number, forged in enumerate([[*bodies[:2], late, *bodies[3:]], bodies_with_return]):
        path = write_record(tmp_path, f"m{number}", hashed(forged))
        assert read_record(path) == hashed(forged)
        arguments = {
            "verify": ["verify", str(path)],
            "replay": ["replay", str(path)],
            "export": ["records", "export", str(tmp_path), "--csv", "--verify"],
        }[command]
        done = CliRunner().invoke(main, arguments)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        if number == 0:
            assert done.exit_code in (1, 2)
            assert "no decision takes more than" in done.output
