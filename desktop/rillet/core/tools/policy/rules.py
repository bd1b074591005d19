"""What a rule says, and which calls it is about.

Values, to be listed and kept: structs, for the types of those are checked when they are read from a file. Above:
``calls``, ``programs``. Below: ``grants`` keeps rules, ``policy`` applies them. Each kind answers two questions.
``covers`` is for rules that allow, and strict: a call that is not understood is not covered. ``touches`` is for rules
that deny, and loose: a call that could be meant is.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from rillet.core.tools.policy.command import mentioned
from rillet.core.tools.policy.places import PlacePattern, ascii_host, is_in_repository, is_secret, place
from rillet.core.tools.policy.programs import known, subcommands
from rillet.core.tools.tool import Effect, Source
from rillet.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.tools.policy.calls import Call

Access: TypeAlias = Literal["read", "write"]
_SHOWN = 200
_PORT = re.compile(r"(?P<wild>\*\.)?(?P<host>[^:*]+)(?::(?P<port>[0-9]{1,5}))?")
_DEFAULT_PORTS = (80, 443)
_WORD_END = re.compile(r"""[\s;&|<>()"'`=:,]+""")


class ToolRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tool"):
    """Every call of one tool. Of a stranger's tool only as long as it describes itself as it did (``definition``)."""

    tool: str
    source: Source
    definition: str = ""

    def covers(self, call: Call) -> bool:
        """Whether ``call`` is surely meant."""
        return (call.tool, call.source, call.definition) == (self.tool, self.source, self.definition)

    def touches(self, call: Call) -> bool:
        """Whether ``call`` may be meant."""
        return call.tool.casefold() == self.tool.casefold()

    def __str__(self) -> str:
        return f"any call of {self.tool}"


class CallRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="call"):
    """One call of one tool with exactly these arguments; ``shown`` is their beginning, for people."""

    tool: str
    digest: str
    shown: str

    @classmethod
    def of(cls, call: Call) -> CallRule:
        """The rule that means ``call`` and nothing else."""
        text = call.command if call.command is not None else call.essence
        shown = visible(text[:_SHOWN]).replace("\n", " ")
        return cls(call.tool, call.digest, shown if len(text) <= _SHOWN else f"{shown}…")

    def covers(self, call: Call) -> bool:
        """Whether ``call`` is surely meant."""
        return call.digest == self.digest

    touches = covers

    def __str__(self) -> str:
        return f"exactly {self.tool}: {self.shown}"


class CommandRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="command"):
    """One plain command that begins with ``words``: a program and, where it has them, its subcommand.

    What may follow them is what ``programs`` knows to be harmless; behind others nothing may.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words or not self.words[0]:
            raise ValueError("a rule for commands names a program")

    @property
    def lacks(self) -> tuple[str, ...]:
        """The subcommands of which one has to be named before the rule can allow anything but its own words."""
        return subcommands(self.words) if known(self.words) is None else ()

    def covers(self, call: Call) -> bool:
        """Whether ``call`` is surely meant."""
        words = call.words
        if words is None or not _runs_here(call, words[0]) or words[: len(self.words)] != self.words:
            return False
        if words == self.words:
            return True
        found = known(self.words)
        files = found[1].files(words[found[0] :]) if found is not None else None
        return files is not None and all(_may_be_named(call, file) for file in (".", *files))

    def touches(self, call: Call) -> bool:
        """Whether ``call`` may be meant."""
        texts = call.texts if call.command is None else (call.command,)
        return any(mentioned(text, self.words) for text in texts)

    def __str__(self) -> str:
        return f"the command {' '.join(self.words)}"


class PathRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="path"):
    """Reading or writing files whose place in the workspace matches ``pattern`` (see ``places.PlacePattern``)."""

    access: Access
    pattern: str

    def __post_init__(self) -> None:
        PlacePattern(self.pattern)

    def covers(self, call: Call) -> bool:
        """Whether ``call`` is surely meant."""
        wanted = {Effect.READ} if self.access == "read" else {Effect.READ, Effect.WRITE}
        if not call.places or not call.effects <= wanted or (self.access == "write") != (Effect.WRITE in call.effects):
            return False
        pattern = PlacePattern(self.pattern)
        return all(pattern.matches(at) and self._names(at) for at in call.places)

    def touches(self, call: Call) -> bool:
        """Whether ``call`` may be meant. Who may not read a file may not write it either."""
        if self.access == "write" and call.effects <= {Effect.READ}:
            return False
        return any(map(PlacePattern(self.pattern, loose=True).matches, _named(call)))

    def _names(self, at: str) -> bool:
        """Whether the pattern speaks of ``at`` by name, if it is a secret."""
        return not is_secret(at) or not set("*?") & set(self.pattern)

    def __str__(self) -> str:
        return f"{self.access} {self.pattern}"


class HostRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="host"):
    """Fetching from one host (``example.com``), or from those below it (``*.example.com``).

    The port is the usual one of http and https, or that which is named (``example.com:8443``). Where that host sends on
    to is not judged here, but by who fetches.
    """

    host: str

    def __post_init__(self) -> None:
        self._parsed()

    def covers(self, call: Call) -> bool:
        """Whether ``call`` is surely meant."""
        if call.host is None or not call.effects <= {Effect.READ, Effect.NETWORK}:
            return False
        wild, name, ports = self._parsed()
        host, port = call.host
        return (host.endswith("." + name) if wild else host == name) and port in ports

    def touches(self, call: Call) -> bool:
        """Whether ``call`` may be meant: a host below counts, whatever the port, and any text that names it."""
        name = self._parsed()[1]
        if call.host is not None:
            return call.host[0] == name or call.host[0].endswith("." + name)
        texts = (call.address, call.command, *call.texts)
        return any(name in text.casefold() for text in texts if text is not None)

    def _parsed(self) -> tuple[bool, str, tuple[int, ...]]:
        found = _PORT.fullmatch(self.host)
        name = ascii_host(found["host"]) if found is not None else None
        if found is None or name is None:
            raise ValueError(f"{self.host!r} is no host: write example.com, *.example.com or example.com:8443")
        return found["wild"] is not None, name, (int(found["port"]),) if found["port"] else _DEFAULT_PORTS

    def __str__(self) -> str:
        return f"fetch from {self.host}"


Rule: TypeAlias = ToolRule | CallRule | CommandRule | PathRule | HostRule


def _runs_here(call: Call, program: str) -> bool:
    """Whether a command runs in the workspace, with nothing unknown about it."""
    if call.workspace is None or call.base is None or not call.is_understood:
        return False
    root = call.workspace.root
    return program != "git" or not is_in_repository(root / call.base, root)


def _may_be_named(call: Call, word: str) -> bool:
    """Whether an argument of a plain command can only be a file of the workspace that is no secret, if it is a file."""
    if call.workspace is None or call.base is None or word.startswith("@"):
        return False  # (to many programs @file is a list of arguments)
    at = place(call.workspace, word, call.base)
    return at is not None and not is_secret(at) and not _holds_home(call.workspace.root / at)


def _holds_home(folder: Path) -> bool:
    """Whether the home folder is in there: who searches it comes across keys without naming them."""
    return Path.home().resolve().is_relative_to(folder)


def _named(call: Call) -> Iterator[str]:
    """Every place that a call could name: where its paths and texts lead, those as written, and words of a command."""
    yield from call.places or ()
    texts = [text.removeprefix("file://") for text in call.texts]
    if call.workspace is not None:
        yield from filter(None, (place(call.workspace, text) for text in texts))
    words = [*(call.paths or ()), *texts]
    if call.command is not None:
        words += [posixpath.join(base, word) for word in _words(call.command) for base in (".", call.base or ".")]
    root = f"{call.folder}/" if call.folder else ""
    for word in words:
        yield posixpath.normpath(word.removeprefix(root))


def _words(text: str) -> Iterator[str]:
    """What could be a path in shell text: with quotes and backslashes left out, and cut at them."""
    for reading in (re.sub(r"['\"\\]", "", text), text.replace("\\", " ")):
        yield from filter(None, _WORD_END.split(reading))
