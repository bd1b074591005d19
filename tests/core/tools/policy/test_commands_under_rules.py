"""Every rule that a person could be tempted to make, against everything that only looks like what it allows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from rillet.core.tools.policy.grants import Grant, GrantBook
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.policy.programs import PROGRAMS
from rillet.core.tools.policy.rules import CommandRule
from rillet.core.visible import restored
from support.judging import run
from support.shell_commands import EVASIONS, HEADS, ORDINARY

if TYPE_CHECKING:
    from rillet.core.tools.workspace import Workspace

TEMPTING: Final = """\
awk, bash -c, bun, cargo, command, diff, diff -u, docker, docker exec, docker run, ed, env, eval, exec, find . -exec,
git, git -c, go, go run, gofmt, less, make, node, node -e, npm install, npm run, npx, perl, perl -e, pip, pip install,
python, python -c, python -m, python3, rsync, ruby, ruff, sed, sed -i, sh, sh -c, ssh, sudo, tar, tee, test, time,
timeout 5, tsc, uv run, watch, xargs"""
"""Rules for these cover their own words only."""
UNUSUAL: Final = ("cmp", "egrep", "fgrep", "nl", "readlink", "sha1sum")
"""Programs that no ordinary command stands for."""


@pytest.fixture
def tempted(workspace: Workspace) -> Policy:
    """A policy that allows every command that it knows, and many that nobody should."""
    policy = Policy(workspace)
    for words in (*PROGRAMS, *(tuple(text.split()) for text in TEMPTING.split(","))):
        policy.book.add(Grant(rule=CommandRule(words)))
    return policy


def test_there_are_enough_kinds_of_evasion_and_enough_of_each() -> None:
    distinct = Counter(kind for kind, _ in set(EVASIONS))
    assert len(distinct) >= 30
    assert min(distinct.values()) >= 10
    assert len({text for _, text in EVASIONS}) >= 600


def test_what_the_evasions_begin_with_is_allowed(tempted: Policy) -> None:
    assert [head for head in HEADS if run(tempted, head).decision != "allow"] == []


@pytest.mark.skipif("os.name != 'posix'", reason="only POSIX shells have plain commands")
def test_ordinary_commands_are_allowed(tempted: Policy) -> None:
    assert len(set(ORDINARY)) >= 100
    assert [text for text in ORDINARY if run(tempted, text).decision != "allow"] == []


def test_no_evasion_is_allowed(tempted: Policy) -> None:
    assert [(kind, text) for kind, text in EVASIONS if run(tempted, text).decision == "allow"] == []


def test_the_question_about_an_evasion_shows_all_of_it(tempted: Policy) -> None:
    for _, text in EVASIONS:
        request = run(tempted, text).request
        assert request is not None
        assert request.data is not None
        assert restored(request.data["shown"]) == text


def test_no_rule_allows_the_command_of_another_program(workspace: Workspace) -> None:
    for program in {words[0] for words in PROGRAMS}:
        policy = Policy(workspace, GrantBook(tuple(Grant(rule=CommandRule(w)) for w in PROGRAMS if w[0] != program)))
        commands = [text for text in ORDINARY if text.split(maxsplit=1)[0] == program]
        assert commands or program in UNUSUAL
        assert [text for text in commands if run(policy, text).decision != "ask"] == []
