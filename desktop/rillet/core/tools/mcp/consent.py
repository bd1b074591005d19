"""What the user agreed to: which program or address is a server, and what its tools say they do.

Pure. Nothing of an MCP server starts, and none of its tools is offered, before this book says that exactly this was
shown and approved. Above: ``config``, ``definition``. Below: ``server`` asks it; the host shows a ``Consent`` and calls
``approve``. Guarantees: whatever changes the program that runs, or what the model is told, changes the digest, so it is
asked again, with the difference; the book holds no value of a variable or a header.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from rillet.core.tools.mcp.config import LocalServerConfig, RemoteServerConfig, is_encrypted, variables
from rillet.core.tools.mcp.digest import digest_of
from rillet.core.tools.mcp.risks import risk_of_variable, risks_of_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.tools.mcp.config import ServerConfig
    from rillet.core.tools.mcp.definition import Definition

VERSION: Final = 1
SERVER: Final = "server"
TOOL: Final = "tool "
MET: Final = "tools"
"""The subject under which is remembered that a server has told its tools."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the environment, or a header, that a server is given."""

    name: str
    risk: str | None = None
    """What somebody who sets it can do with it, where that is more than a setting."""
    value: str | None = None
    """Shown for those with a risk; the others may hold keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A question: may this run, or may this tool be offered? Text stands as it is: show it with ``core/visible``."""

    server: str
    subject: str
    """"server", or "tool" and the tool's own name: what the answer is about, unique within the server."""
    digest: str
    """Names exactly this: to be given back to ``approve``."""
    lines: tuple[str, ...]
    """The whole of it, for people."""
    changes: tuple[str, ...] = ()
    """What is different from what was approved before, as lines that begin with "-" or "+"; empty: it is new."""
    warnings: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    cwd: str | None = None
    url: str | None = None
    variables: tuple[Variable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A server that may start, because somebody agreed to it.

    Attributes:
        lines: What was shown then.
        tools: The tools that may be offered, by the server's own names.
    """

    server: str
    lines: tuple[str, ...]
    tools: tuple[str, ...]


class _Approved(msgspec.Struct, frozen=True):
    digest: str
    lines: tuple[str, ...]


class _File(msgspec.Struct):
    version: int
    approved: dict[str, dict[str, _Approved]]


class ConsentBook:
    """What was approved, by server and subject. One answer per subject: approving what it is now forgets the old."""

    def __init__(self) -> None:
        self._approved: dict[str, dict[str, _Approved]] = {}
        self._asked: dict[str, Consent] = {}

    @property
    def asked(self) -> tuple[Consent, ...]:
        """The questions that are open, oldest first."""
        return tuple(self._asked.values())

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """The servers that may start, by their names."""
        return tuple(
            Agreement(
                server=server,
                lines=approved[SERVER].lines,
                tools=tuple(sorted(each.removeprefix(TOOL) for each in approved if each.startswith(TOOL))),
            )
            for server, approved in sorted(self._approved.items())
            if SERVER in approved
        )

    def is_approved(self, consent: Consent) -> bool:
        """Whether exactly this was approved."""
        return self._is_approved(consent.server, consent.subject, consent.digest)

    def is_approved_tool(self, server: str, tool: Definition) -> bool:
        """The same, without writing the question down."""
        subject = f"{TOOL}{tool.name}"
        return self._is_approved(server, subject, digest_of(subject, server, tool.digest))

    def _is_approved(self, server: str, subject: str, digest: str) -> bool:
        known = self._approved.get(server, {}).get(subject)
        return known is not None and known.digest == digest

    def ask(self, consent: Consent) -> None:
        """Put a question, in the place of any other about the same subject."""
        self.withdraw(consent.server, consent.subject)
        self._asked[consent.digest] = consent

    def withdraw(self, server: str, subject: str | None = None) -> None:
        """Ask no longer about a server, or about one subject of it."""
        for each in self.asked:
            if each.server == server and subject in (None, each.subject):
                del self._asked[each.digest]

    def meet(self, server: str, tools: Iterable[Definition]) -> None:
        """A server has told its tools. Those of the first time are approved, as agreeing to the server included them.

        Every later one is new, also where there were none at first. Each call is judged for itself in any case.
        """
        known = self._approved.setdefault(server, {})
        if MET not in known:
            known[MET] = _Approved("", ())
            for tool in tools:
                self._accept(tool_consent(server, tool, self))

    def changes(self, consent: Consent) -> tuple[str, ...]:
        """The lines that differ from what was approved."""
        known = self._approved.get(consent.server, {}).get(consent.subject)
        if known is None:
            return ()
        return tuple(line for line in difflib.ndiff(known.lines, consent.lines) if line[:2] in ("- ", "+ "))

    def approve(self, digest: str) -> Consent:
        """The user agreed to what was asked under this digest.

        Raises:
            KeyError: nothing with that digest was asked since this book was opened.
        """
        consent = self._asked.pop(digest)
        self._accept(consent)
        return consent

    def _accept(self, consent: Consent) -> None:
        self._approved.setdefault(consent.server, {})[consent.subject] = _Approved(consent.digest, consent.lines)

    def revoke(self, server: str, subject: str | None = None) -> None:
        """Forget what was approved of a server, or of one subject of it."""
        if subject is None:
            self._approved.pop(server, None)
        else:
            self._approved.get(server, {}).pop(subject, None)

    def clear(self) -> None:
        """Forget everything that was approved."""
        self._approved.clear()

    def to_json(self) -> bytes:
        """Plain data, to be kept by the host."""
        return msgspec.json.encode(_File(VERSION, self._approved), order="sorted")

    @classmethod
    def from_json(cls, data: bytes) -> ConsentBook:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is something else, or of a later version. Start with an empty book, and say so.
        """
        file = msgspec.json.decode(data, type=_File)
        if file.version != VERSION:
            raise ValueError(f"consents of version {file.version} cannot be read")
        book = cls()
        book._approved = file.approved
        return book


def server_consent(config: ServerConfig, book: ConsentBook) -> Consent:
    """What must be agreed to before this server starts."""
    consent = _of_program(config) if isinstance(config, LocalServerConfig) else _of_address(config)
    return _with_changes(consent, book)


def tool_consent(server: str, tool: Definition, book: ConsentBook) -> Consent:
    """What must be agreed to before a tool that is new or has changed is offered."""
    subject = f"{TOOL}{tool.name}"
    digest = digest_of(subject, server, tool.digest)
    return _with_changes(Consent(server=server, subject=subject, digest=digest, lines=tool.lines), book)


def _of_program(config: LocalServerConfig) -> Consent:
    program, *arguments = config.command
    given = tuple(_variable(name, value) for name, value in config.env)
    lines = [f"program: {program}", *(f"argument {at}: {each}" for at, each in enumerate(arguments, 1))]
    lines.append(f"folder: {config.cwd or 'the home folder'}")
    lines += [_line("variable", each) for each in given]
    lines += [f"passed on from this program: {name}" for name in variables(config.env)]
    return Consent(
        server=config.name,
        subject=SERVER,
        digest=digest_of("program", config.name, config.command, config.cwd, sorted(config.env)),
        lines=tuple(lines),
        warnings=(*risks_of_command(config.command), *_risks(given)),
        command=config.command,
        cwd=config.cwd,
        variables=given,
    )


def _of_address(config: RemoteServerConfig) -> Consent:
    given = tuple(Variable(name) for name, _ in config.headers)
    lines = [f"address: {config.url}", *(_line("header", each) for each in given)]
    lines += [f"sent there from this program: {name}" for name in variables(config.headers)]
    warnings = () if is_encrypted(config.url) else ("Anybody on the way can read and change what is sent.",)
    return Consent(
        server=config.name,
        subject=SERVER,
        digest=digest_of(
            "address",
            *(config.name, config.url, config.sse, sorted(config.headers)),
            *(config.client_id, config.issuer, config.scope),
        ),
        lines=tuple(lines),
        warnings=warnings,
        url=config.url,
        variables=given,
    )


def _variable(name: str, value: str) -> Variable:
    risk = risk_of_variable(name)
    return Variable(name, risk, None if risk is None else value)


def _line(kind: str, given: Variable) -> str:
    shown = "" if given.value is None else f" = {given.value}"
    return f"{kind}: {given.name}{shown}"


def _risks(given: Sequence[Variable]) -> tuple[str, ...]:
    return tuple(f"{each.name} {each.risk}." for each in given if each.risk is not None)


def _with_changes(consent: Consent, book: ConsentBook) -> Consent:
    return replace(consent, changes=book.changes(consent))
