"""What the tools that change files have in common: a preview that tells the truth, and a call that can be stopped."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.builtin import builtin_tools, changing
from rillet.core.tools.files import changes
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.tool import Effect, Tool, ToolContext
from rillet.core.tools.workspace import Workspace
from rillet.core.types.suspension import Answer
from support.workspaces import NO_CONTEXT, call

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rillet.core.tools.tool import ToolResult

PATCH = "*** Begin Patch\n*** Update File: a.txt\n-one\n+ONE\n*** Add File: b.txt\n+b\n*** End Patch"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("write", {"path": "a.txt", "content": "ONE\n"}),
    ("edit", {"path": "a.txt", "oldString": "one", "newString": "ONE"}),
    ("apply_patch", {"patchText": PATCH}),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.txt").write_text("one\n")
    return Workspace(tmp_path)


def tool_of(workspace: Workspace, name: str) -> Tool:
    return next(tool for tool in builtin_tools(workspace) if tool.name == name)


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_the_preview_is_what_the_call_then_does(workspace: Workspace, name: str, args: dict[str, Any]) -> None:
    preview = tool_of(workspace, name).preview
    assert preview is not None
    told = preview(args)
    assert (workspace.root / "a.txt").read_text() == "one\n"
    result = call(workspace, name, **args)
    assert told["diff"].startswith("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n")
    assert result.metadata["diff"] == told["diff"]
    assert result.metadata["paths"][0] == "a.txt"
    assert (workspace.root / "a.txt").read_text() == "ONE\n"


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_a_preview_of_what_cannot_be_done_says_why_not(tmp_path: Path, name: str, args: dict[str, Any]) -> None:
    (tmp_path / "a.txt").mkdir()
    preview = tool_of(Workspace(tmp_path), name).preview
    assert preview is not None
    with pytest.raises(FileError, match=r"a\.txt is a folder"):
        preview(args)


def approved(workspace: Workspace, meddle: Callable[[Path], object], name: str, args: dict[str, Any]) -> ToolResult:
    """A call that was shown, then approved, with something done to the file in between."""
    tool = tool_of(workspace, name)
    assert tool.preview is not None
    tool.preview(args)
    meddle(workspace.root / "a.txt")
    ctx = ToolContext(call_id="call_1", approval=Answer(id="1", ok=True))
    return asyncio.run(tool.run(args, ctx))


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_what_was_approved_is_done(workspace: Workspace, name: str, args: dict[str, Any]) -> None:
    assert not approved(workspace, lambda file: None, name, args).is_error
    assert (workspace.root / "a.txt").read_text() == "ONE\n"


def test_what_was_approved_is_not_done_to_other_content(workspace: Workspace) -> None:
    result = approved(workspace, lambda file: file.write_text("my own work\n"), *CALLS[0])
    assert result.is_error
    assert "have changed since this was shown" in result.output
    assert (workspace.root / "a.txt").read_text() == "my own work\n"


@pytest.mark.parametrize(("name", "args"), CALLS[1:])
def test_what_changed_beside_it_does_no_harm(workspace: Workspace, name: str, args: dict[str, Any]) -> None:
    result = approved(workspace, lambda file: file.write_text("before\n\none\nafter\n"), name, args)
    assert not result.is_error
    assert (workspace.root / "a.txt").read_text() == "before\n\nONE\nafter\n"


def test_only_the_last_previews_are_remembered(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changing, "MAX_REMEMBERED", 2)
    shown = changing._Shown()
    for number in range(3):
        shown.remember({"n": number}, "-a")
    shown.require_same({"n": 0}, "-b")
    for number in (1, 2):
        with pytest.raises(FileError):
            shown.require_same({"n": number}, "-b")


@pytest.mark.parametrize("name", ["write", "edit", "apply_patch"])
def test_it_is_known_that_they_write(workspace: Workspace, name: str) -> None:
    assert Effect.WRITE in tool_of(workspace, name).effects


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_once_a_cancelled_call_has_ended_nothing_is_written(
    workspace: Workspace, name: str, args: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    staging, go_on = threading.Event(), threading.Event()
    stage = changes._stage

    def slow(*arguments: Any, **named: Any) -> None:
        staging.set()
        go_on.wait()
        stage(*arguments, **named)

    monkeypatch.setattr(changes, "_stage", slow)

    async def main() -> None:
        running = asyncio.create_task(tool_of(workspace, name).run(args, NO_CONTEXT))
        await asyncio.to_thread(staging.wait)
        running.cancel()
        asyncio.get_running_loop().call_soon(go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert (workspace.root / "a.txt").read_text() == "one\n"
    assert [path.name for path in workspace.root.iterdir()] == ["a.txt"]


def test_a_disk_that_hangs_does_not_hold_a_cancelled_call(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rillet.core.tools.builtin import blocking

    staging, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def hangs(*arguments: Any, **named: Any) -> None:
        staging.set()
        go_on.wait()

    put_back: Callable[..., None] = changes._put_back

    def watched(*arguments: Any) -> None:
        put_back(*arguments)
        ended.set()

    monkeypatch.setattr(changes, "_stage", hangs)
    monkeypatch.setattr(changes, "_put_back", watched)
    monkeypatch.setattr(blocking, "PATIENCE", 0.01)

    async def main() -> None:
        running = asyncio.create_task(tool_of(workspace, "write").run(CALLS[0][1], NO_CONTEXT))
        await asyncio.to_thread(staging.wait)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        go_on.set()
        await asyncio.to_thread(ended.wait)

    asyncio.run(main())
    assert (workspace.root / "a.txt").read_text() == "one\n"


def test_a_call_of_a_run_that_was_stopped_writes_nothing(workspace: Workspace) -> None:
    result = call(workspace, "write", ToolContext(cancelled=lambda: True), path="a.txt", content="ONE\n")
    assert (result.output, result.is_error) == ("stopped: nothing was changed", True)
    assert (workspace.root / "a.txt").read_text() == "one\n"


def test_a_call_that_changes_nothing_says_so_and_touches_nothing(workspace: Workspace) -> None:
    before = (workspace.root / "a.txt").stat()
    result = call(workspace, "write", path="a.txt", content="one\n")
    assert result.output == "nothing changes: the files are like that already"
    assert (workspace.root / "a.txt").stat() == before
