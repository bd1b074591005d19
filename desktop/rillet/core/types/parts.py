"""What a message is made of: text, reasoning, images, files, tool calls and their results.

Pure values without identity: no provider, no I/O. Below: ``messages`` puts parts in order. Each part carries
``provider_metadata`` (signatures, encrypted items, vendor extras) exactly as received, because several providers refuse
a conversation whose parts come back without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from rillet.core.types.expect import expect

Metadata: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


class _once(Generic[T]):
    """A property that is computed once. (That of functools takes a lock before Python 3.12, dearer than the work.)"""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        value = instance.__dict__[self._compute.__name__] = self._compute(instance)
        return value


class TextPart(msgspec.Struct, frozen=True):
    """Visible text, Markdown as written."""

    text: str
    provider_metadata: Metadata | None = None


class ReasoningPart(msgspec.Struct, frozen=True):
    """What the model thought before it answered. Empty ``text`` with metadata is legal: encrypted reasoning."""

    text: str
    provider_metadata: Metadata | None = None


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image, by its bytes (the content of the file, not its path) or by its address (``url``): one of the two."""

    data: bytes | None = field(default=None, repr=False)
    _: KW_ONLY
    media_type: str = "image/png"
    url: str | None = None
    provider_metadata: Metadata | None = None

    def __post_init__(self) -> None:
        if self.data is not None:
            expect(self.data, bytes, "the data of an image", "read the file, or give an address as url=…")


@dataclass(frozen=True, slots=True)
class FilePart:
    """Any other file: PDF, text, audio. ``media_type`` decides how a provider is given it.

    A document may carry what it says as ``text``: that is sent where the provider does not take the file itself, or
    where ``as_text`` says so.
    """

    data: bytes = field(repr=False)
    _: KW_ONLY
    media_type: str
    name: str | None = None
    text: str | None = field(default=None, repr=False)
    as_text: bool = False
    provider_metadata: Metadata | None = None


class ToolCallPart(msgspec.Struct, frozen=True, dict=True):
    """The model asks for a tool. ``arguments`` is JSON text as sent, which may be broken: see ``parsed``."""

    id: str
    name: str
    arguments: str
    provider_metadata: Metadata | None = None
    cut: bool = False
    """The answer broke off before any arguments came: not the same as a call that has none."""

    @_once
    def parsed(self) -> dict[str, Any] | None:
        """The arguments as an object, or None when they are not one: such a call must never run."""
        return None if self.cut else parse_arguments(self.arguments)

    @_once
    def object_text(self) -> str:
        """The arguments as the text of an object: as sent if they are one, else one that says as much.

        Arguments that are no object become an empty one, because servers parse them (llama.cpp, vLLM); the result of
        such a call says what was wrong with it.
        """
        if self.parsed is not None and self.arguments.lstrip().startswith("{"):
            return self.arguments
        return msgspec.json.encode(self.parsed or {}).decode()


class ToolResultPart(msgspec.Struct, frozen=True):
    """The answer of a tool to the call ``call_id``."""

    call_id: str
    output: str
    is_error: bool = False
    images: tuple[ImagePart, ...] = ()
    provider_metadata: Metadata | None = None


class OpaquePart(msgspec.Struct, frozen=True):
    """A block that only its provider understands, kept to be sent back. ``style`` names the wire it came from."""

    style: str
    data: Metadata
    provider_metadata: Metadata | None = None


Part: TypeAlias = TextPart | ReasoningPart | ImagePart | FilePart | ToolCallPart | ToolResultPart | OpaquePart


def parse_arguments(arguments: str) -> dict[str, Any] | None:
    """Read tool arguments: nothing at all is ``{}``, JSON inside a JSON string is unwrapped once, all else is None.

    Some servers encode the object twice (vllm-project/vllm#54964). Text that a repair parser could close is None too:
    it was cut, and a call with guessed arguments must not run.
    """
    if not arguments.strip():
        return {}
    try:
        value = msgspec.json.decode(arguments)
        if isinstance(value, str):
            value = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
