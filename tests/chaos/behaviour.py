"""What a misbehaving server is: one description per behaviour, from which every style's server is made.

A behaviour is a function of a ``Body`` (the frames of a good answer in one style) that returns a ``Plan``: the scripts
that the server follows, the frames that reach the client whole, and how it must end. Modules of this folder declare
theirs with ``@behaviour``, whose argument names the source: rows of wire.md (F, N, C …), of reliability.md (B, V), or
an RFC. ``test_chaos`` runs them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypeAlias

from support.answers import STYLES, Answer, Call, Frame, frames, media_type
from support.fake_server import Exchange, Script, stream

ANSWER: Final = Answer(
    ("It ", "rains ", "in \u201cTromsø\u201d", ",\u2028今日は", " and 🌧 ", "there."),
    Call("call_1", "weather", ('{"city":', '"Trom', "sø, No", 'rway\u2028",', '"days":', "12", "}")),
)
SSE_STYLES: Final = tuple(style for style in STYLES if style != "ollama")

EVERYTHING_WRONG: Final = frozenset({"network", "timeout", "server", "invalid_request"})


@dataclass(frozen=True, slots=True)
class Body:
    """A good answer in one style, to be mistreated."""

    style: str
    frames: list[Frame]

    @property
    def data(self) -> bytes:
        """All of it."""
        return joined(self.frames)

    @property
    def content_type(self) -> str:
        """What a good server says it is."""
        return media_type(self.style)

    @property
    def keep_alive(self) -> bytes:
        """What proves that the socket is alive, and nothing else."""
        return b"\n" if self.style == "ollama" else b": ping\n\n"

    def place(self, role: str, number: int = 1) -> int:
        """How many frames there are up to the ``number``-th of a role, it included."""
        places = [at for at, frame in enumerate(self.frames, 1) if frame.role == role]
        return places[min(number, len(places)) - 1]

    def through(self, role: str, number: int = 1) -> list[Frame]:
        """These frames."""
        return self.frames[: self.place(role, number)]

    def before(self, role: str, number: int = 1) -> list[Frame]:
        """The frames in front of one."""
        return self.frames[: self.place(role, number) - 1]

    def frame(self, role: str, number: int = 1) -> Frame:
        """One frame."""
        return self.frames[self.place(role, number) - 1]

    def stream(
        self, *pieces: bytes | Script, status: int = 200, headers: Mapping[str, str] | None = None, end: bool = True
    ) -> Script:
        """A chunk per piece, under the right content type."""
        return stream(*pieces, status=status, headers={"Content-Type": self.content_type, **(headers or {})}, end=end)

    def head(self, *fields: str, status: str = "200 OK", version: str = "1.1") -> bytes:
        """A raw head."""
        lines = (f"HTTP/{version} {status}", f"Content-Type: {self.content_type}", *fields)
        return "\r\n".join((*lines, "\r\n")).encode()


def body(style: str) -> Body:
    """The good answer in a style."""
    return Body(style, frames(style, ANSWER))


def joined(frames: Sequence[Frame]) -> bytes:
    """Their bytes."""
    return b"".join(frame.data for frame in frames)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one server does, and what must come of it."""

    arrives: Sequence[Frame]
    """The frames that reach the client whole: their text must be kept."""
    kinds: frozenset[str]
    """The kinds of error it may end with; empty: the answer must be complete."""
    scripts: tuple[Script, ...] = ()
    _: KW_ONLY
    at: Callable[[], AbstractContextManager[str]] | None = None
    """Opens a server of its own instead, and gives its address."""
    requests: int | None = 1
    """How often the client must ask; None when that is not counted."""
    silent: bool = False
    """It stays silent, or says nothing that matters, until the client gives up: the limits are short then."""
    decoys: Sequence[list[object]] = field(default_factory=list)
    """What other servers received: nothing."""


Describe: TypeAlias = Callable[[Body], Plan]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One way to misbehave."""

    name: str
    kind: str
    source: str
    plan: Describe
    styles: Sequence[str]


BEHAVIOURS: Final[list[Behaviour]] = []


def behaviour(source: str, *, styles: Sequence[str] = STYLES) -> Callable[[Describe], Describe]:
    """Decorator: add a behaviour under its own name, of the kind that its module is named after."""

    def add(describe: Describe) -> Describe:
        register(describe.__name__, describe.__module__, source, describe, styles=styles)
        return describe

    return add


def register(name: str, module: str, source: str, plan: Describe, *, styles: Sequence[str] = STYLES) -> None:
    """Add one of several that a loop makes."""
    kind = module.rpartition(".")[2]
    BEHAVIOURS.append(Behaviour(name.replace("_", " "), kind.replace("_", " "), source, plan, styles))


# Plans


def complete(body: Body, *scripts: Script, requests: int = 1, arrives: Sequence[Frame] | None = None) -> Plan:
    """The answer is whole in spite of everything; ``arrives`` where frames behind the finish are missing."""
    return Plan(body.frames if arrives is None else arrives, frozenset(), scripts, requests=requests)


def broken(arrives: Sequence[Frame], *scripts: Script, kinds: Sequence[str] = ("network",), requests: int = 1) -> Plan:
    """It breaks behind these frames."""
    return Plan(arrives, frozenset(kinds), scripts, requests=requests)


def silent(arrives: Sequence[Frame], script: Script) -> Plan:
    """Nothing that matters follows these frames."""
    return Plan(arrives, frozenset({"timeout"}), (script,), silent=True)


# Pieces of scripts


def sends(*data: bytes) -> Script:
    """Raw bytes, then the connection is closed."""

    def script(exchange: Exchange) -> None:
        for piece in data:
            exchange.send(piece)

    return script


def then(*scripts: Script) -> Script:
    """One after another."""

    def script(exchange: Exchange) -> None:
        for each in scripts:
            each(exchange)

    return script


def chunked(data: bytes) -> bytes:
    """A chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def byte_by_byte(data: bytes) -> list[bytes]:
    """Pieces of one byte."""
    return [data[at : at + 1] for at in range(len(data))]
