"""The names of questions: of one call in one conversation, and what is left of them when that moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from rillet.core.tools.policy import identity
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.workspace import Workspace
from rillet.core.types.suspension import Answer
from support.judging import BASH, CHAT, WRITE, answer

if TYPE_CHECKING:
    from pathlib import Path

LS = {"command": "ls -la"}
ELSEWHERE = replace(CHAT, chat="another")


def named(policy: Policy, args: dict[str, Any] = LS) -> str:
    return answer(policy.judge(BASH, args, CHAT)).id


def moved(name: str) -> Answer:
    assert CHAT.chat is not None
    return Answer(id=identity.moved(name, CHAT.chat, "another"), ok=True)


def test_what_was_moved_is_answered_where_it_is_and_nowhere_else(workspace: Workspace) -> None:
    policy = Policy(workspace)
    asked = named(policy)
    assert policy.settle(BASH, LS, ELSEWHERE, Answer(id=asked, ok=True)).decision == "deny"
    assert policy.settle(BASH, LS, ELSEWHERE, moved(asked)).decision == "allow"
    assert policy.settle(BASH, LS, CHAT, moved(asked)).decision == "deny"
    assert identity.expiry(moved(asked).id) == identity.expiry(asked)


def test_what_was_moved_is_an_answer_to_the_very_same_call_only(workspace: Workspace, tmp_path: Path) -> None:
    policy = Policy(workspace)
    given = moved(named(policy))
    (tmp_path / "other").mkdir(exist_ok=True)
    assert policy.settle(BASH, {"command": "ls -l"}, ELSEWHERE, given).decision == "deny"
    assert policy.settle(WRITE, LS, ELSEWHERE, given).decision == "deny"
    assert policy.settle(BASH, LS, replace(ELSEWHERE, call_id="other"), given).decision == "deny"
    assert Policy(Workspace(tmp_path / "other")).settle(BASH, LS, ELSEWHERE, given).decision == "deny"


@pytest.mark.parametrize("part", range(3))
def test_what_was_not_asked_there_is_not_moved(workspace: Workspace, part: int) -> None:
    asked = named(Policy(workspace))
    what, _, rest = asked.partition(".")
    where, _, until = rest.partition("-")
    forged = [("0" * 64, where, until), (what, "0" * 64, until), (what, "", "")][part]
    with pytest.raises(ValueError, match="another conversation"):
        identity.moved(f"{forged[0]}.{forged[1]}-{forged[2]}", str(CHAT.chat), "another")
    with pytest.raises(ValueError, match="another conversation"):
        identity.moved(asked, "third", "another")


def test_the_time_of_what_was_moved_cannot_be_put_off(workspace: Workspace) -> None:
    policy = Policy(workspace)
    asked, _, until = named(policy).partition("-")
    later = moved(f"{asked}-{int(until) + 3600}")
    assert policy.settle(BASH, LS, ELSEWHERE, later).decision == "deny"
