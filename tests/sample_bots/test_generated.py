"""The generated code that `highstreet new-bot go` ships is that of the protocol as it is now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from highstreet.v1 import festo_pb2, gargon_pb2, glastonbury_pb2, kupferkessel_pb2, play_pb2

GENERATED = Path(__file__).parents[2] / "sample_bots" / "go" / "gen" / "highstreetv1"
FILES = {
    "play": play_pb2,
    "glastonbury": glastonbury_pb2,
    "kupferkessel": kupferkessel_pb2,
    "gargon": gargon_pb2,
    "festo": festo_pb2,
}
LETTERS = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))


def unquoted(literal: bytes) -> bytes:
    """Return the bytes of an interpreted string literal of Go."""

    def escaped(found: re.Match[bytes]) -> bytes:
        word = found[1]
        if word[:1] == b"x":
            return bytes.fromhex(word[1:].decode())
        if word[:1] == b"u":
            return chr(int(word[1:], 16)).encode()
        return bytes([LETTERS.get(word[0], word[0])])

    return re.sub(rb"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", escaped, literal)


def embedded(name: str) -> FileDescriptorProto:
    """Return the descriptor that is a string in the generated code."""
    text = (GENERATED / f"{name}.pb.go").read_bytes()
    found = re.search(rb'_rawDesc = "" \+\n((?:\t".*"(?: \+)?\n)+)', text)
    assert found
    literals = re.findall(rb'^\t"(.*)"(?: \+)?$', found[1], re.MULTILINE)
    return plain(FileDescriptorProto.FromString(b"".join(map(unquoted, literals))))


def plain(file: FileDescriptorProto) -> FileDescriptorProto:
    """Remove what one compiler writes and another leaves out."""
    messages: list[DescriptorProto] = list(file.message_type)
    while messages:
        message = messages.pop()
        messages += message.nested_type
        for field in message.field:
            field.ClearField("json_name")
    return file


@pytest.mark.parametrize("name", FILES)
def test_the_generated_go_is_that_of_the_protocol(name: str) -> None:
    """If it is not: go generate ./... in sample_bots/go."""
    expected = FileDescriptorProto()
    FILES[name].DESCRIPTOR.CopyToProto(expected)
    assert embedded(name) == plain(expected)
