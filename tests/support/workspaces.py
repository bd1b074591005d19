"""A workspace beside things that are not in it, and the tools that must not reach those."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.tools.workspace import Workspace

CANARY = "canary-7f3a"
"""Stands in everything outside, and nowhere else."""
INK = "ink-51c0"
"""Stands in everything that the tools are asked to write."""
NO_CONTEXT = ToolContext(call_id="call_1")


@dataclass(frozen=True)
class Grounds:
    """``root`` is the workspace; ``outside`` lies beside it and must stay as it is."""

    root: Path
    outside: Path

    @classmethod
    def make(cls, base: Path) -> Grounds:
        """A workspace with a file and a folder, and outside a secret, a folder and a sibling of a similar name."""
        grounds = cls(base / "ws", base / "outside")
        for folder in (grounds.root / "sub" / "deep", grounds.outside / "folder", base / "ws-2"):
            folder.mkdir(parents=True)
        (grounds.root / "file.txt").write_text("one\ntwo\n")
        (grounds.root / "sub" / "inner.txt").write_text("one\ntwo\n")
        for file in (
            grounds.outside / "secret.txt",
            grounds.outside / "folder" / "secret.txt",
            base / "ws-2" / "secret.txt",
        ):
            file.write_text(f"one\n{CANARY}\n")
        (base / "secret.txt").write_text(f"one\n{CANARY}\n")
        return grounds

    def everything_outside(self) -> dict[str, str]:
        """Every name outside the workspace, with what it is or holds."""
        found = {}
        for folder, folders, files in os.walk(self.root.parent):
            if Path(folder) == self.root.parent:
                folders.remove(self.root.name)
            for name in (*folders, *files):
                path = Path(folder) / name
                is_plain = path.is_file() and not path.is_symlink()
                found[str(path)] = path.read_text() if is_plain else "no file"
        return found


def call(workspace: Workspace | None, name: str, ctx: ToolContext = NO_CONTEXT, **args: Any) -> ToolResult:
    """Call a built-in tool, on a loop of its own."""
    return run_all(workspace, [(name, args)], ctx)[0]


def run_all(
    workspace: Workspace | None, calls: Iterable[tuple[str, dict[str, Any]]], ctx: ToolContext = NO_CONTEXT
) -> list[ToolResult]:
    """Call built-in tools one after the other."""
    tools = {tool.name: tool for tool in builtin_tools(workspace)}

    async def main() -> list[ToolResult]:
        return [await tools[name].run(args, ctx) for name, args in calls]

    return asyncio.run(main())


def every_way(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Calls that read, change, create, replace, remove, move or add what is at ``path``; none starts a child."""
    patches = (
        f"*** Update File: {path}\n-one\n+{INK}",
        f"*** Delete File: {path}",
        f"*** Add File: {path}\n+{INK}",
        f"*** Add File: {path}/new.txt\n+{INK}",
        f"*** Update File: {path}\n*** Move to: taken.txt\n-one\n+{INK}",
        f"*** Update File: file.txt\n*** Move to: {path}\n-one\n+{INK}",
    )
    return [
        ("read", {"path": path}),
        ("edit", {"path": path, "oldString": "one", "newString": INK}),
        ("write", {"path": path, "content": INK}),
        *(("apply_patch", {"patchText": f"*** Begin Patch\n{patch}\n*** End Patch"}) for patch in patches),
    ]
