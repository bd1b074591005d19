"""How fast a stop is, in every phase of an agent's run. Run: python tests/bench/stop_run.py

The worst of ten, in milliseconds: how long the stop holds up the GUI thread, from there to the end of the resource, and
to the moment when nothing of the run is left: the connection to the model, the processes of a command, the program of
an MCP server (its client is closed with the stop). Commands and servers are looked for in ``/proc`` (Linux).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtCore import QCoreApplication

from bench.stop import BUSY, Watcher, turn_until
from rillet import Toolkit
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.types.suspension import Answer, Request
from rillet.qt import AgentClient, AgentListener, Engine, LlmClient, Reply
from support.fake_server import FakeServer, Script, hold, sse, sse_end, sse_text, stream
from support.mcp.running import running, scripted
from support.processes import living, word

if TYPE_CHECKING:
    from rillet.core.tools.mcp.consent import ConsentBook

ROUNDS = 10
Times = tuple[float, float, float]
Ready = Callable[["Notes"], bool]


class Notes(AgentListener):
    """Which kinds of events came."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def onEvent(self, event: Any) -> None:
        """Note it."""
        self.kinds.append(event.type.value)


def main() -> None:
    """Print the table."""
    app = QCoreApplication([])
    print(f"{'cancelled':>20} {'GUI held up, ms':>17} {'resource ended, ms':>20} {'nothing left, ms':>18}")
    report("before headers", lambda: requesting(hold, ""))
    report("between bytes", lambda: requesting(stream(sse_text("a"), hold), "text"))
    report("during back-off", lambda: requesting(BUSY, "retry"))
    report("in a command", in_command)
    report("in an MCP call", in_mcp_call)
    report("at an approval", at_approval)
    Engine.default().shutdown()
    del app


def report(name: str, once: Callable[[], Times]) -> None:
    """Print the worst of one phase."""
    once()  # imports
    worst = [max(column) * 1e3 for column in zip(*(once() for _ in range(ROUNDS)), strict=True)]
    print(f"{name:>20} {worst[0]:>17.2f} {worst[1]:>20.1f} {worst[2]:>18.1f}")


def calling(name: str, **arguments: Any) -> Script:
    """An answer that calls one tool."""
    call = {"index": 0, "id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return stream(sse({"choices": [{"delta": {"tool_calls": [call]}}]}), sse_end("tool_calls"))


def requesting(script: Script, kind: str) -> Times:
    """Stop while the model is asked: when an event of ``kind`` came, or the request."""
    with FakeServer(script) as server:
        return stop(
            server,
            None,
            lambda notes: kind in notes.kinds if kind else server.wait_requests(timeout=0),
            lambda: server.open_connections == 0,
            agree=True,
        )


def in_command() -> Times:
    """Stop while a command runs that has started others, one of them in a session of its own."""
    mark = word()
    command = f"sleep {mark} & (setsid sleep {mark} &); sleep {mark}"
    with tempfile.TemporaryDirectory() as folder, FakeServer(calling("bash", command=command)) as server:
        toolkit = Toolkit(builtins=True, workspace=folder)
        return stop(server, toolkit, lambda _: sleepers(mark) >= 3, lambda: not living(mark), agree=True)


def in_mcp_call() -> Times:
    """Stop while an MCP server works at a call; it ends with the toolkit that the run was given."""
    mark = word()
    config = scripted("never-answers-call", mark, name="s")
    book = asyncio.run(consented(config))
    toolkit = Toolkit(builtins=False, mcp=McpServers([config], book=book))
    with FakeServer(calling("s_echo", text="x")) as server:
        return stop(server, toolkit, lambda notes: "tool_call" in notes.kinds, lambda: not living(mark), agree=True)


async def consented(config: Any) -> ConsentBook:
    """The book in which the server and its tools are agreed to."""
    async with running(config) as servers:
        return servers.book


def at_approval() -> Times:
    """Stop while the person is asked."""
    with tempfile.TemporaryDirectory() as folder, FakeServer(calling("write", path="a", content="x")) as server:
        toolkit = Toolkit(builtins=True, workspace=folder)
        return stop(
            server,
            toolkit,
            lambda notes: "pending" in notes.kinds,
            lambda: server.open_connections == 0,
            agree=False,
        )


def sleepers(mark: str) -> int:
    """How many of the commands with this mark run."""
    commands = [Path(f"/proc/{process}/cmdline") for process in living(mark)]
    return sum(command.read_bytes().startswith(b"sleep\0") for command in commands if command.exists())


def stop(server: FakeServer, toolkit: Toolkit | None, ready: Ready, gone: Callable[[], bool], *, agree: bool) -> Times:
    """Seconds that the stop itself takes, until the resource has ended, and until nothing is left."""
    provider = Provider("bench", "openai", f"{server.url}/v1", "key", "m", network=NetworkProfile(proxy=None))
    client = LlmClient.forProvider(provider)
    agent = AgentClient(client, waitFor=_agree if agree else Reply)
    notes = Notes()
    resource = agent.stream("x", toolkit, notes)
    turn_until(lambda: ready(notes))
    seen = Watcher(gone)
    started = time.perf_counter()
    resource.cancel()
    agent.close()
    held = time.perf_counter() - started
    turn_until(resource.isDone)
    ended = time.perf_counter() - started
    seen.join()
    client.close()
    return held, ended, max(0.0, seen.at - started)


def _agree(request: Request) -> Answer:
    return Answer(id=request.id, ok=True, data={"scope": "once"})


if __name__ == "__main__":
    main()
