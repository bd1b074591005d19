"""A run that waits goes along with its chat: nothing of it changes but where it waits."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rillet.core.agent.result import Pending, RunResult
from rillet.core.chat.waiting import moved, taken_along
from rillet.core.tools.policy import identity
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.workspace import Workspace
from rillet.core.types import ChatMessage, ToolCallPart
from rillet.core.types.suspension import Answer, Request
from support.judging import BASH, CHAT, answer

ARGS = {"command": "ls -la"}
CALL = ToolCallPart("call-1", "bash", '{"command": "ls -la"}')
QUESTION = Request(id="q", kind="question", prompt="Which?")


def waiting(workspace: Workspace) -> RunResult:
    """A run that asks in the conversation of ``CHAT`` whether a call may run."""
    asked = Policy(workspace).judge(BASH, ARGS, CHAT).request
    assert asked is not None
    message = ChatMessage("assistant", (CALL,))
    pending = Pending(request=asked, call=CALL, args=ARGS, answer=message)
    return RunResult(text="", messages=(ChatMessage.user("Go"),), status="pending", pending=pending, id=CHAT.chat)


@pytest.fixture
def result(tmp_path: object) -> RunResult:
    return waiting(Workspace(str(tmp_path)))


def test_only_where_it_waits_is_another(result: RunResult) -> None:
    after = moved(result, "7")
    assert result.pending is not None
    assert after.pending is not None
    assert (after.id, after.pending.request.id != result.pending.request.id) == ("7", True)
    request = replace(after.pending.request, id=result.pending.request.id)
    assert replace(after, id=result.id, pending=replace(after.pending, request=request)) == result


def test_what_was_agreed_to_goes_along_with_a_second_question(result: RunResult) -> None:
    assert result.pending is not None
    assert CHAT.chat is not None
    agreed = Answer(id=result.pending.request.id, ok=True, data={"scope": "once"})
    asking = replace(result, pending=replace(result.pending, request=QUESTION, approval=agreed))
    after = moved(asking, "7").pending
    assert after is not None
    assert after.request == QUESTION
    assert after.approval == replace(agreed, id=identity.moved(agreed.id, CHAT.chat, "7"))


def test_what_waits_for_nothing_or_asks_what_it_never_asked_is_refused(result: RunResult) -> None:
    assert result.pending is not None
    foreign = replace(result.pending.request, id="f" * 64 + "." + "0" * 64 + "-1")
    forged_approval = replace(result.pending, request=QUESTION, approval=Answer(id="x", ok=True))
    for broken in (
        replace(result, pending=None),
        replace(result, id=None),
        replace(result, id="elsewhere"),
        replace(result, pending=replace(result.pending, request=foreign)),
        replace(result, pending=forged_approval),
    ):
        with pytest.raises(ValueError, match=r"waits for nothing|another conversation"):
            moved(broken, "7")


def test_what_is_written_down_goes_along_only_out_of_its_own_chat(result: RunResult) -> None:
    assert result.pending is not None
    request = result.pending.request
    there = identity.moved(request.id, str(CHAT.chat), "5")
    waits = replace(result, id="5", pending=replace(result.pending, request=replace(request, id=there)))
    written = waits.to_json().decode()
    after = taken_along(5, written, 7)
    assert after is not None
    assert RunResult.from_json(after.encode()) == moved(waits, "7")
    assert taken_along(6, written, 7) is None
    damaged: object
    for damaged in (None, 3, "", "{}", written[:-1], {}):
        assert taken_along(5, damaged, 7) is None


def test_a_moved_question_is_answered_by_the_policy_in_its_new_place(tmp_path: object) -> None:
    workspace = Workspace(str(tmp_path))
    after = moved(waiting(workspace), "7").pending
    assert after is not None
    given = replace(answer(Policy(workspace).judge(BASH, ARGS, CHAT)), id=after.request.id)
    assert Policy(workspace).settle(BASH, ARGS, msgspec.structs.replace(CHAT, chat="7"), given).decision == "allow"
    assert Policy(workspace).settle(BASH, ARGS, CHAT, given).decision == "deny"
