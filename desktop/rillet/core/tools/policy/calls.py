"""What a call of a tool would do, as far as that can be told from its arguments.

Knows no rules. Above: ``command``, ``places``, ``tool``. Below: ``rules`` compare calls, ``asking`` shows one.
Guarantee: only what we wrote ourselves is believed. Which argument of a built-in tool is a command, a path or an
address stands in the table below; what a model, a server or a tool says of itself (``requires_approval``,
``readOnlyHint``) is never read.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.files.patch import UpdateFile, parse_patch
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.policy.command import plain
from rillet.core.tools.policy.places import host_of, place
from rillet.core.tools.tool import Effect, Source, Tool
from rillet.core.tools.workspace import Workspace
from rillet.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EVERYTHING: Final = frozenset(Effect)
LONGEST_COMMAND: Final = 64 << 10
"""Characters of a command as it is shown: of a longer one nobody would see the end before it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the arguments of a built-in tool are.

    Attributes:
        command: The argument with shell text.
        base: The one with the folder that it runs in.
        paths: Those with a path.
        patch: The one with a patch, which names files.
        address: The one with a web address.
        network: The one that is true when the network is asked for.
        aside: Those that change nothing of what is done: two calls that differ only in them are the same.
    """

    command: str | None = None
    base: str | None = None
    paths: tuple[str, ...] = ()
    patch: str | None = None
    address: str | None = None
    network: str | None = None
    aside: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The arguments of which it is known what they are."""
        single = (self.command, self.base, self.patch, self.address, self.network)
        return self.aside | {*self.paths, *(name for name in single if name is not None)}

    def essential(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Those of ``args`` that change what is done; a network that is not asked for does not."""
        idle = {self.network} if self.network is not None and not args.get(self.network) else set()
        return {name: value for name, value in args.items() if name not in self.aside | idle}


SHAPES: Final[Mapping[str, Shape]] = {
    "bash": Shape(command="command", base="workdir", network="network", aside=frozenset({"description", "timeout"})),
    "read": Shape(paths=("path",)),
    "write": Shape(paths=("path",)),
    "edit": Shape(paths=("path",)),
    "grep": Shape(paths=("path",)),
    "glob": Shape(paths=("path",)),
    "apply_patch": Shape(patch="patchText"),
    "webfetch": Shape(address="url", aside=frozenset({"format", "timeout"})),
}
"""The built-in tools that touch something. A test holds it against their schemas."""

_HAS_POSIX_SHELL: Final = os.name == "posix"
"""Elsewhere commands run in PowerShell, whose grammar is another one: there no text is plain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call, described.

    Attributes:
        tool: Its name.
        source: Where the tool comes from.
        definition: Of a stranger's tool the digest of how it describes itself; of ours "".
        arguments: All of them as JSON text in one spelling.
        essence: The same without those that change nothing.
        effects: What it may do.
        command: The shell text, if it is one.
        words: That text as words, when it is one plain command.
        base: Where it runs, as a place; None when that is not in the workspace.
        is_understood: Whether there is nothing else in the arguments, and the network is not asked for.
        paths: The paths that it names, as written; None when they cannot be told.
        places: Where those lead; None when one of them does not lead into the workspace.
        address: The web address, as written.
        host: Its host and port, when they are plain.
        texts: Every text that a stranger's tool is given: any may be a path, a command or an address to it.
        workspace: The folder.
    """

    tool: str
    source: Source
    definition: str
    arguments: str
    essence: str
    effects: frozenset[Effect]
    command: str | None = None
    words: tuple[str, ...] | None = None
    base: str | None = None
    is_understood: bool = False
    paths: tuple[str, ...] | None = None
    places: tuple[str, ...] | None = None
    address: str | None = None
    host: tuple[str, int] | None = None
    texts: tuple[str, ...] = ()
    workspace: Workspace | None = None

    @property
    def digest(self) -> str:
        """Names what is done: equal for calls that are the same."""
        return digest(self.tool, self.source, self.definition, self.essence)

    @property
    def is_local(self) -> bool:
        """Whether it means something else in another folder."""
        return self.source == "builtin" and self.address is None

    @property
    def folder(self) -> str | None:
        """The root of the workspace."""
        return None if self.workspace is None else str(self.workspace.root)


def describe(tool: Tool, args: dict[str, Any], workspace: Workspace | None) -> Call:
    """What the call ``args`` of ``tool`` would do.

    Raises:
        ValueError: nobody could be shown what would run: the arguments are no JSON, or a command is too long.
    """
    shape = SHAPES.get(tool.name, Shape()) if tool.source == "builtin" else Shape()
    command, address = _text(args, shape.command), _text(args, shape.address)
    if command is not None and len(visible(command)) > LONGEST_COMMAND:
        raise ValueError("the command is too long to be read by anybody before it runs; write a file, and run that")
    paths = _paths(shape, args)
    base = _base(shape, args, workspace)
    network = shape.network is not None and bool(args.get(shape.network))
    is_understood = not network and shape.names.issuperset(args)
    return Call(
        tool=tool.name,
        source=tool.source,
        definition=_definition(tool),
        arguments=canonical(args),
        essence=canonical(shape.essential(args)),
        effects=effects_of(tool) | ({Effect.NETWORK} if network else set()),
        command=command,
        words=plain(command) if command is not None and _HAS_POSIX_SHELL else None,
        base=base,
        is_understood=is_understood,
        paths=paths,
        places=_places(paths, workspace),
        address=address,
        host=host_of(address) if address is not None and is_understood else None,
        texts=tuple(_texts(args)) if tool.source == "mcp" else (),
        workspace=workspace,
    )


def effects_of(tool: Tool) -> frozenset[Effect]:
    """What a tool may do; a stranger's of which nothing is known may do everything."""
    return tool.effects or (EVERYTHING if tool.source == "mcp" else tool.effects)


def canonical(value: object) -> str:
    """JSON text in one spelling. Raises ValueError for what is no JSON."""
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the arguments are no JSON: {error}") from error


def digest(*parts: object) -> str:
    """A name for values that are JSON; other values have other names."""
    exact = canonical(parts).encode("utf-8", "surrogatepass")  # (\u escapes would make one letter of two halves)
    return hashlib.sha256(exact).hexdigest()


def _definition(tool: Tool) -> str:
    return digest(tool.description, canonical(tool.input_schema)) if tool.source == "mcp" else ""


def _text(args: Mapping[str, Any], name: str | None) -> str | None:
    value = args.get(name) if name is not None else None
    return value if isinstance(value, str) else None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _base(shape: Shape, args: Mapping[str, Any], workspace: Workspace | None) -> str | None:
    if workspace is None:
        return None
    base = args.get(shape.base or "", ".")
    return place(workspace, base) if isinstance(base, str) else None


def _paths(shape: Shape, args: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The paths that a call names; None for one that names none, or not in a way that is understood."""
    if shape.patch is not None:
        patch = args.get(shape.patch)
        return _patched(patch) if isinstance(patch, str) else None
    values = [args.get(name, ".") for name in shape.paths]
    return tuple(values) if values and all(isinstance(value, str) for value in values) else None


def _patched(patch: str) -> tuple[str, ...] | None:
    """The files that a patch names, those included that a file is moved to."""
    try:
        files = parse_patch(patch)
    except FileError:
        return None
    moved = [file.new_path for file in files if isinstance(file, UpdateFile) and file.new_path is not None]
    return (*(file.path for file in files), *moved) or None


def _places(paths: tuple[str, ...] | None, workspace: Workspace | None) -> tuple[str, ...] | None:
    if paths is None or workspace is None:
        return None
    places = [place(workspace, path) for path in paths]
    return tuple(at for at in places if at is not None) if None not in places else None
