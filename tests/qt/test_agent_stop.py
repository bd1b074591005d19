"""Stop reaches everything from the GUI thread: a socket, a question, a command with all that it started."""

from __future__ import annotations

import json
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from qt.conftest import client_of
from rillet import Toolkit
from rillet.core.types.suspension import Answer, Request
from rillet.qt.agent import AgentClient, AgentListener
from support.fake_server import FakeServer, hold, respond, sse, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.qt import AsyncResource
    from support.fake_server import Script

MOST_TREE = 3.0
"""Seconds in which everything that a command started has to be gone."""


class Counting(AgentListener):
    """Counts what it is told."""

    def __init__(self) -> None:
        self.events = 0

    def onEvent(self, event: object) -> None:
        self.events += 1


def calling(name: str, **arguments: Any) -> Script:
    call = {"index": 0, "id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return stream(sse({"choices": [{"delta": {"tool_calls": [call]}}]}), sse_end())


def stop(qtbot: QtBot, resource: AsyncResource[Any], listener: Counting) -> None:
    """Cancel: silent from then on, and soon over."""
    assert resource.cancel()
    told = listener.events
    qtbot.waitUntil(resource.isDone, timeout=int(MOST_TREE * 1000) + 2000)
    assert resource.isCancelled()
    assert listener.events == told


def sleepers(mark: str) -> list[str]:
    """The processes of this machine that have ``mark`` among their arguments, whatever numbers they have inside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                found += [entry.name] if mark.encode() in words else []
    return found


@pytest.mark.parametrize("phase", ["before the first byte", "in the middle", "while it waits to try again"])
def test_a_stop_closes_the_socket_in_every_phase(phase: str, qtbot: QtBot) -> None:
    scripts: dict[str, list[Script]] = {
        "before the first byte": [hold],
        "in the middle": [stream(sse_text("a"), hold)],
        "while it waits to try again": [respond(503, headers={"Retry-After": "30"})],
    }
    with FakeServer(*scripts[phase]) as server:
        listener = Counting()
        resource = AgentClient(client_of(server)).stream("x", listener=listener)
        assert server.wait_requests()
        qtbot.waitUntil(lambda: listener.events > (0 if phase == "before the first byte" else 1))
        stop(qtbot, resource, listener)
        assert server.wait_closed()


def test_a_stop_ends_the_whole_tree_of_a_command(qtbot: QtBot, tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("looks at /proc")
    mark = f"300.{secrets.randbelow(10**9):09}"
    command = f"sleep {mark} & (setsid sleep {mark} &); sleep {mark}; echo late > late"

    def agree(request: Request) -> Answer:
        return Answer(id=request.id, ok=True, data={"scope": "once"})

    with FakeServer(calling("bash", command=command)) as server:
        listener = Counting()
        agent = AgentClient(client_of(server), waitFor=agree)
        resource = agent.stream("x", Toolkit(builtins=True, workspace=tmp_path), listener)
        qtbot.waitUntil(lambda: len(sleepers(mark)) >= 3)
        stop(qtbot, resource, listener)
        qtbot.waitUntil(lambda: not sleepers(mark), timeout=int(MOST_TREE * 1000))
    assert not (tmp_path / "late").exists()


def test_a_stop_takes_back_a_question(qtbot: QtBot, tmp_path: Path) -> None:
    with FakeServer(calling("write", path="a.txt", content="x")) as server:
        listener = Counting()
        agent = AgentClient(client_of(server))
        replies: list[Any] = []
        agent.asked.connect(replies.append)
        resource = agent.stream("x", Toolkit(builtins=True, workspace=tmp_path), listener)
        qtbot.waitUntil(lambda: bool(replies))
        stop(qtbot, resource, listener)
        assert not replies[0].answer(True, {"scope": "once"})
    assert not (tmp_path / "a.txt").exists()
