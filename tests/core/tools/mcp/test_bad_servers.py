"""Servers over standard input and output that do everything wrong: nobody hangs, nothing is left, no other suffers."""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.mcp.server import State
from rillet.core.tools.tool import ToolContext
from support.mcp.behaviours import BEHAVIOURS
from support.mcp.running import QUICK, SOON, call, running, scripted
from support.processes import living

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")


@dataclass(frozen=True)
class Outcome:
    """What becomes of a server, and of a call of its tool ``echo`` with "hello"."""

    fails: str | None = None
    """Words of the reason why it does not start; None: it does."""
    says: str | None = "hello"
    """What is in the result; None: there is no such tool."""
    is_error: bool = False
    limits: tuple[str, ...] = ()
    """Which of its limits has to end the waiting."""


def fails(reason: str, *limits: str) -> Outcome:
    return Outcome(fails=reason, limits=limits)


def errs(says: str, *limits: str) -> Outcome:
    return Outcome(says=says, is_error=True, limits=limits)


def works(says: str = "hello") -> Outcome:
    return Outcome(says=says)


OUTCOMES = {
    "exits-at-once": fails("no licence found"),
    "exits-on-initialize": fails("cannot initialize"),
    "exits-on-list": fails("cannot list"),
    "exits-on-call": errs("cannot call"),
    "exits-after-answer": works(),
    "crashes-on-call": errs("it ended"),
    "closes-output-at-once": fails("closed its output"),
    "closes-output-on-call": errs("closed its output"),
    "closes-input": fails("not ready within", "start_timeout"),
    "never-reads": fails("not ready within", "start_timeout"),
    "never-answers-initialize": fails("not ready within", "start_timeout"),
    "never-answers-list": fails("did not answer within", "list_timeout"),
    "never-answers-call": errs("did not answer within", "call_timeout"),
    "never-reads-calls": errs("did not answer within", "call_timeout"),
    "drips": errs("did not answer within", "call_timeout"),
    "progress-for-ever": errs("did not answer within", "call_timeout"),
    "banner": works(),
    "bom": works(),
    "carriage-returns": works(),
    "batches": works(),
    "invalid-utf8": works(),
    "invalid-utf8-inside": works("a\ufffdb"),
    "lone-surrogate": works("a\ufffd"),
    "half-json": works(),
    "deep-json": works(),
    "huge-number": works(),
    "line-of-100-mb": errs("larger than 10 MB"),
    "endless-line": fails("not ready within", "start_timeout"),
    "answer-of-16-mb": errs("larger than 10 MB"),
    "answer-of-8-mb": works("are left out here"),
    "floods-errors": works(),
    "one-long-error": works(),
    "no-output-but-noise": fails("not ready within", "start_timeout"),
    "wrong-id": works(),
    "text-id": works(),
    "duplicate-answers": works(),
    "null-id": works(),
    "unknown-requests": works(),
    "pings-without-end": works(),
    "result-is-text": errs("not what the protocol says"),
    "result-without-content": errs("not what the protocol says"),
    "content-of-wrong-type": errs("not what the protocol says"),
    "unknown-content": errs("not what the protocol says"),
    "error-without-code": errs("not what the protocol says"),
    "error-answer": errs("the disk is full"),
    "version-of-the-future": fails("2099-01-01"),
    "introduction-is-a-list": fails("not what the protocol says"),
    "tools-are-an-object": fails("not what the protocol says"),
    "one-broken-tool": fails("not what the protocol says"),
    "many-tools": Outcome(says=None),
    "endless-pages": Outcome(says=None),
    "circling-pages": works(),
    "duplicate-tools": Outcome(says=None),
    "deep-schema": works(""),
    "large-schema": works(""),
    "long-description": works(""),
    "pattern-bomb": works(),
    "hidden-words": works(),
    "hostile-names": works(),
    "alike-names": works(),
    "says-it-is-harmless": works(),
    "changes-its-tools": works(),
    "keeps-changing": works(),
    "wants-the-model": works("not supported"),
    "wants-the-roots": works("refused"),
    "ignores-terminate": works(),
    "never-stops": works(),
    "has-a-child": works(),
    "leaves-a-daemon": works(),
}
TOGETHER = list(OUTCOMES)[:: 1 if os.environ.get("RILLET_ALL_BAD_SERVERS") else 4]
"""Those that run all at once beside a good one."""
ELSEWHERE = {
    "good",
    "answer-of-1-mb",
    "answer-of-2-mb",
    "answer-of-4-mb",
    "gigabyte-of-errors",
    "asks",
    "asks-and-waits",
    "asks-for-a-secret",
    "tells-cancellation",
    "of-today",
}
"""Behaviours that are no faults; other tests are about them."""


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes its time takes less."""
    monkeypatch.setattr("rillet.core.tools.mcp.calls.MOST_PROGRESS", 2)
    monkeypatch.setattr("rillet.core.tools.mcp.stdio.PATIENCE", QUICK)


@pytest.fixture
def mark() -> Iterator[str]:
    """Marks the processes of one test, of which none may be left."""
    value = uuid.uuid4().hex
    yield value
    assert living(value) == []


def test_every_behaviour_has_an_outcome() -> None:
    assert len(OUTCOMES) >= 60
    assert OUTCOMES.keys() | ELSEWHERE == BEHAVIOURS.keys()


@pytest.mark.parametrize("behaviour", OUTCOMES)
async def test_a_bad_server_is_a_sentence_and_leaves_nothing(behaviour: str, mark: str) -> None:
    outcome = OUTCOMES[behaviour]
    bad = scripted(behaviour, mark, limits=dict.fromkeys(outcome.limits, QUICK))
    async with running(bad) as servers, asyncio.timeout(SOON):
        server = servers.servers[behaviour]
        if outcome.fails is not None:
            assert server.state is State.FAILED
            assert outcome.fails in server.reason
            assert not servers.tools
            return
        assert (server.state, server.reason) == (State.READY, "")
        if outcome.says is None:
            assert not any(tool.name.endswith("_echo") for tool in servers.tools)
            return
        result = await call(servers, f"{behaviour}_echo", {"text": "hello"})
        assert outcome.says in result.output
        assert result.is_error == outcome.is_error


async def test_a_good_server_does_not_notice_the_bad_ones_beside_it(mark: str) -> None:
    limits = {"start_timeout": QUICK + 0.1 * len(TOGETHER), "list_timeout": 2 * QUICK, "call_timeout": QUICK}
    bad = [scripted(name, mark, limits=limits) for name in TOGETHER]
    async with running(scripted("good", mark), *bad) as servers, asyncio.timeout(SOON):
        calls = [tool.run({"text": "hello"}, ToolContext()) for tool in servers.tools if tool.name.endswith("_echo")]
        others = asyncio.gather(*calls)
        for _ in range(20):
            result = await call(servers, "good_echo", {"text": "hello"})
            assert (result.output, result.is_error) == ("hello", False)
        assert len(await others) > 1
        assert servers.servers["good"].state is State.READY
