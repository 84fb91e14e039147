"""Write the reference of the protocol from the comments of the .proto files.

    python proto/document.py [FOLDER]

Without a folder the pages go to docs/reference. The test that notices stale pages gives a folder of
its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc_tools
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from grpc_tools import protoc

from engine import GAMES, Seat
from referee.devkit import RecordedDecision, Recording
from referee.match import Rejection
from referee.record import commitment, read_record
from referee.wire import stdio

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
EXAMPLE = ROOT / "tests" / "data" / "greedy" / "greedy-2-recipes-1.jsonl.zst"
FILES = ("play", *GAMES, "match", "league", "submission", "error")
MAKING = "<!-- Made by `make proto` from the comments of the .proto files: do not edit. -->"
_TYPES = {
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_STRING: "string",
    FieldDescriptorProto.TYPE_BYTES: "bytes",
    FieldDescriptorProto.TYPE_INT32: "int32",
    FieldDescriptorProto.TYPE_INT64: "int64",
    FieldDescriptorProto.TYPE_UINT32: "uint32",
    FieldDescriptorProto.TYPE_DOUBLE: "double",
}
# The numbers of fields in descriptor.proto, of which the paths of comments are made.
_MESSAGES, _ENUMS, _SERVICES = 4, 5, 6
_FIELDS, _NESTED, _NESTED_ENUMS, _ONEOFS = 2, 3, 4, 8
_VALUES, _METHODS = 2, 2

Place = tuple[int, ...]


class _File:
    """A .proto file with its comments."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self.file = file
        self._comments = {
            tuple(location.path): " ".join(location.leading_comments.split())
            for location in file.source_code_info.location
        }

    def comment(self, *place: int) -> str:
        """Return the comment at a place, on one line."""
        return self._comments.get(place, "")

    def lines(self) -> Iterator[str]:
        """Return everything in the file as lines of Markdown."""
        yield f"## {Path(self.file.name).name}"
        yield ""
        for i, service in enumerate(self.file.service):
            yield from (f"### {service.name}", "", self.comment(_SERVICES, i), "")
            for k, method in enumerate(service.method):
                asks = f"{'stream ' * method.client_streaming}{_short(method.input_type)}"
                says = f"{'stream ' * method.server_streaming}{_short(method.output_type)}"
                yield f"- `{method.name}({asks}) returns ({says})`: " + self.comment(
                    _SERVICES, i, _METHODS, k
                )
            yield ""
        for i, message in enumerate(self.file.message_type):
            yield from self._message(message, (_MESSAGES, i), "")
        for i, enum in enumerate(self.file.enum_type):
            yield from self._enum(enum, (_ENUMS, i), "")

    def _message(self, message: DescriptorProto, place: Place, outer: str) -> Iterator[str]:
        name = f"{outer}{message.name}"
        yield from (f"### {name}", "", self.comment(*place), "")
        if message.field:
            yield from ("| field | number | type | meaning |", "|---|---|---|---|")
            for k, field in enumerate(message.field):
                meaning = self.comment(*place, _FIELDS, k)
                choice = ""
                if field.HasField("oneof_index"):
                    choice = f" (one of `{message.oneof_decl[field.oneof_index].name}`)"
                kind = f"`{_kind(field)}`{choice}"
                yield f"| `{field.name}` | {field.number} | {kind} | {meaning} |"
            yield ""
        for k, nested in enumerate(message.nested_type):
            yield from self._message(nested, (*place, _NESTED, k), f"{name}.")
        for k, enum in enumerate(message.enum_type):
            yield from self._enum(enum, (*place, _NESTED_ENUMS, k), f"{name}.")

    def _enum(self, enum: EnumDescriptorProto, place: Place, outer: str) -> Iterator[str]:
        yield from (f"### {outer}{enum.name}", "", self.comment(*place), "")
        yield from ("| value | number | meaning |", "|---|---|---|")
        for k, value in enumerate(enum.value):
            yield f"| `{value.name}` | {value.number} | {self.comment(*place, _VALUES, k)} |"
        yield ""


def _short(name: str) -> str:
    return name.removeprefix(".highstreet.v1.").removeprefix(".")


def _kind(field: FieldDescriptorProto) -> str:
    kind = _short(field.type_name) or _TYPES[field.type]
    return f"repeated {kind}" if field.label == FieldDescriptorProto.LABEL_REPEATED else kind


def _files() -> list[_File]:
    """Compile the .proto files with their comments."""
    names = [f"highstreet/v1/{name}.proto" for name in FILES]
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        code = protoc.main(
            [
                "protoc",
                f"--proto_path={PROTO}",
                f"--proto_path={well_known}",
                "--include_source_info",
                f"--descriptor_set_out={out}",
                *names,
            ]
        )
        if code:
            raise SystemExit(code)
        found = {file.name: file for file in FileDescriptorSet.FromString(out.read_bytes()).file}
    return [_File(found[name]) for name in names]


def protocol_page() -> str:
    """Return the reference of the protocol."""
    lines = [MAKING, "", *_PROTOCOL.splitlines(), ""]
    for file in _files():
        lines += file.lines()
    return "\n".join(lines).rstrip() + "\n"


def stdio_page() -> str:
    """Return the reference of the stdio protocol, with a real transcript."""
    return "\n".join([MAKING, "", *_STDIO.splitlines(), "", "```", *_transcript(), "```", ""])


_PROTOCOL = """\
# The protocol

Every service, message and field, in the words of the `.proto` files. How a conversation goes, with
a real one, is in [proto/README.md](../../proto/README.md); the same messages as lines of JSON are
in [stdio.md](stdio.md).
"""

_STDIO = """\
# The protocol over standard input and output

A bot that the referee starts itself may read lines and write lines: no library, no port, no `join`.
`highstreet bridge` lets such a bot play on a remote referee too.

1. Each line is one message as JSON and ends with a line feed. What the referee writes is a
   `PlayResponse`, what the bot writes is a `PlayRequest` of [protocol.md](protocol.md).
2. The form is protobuf's canonical JSON mapping with the original field names. Enums are names,
   durations are text such as `"2.050s"`, all numbers are plain numbers. Fields with default values
   are always printed: seat 0 does not vanish.
3. The bot answers each `decision` with one `submit_move` that repeats `match` and `decision_id`;
   `move` is one of `legal_moves` as it stands. Write the line and flush.
4. `move_rejected` means: answer the same decision again, its clock goes on.
5. After `goodbye`, or at the end of the input, the bot ends.
6. A line has at most 4,096 bytes. Anything that is not a `PlayRequest` counts as malformed; empty
   lines, `leave` and answers to other decisions are ignored. But every line counts: of 64 for one
   decision, and of 16 for those that are ignored; one more is malformed. After two such lines in a
   row nothing is read for 10 ms. Print what you think on standard error.
7. Between `match_ended` and the next `match_started` there is nothing to say.
8. `{"leave": {}}` asks for no more matches; the bot goes on with those under way. Behind
   `highstreet bridge` the remote referee then says `goodbye` when they are over. A referee that has
   started the bot itself ignores it.

## A real conversation

The lines that a seat gets (`referee`) and a bot's answers (`bot`), from a recorded match; lists are
shortened at `…`. The first answer is there to show a rejection.
"""


def _transcript() -> Iterator[str]:
    recording = Recording.read(read_record(EXAMPLE))
    seat = Seat(0)
    questions = recording.questions(seat)
    plan, first = recording.plan, questions[0].question
    yield _said(stdio.started_line(plan, seat, commitment(plan.seed, plan.salt)))
    yield _said(stdio.decision_line(first))
    yield _bot(plan.match, first.decision, {"glastonbury": {"take": 0}})
    game = plan.game
    state = recording.replay.positions[first.decision - 1].state
    violation = game.check(state, seat, game.parse_move("take a1"))
    assert violation is not None  # noqa: S101  no card lies in a corner
    yield _said(stdio.rejected_line(Rejection(first, violation, violation.message, 2, 3)))
    for asked in questions[:2]:
        if asked is not questions[0]:
            yield _said(stdio.decision_line(asked.question))
        yield _answered(asked)
    yield "…"
    yield _said(stdio.ended_line(recording.result(seat)))
    yield _said(stdio.goodbye_line("there is nothing more to play"))


def _answered(asked: RecordedDecision) -> str:
    """Return the recorded answer as a bot writes it: one of the legal moves as it stands."""
    question = asked.question
    write = question.plan.game.format_move
    number = [write(move) for move in question.legal].index(asked.played.move)
    line = json.loads(stdio.decision_line(question))
    return _bot(question.plan.match, question.decision, line["decision"]["legal_moves"][number])


def _bot(match: str, decision: int, move: object) -> str:
    answer = {"match": match, "decision_id": decision, "move": move}
    return f"bot     {json.dumps({'submit_move': answer})}"


def _said(line: bytes) -> str:
    return f"referee {_spaced(line)}"


def _spaced(line: bytes) -> str:
    return json.dumps(_shortened(json.loads(line)), ensure_ascii=False)


def _shortened(value: object) -> object:
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [*map(_shortened, value[:4]), *(["…"] if len(value) > 4 else [])]
    return value


def main(arguments: Sequence[str]) -> None:
    """Write both pages."""
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "reference"
    (folder / "protocol.md").write_text(protocol_page(), encoding="utf-8")
    (folder / "stdio.md").write_text(stdio_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
