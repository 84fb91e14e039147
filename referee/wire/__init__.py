"""The border to the wire: values of the engine and the table as messages, and back."""

from referee.wire.codec import Codec, WireError, find_codec

__all__ = ["Codec", "WireError", "find_codec"]
