"""With real tools: nothing runs before it was shown, and what runs is what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.policy.rules import CallRule, PathRule
from rillet.core.tools.toolkit import Toolkit
from rillet.core.types.suspension import Answer
from support.judging import CHAT

if TYPE_CHECKING:
    from rillet.core.tools.tool import ToolResult
    from rillet.core.tools.workspace import Workspace

EDIT = {"path": "docs/api/index.md", "oldString": "x", "newString": "y\u200b"}


async def call(toolkit: Toolkit, name: str, args: dict[str, Any], approval: Answer | None = None) -> ToolResult:
    return await toolkit.call(name, args, msgspec.structs.replace(CHAT, approval=approval))


async def test_an_edit_is_shown_as_a_diff_then_approved_then_made(workspace: Workspace) -> None:
    file = workspace.root / "docs/api/index.md"
    toolkit = Toolkit(builtins=True, workspace=workspace)
    asked = await call(toolkit, "edit", EDIT)
    assert asked.pending is not None
    assert asked.pending.data is not None
    assert "-x\n+y\u27e8U+200B\u27e9" in asked.pending.data["diff"]
    assert file.read_text(encoding="utf-8") == "x\n"
    done = await call(toolkit, "edit", EDIT, Answer(id=asked.pending.id, ok=True))
    assert not done.is_error
    assert file.read_text(encoding="utf-8") == "y\u200b\n"


async def test_what_was_refused_is_not_made(workspace: Workspace) -> None:
    toolkit = Toolkit(builtins=True, workspace=workspace)
    asked = await call(toolkit, "edit", EDIT)
    assert asked.pending is not None
    refused = await call(toolkit, "edit", EDIT, Answer(id=asked.pending.id, ok=False, reason="leave it"))
    assert refused.is_error
    assert "leave it" in refused.output
    other = await call(toolkit, "edit", {**EDIT, "newString": "z"}, Answer(id=asked.pending.id, ok=True))
    assert other.is_error
    assert (workspace.root / "docs/api/index.md").read_text(encoding="utf-8") == "x\n"


async def test_rules_speak_of_the_places_that_tools_reach(workspace: Workspace) -> None:
    policy = Policy(workspace)
    policy.allow(PathRule("write", "docs/**"))
    toolkit = Toolkit(builtins=True, workspace=workspace, policy=policy)
    assert not (await call(toolkit, "write", {"path": "notes/new.md", "content": "n"})).is_error
    assert (workspace.root / "docs/new.md").read_text(encoding="utf-8") == "n"
    assert (await call(toolkit, "write", {"path": "src/new.md", "content": "n"})).pending is not None
    assert (await call(toolkit, "read", {"path": "src/app.py"})).pending is None
    assert (await call(toolkit, "read", {"path": ".env"})).pending is not None
    patch = "*** Begin Patch\n*** Update File: docs/new.md\n*** Move to: docs/moved.md\n@@\n-n\n+m\n*** End Patch"
    assert not (await call(toolkit, "apply_patch", {"patchText": patch})).is_error
    assert (workspace.root / "docs/moved.md").read_text(encoding="utf-8") == "m"


async def test_what_is_remembered_is_the_call_and_not_the_file(workspace: Workspace) -> None:
    policy = Policy(workspace)
    toolkit = Toolkit(builtins=True, workspace=workspace, policy=policy)
    args = {"path": "docs/a.md", "content": "x"}
    asked = await call(toolkit, "write", args)
    assert asked.pending is not None
    await call(toolkit, "write", args, Answer(id=asked.pending.id, ok=True, data={"scope": "chat"}))
    assert [type(grant.rule) for grant in policy.grants()] == [CallRule]
    assert (await call(toolkit, "write", args)).pending is None
    assert (await call(toolkit, "write", {**args, "content": "y"})).pending is not None
