"""An agent on the GUI thread: every event there, every question answered there, nothing told after a stop."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject

from qt.conftest import client_of
from rillet.core.agent.events import StreamEvent
from rillet.core.errors import Cancelled, ServerError
from rillet.core.tools.tool import Tool, ToolContext, ToolResult
from rillet.core.tools.toolkit import Toolkit
from rillet.core.types.suspension import Answer, Request
from rillet.qt.agent import AgentClient, AgentListener, Reply
from support.fake_server import FakeServer, hold, respond, sse, sse_end, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytestqt.qtbot import QtBot

    from rillet.core.agent.result import RunResult
    from rillet.core.types import Usage
    from support.fake_server import Script

Kind = StreamEvent.Kind


class Diary(AgentListener):
    """Writes down every call, and on which thread it came."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.text = ""
        self.entries: list[tuple[Any, ...]] = []
        self.threads: set[int] = set()

    def onEvent(self, event: StreamEvent) -> None:
        self.threads.add(threading.get_ident())
        self.kinds.append(event.type)

    def onText(self, textDelta: str) -> None:
        self.text += textDelta

    def onToolCall(self, id: str, name: str, args: Mapping[str, Any]) -> None:
        self.entries.append(("call", id, name, dict(args)))

    def onToolResult(self, id: str, name: str, output: str, isError: bool) -> None:
        self.entries.append(("result", id, name, output, isError))

    def onUsage(self, usage: Usage) -> None:
        self.entries.append(("usage", usage.total_tokens))

    def onPending(self, request: Request) -> None:
        self.entries.append(("pending", request.id))

    def onDone(self, result: RunResult) -> None:
        self.entries.append(("done", result))

    def onError(self, error: Exception) -> None:
        self.entries.append(("error", error))


def calls(name: str, arguments: str = "{}", id: str = "c1") -> Script:
    """An answer that is a call of a tool."""
    function = {"name": name, "arguments": arguments}
    return stream(
        sse({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": id, "function": function}]}}]}), sse_end()
    )


def says(*texts: str) -> Script:
    """An answer in words."""
    return stream(*map(sse_text, texts), sse_end())


async def _weather(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    return ToolResult(f"sunny in {args['city']}")


async def _ask(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    if ctx.answer is None:
        return ToolResult.suspended(Request(id="r1", kind="question", prompt="Which?"))
    return ToolResult(f"told {ctx.answer.data}")


WEATHER = Tool("get_weather", "The weather", {"type": "object"}, _weather)
ASK = Tool("ask", "Asks", {"type": "object"}, _ask)


def test_everything_that_happens_is_told_on_the_gui_thread_in_order(qtbot: QtBot) -> None:
    with FakeServer(calls("get_weather", '{"city": "Chennai"}'), says("It is ", "sunny.")) as server:
        diary = Diary()
        agent = AgentClient(client_of(server))
        resource = agent.stream("weather?", Toolkit(extra_tools=[WEATHER]), diary)
        qtbot.waitUntil(resource.isDone)
        result = resource.get()
    assert diary.threads == {threading.get_ident()}
    assert diary.text == result.text == "It is sunny."
    assert diary.entries[0] == ("call", "c1", "get_weather", {"city": "Chennai"})
    assert diary.entries[1] == ("result", "c1", "get_weather", "sunny in Chennai", False)
    assert diary.entries[-1][1] is result
    assert diary.kinds[-1] == "done"
    assert diary.kinds.count("done") == 1


def test_a_burst_inside_a_run_is_delivered_whole(qtbot: QtBot) -> None:
    texts = [f"{number} " for number in range(5000)]
    with FakeServer(stream(b"".join(map(sse_text, texts)), sse_end())) as server:
        diary = Diary()
        resource = AgentClient(client_of(server)).stream("count", listener=diary)
        qtbot.waitUntil(resource.isDone)
    assert diary.text == "".join(texts)
    assert diary.kinds.count("text") == 5000


def test_a_conversation_with_an_id_goes_on(qtbot: QtBot) -> None:
    with FakeServer(says("Hi there."), says("Still here.")) as server:
        agent = AgentClient(client_of(server), systemPrompt="Be brief.")
        first = agent.ask("Hello", id="s").get(10)
        said: list[str] = []
        second = agent.ask("Still there?", id="s", onText=said.append).get(10)
    assert second.messages[: len(first.messages)] == first.messages
    assert [message.text for message in second.messages] == ["Hello", "Hi there.", "Still there?", "Still here."]
    assert said == ["Still here."]


def test_nothing_is_told_once_a_run_was_cancelled(qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        diary = Diary()
        resource = AgentClient(client_of(server)).stream("x", listener=diary)
        qtbot.waitUntil(lambda: diary.text == "a")
        told = len(diary.kinds)
        assert resource.cancel()
        qtbot.waitUntil(resource.isDone)
        assert server.wait_closed()
        with pytest.raises(Cancelled):
            resource.get()
    assert len(diary.kinds) == told
    assert not any(entry[0] in ("error", "done") for entry in diary.entries)


def test_a_failed_run_says_so_once_with_the_error_of_the_resource(qtbot: QtBot) -> None:
    with FakeServer(*[respond(500, {"error": {"message": "broken"}})] * 3) as server:
        diary = Diary()
        resource = AgentClient(client_of(server)).stream("x", listener=diary)
        qtbot.waitUntil(resource.isDone)
        with pytest.raises(ServerError) as caught:
            resource.get()
    assert [entry for entry in diary.entries if entry[0] == "error"] == [("error", caught.value)]


def test_a_question_is_answered_on_the_gui_thread_after_it_was_told(qtbot: QtBot) -> None:
    order: list[str] = []

    class Watching(Diary):
        def onPending(self, request: Request) -> None:
            order.append("told")

    def answer(request: Request) -> Answer:
        order.append("asked" if threading.current_thread() is threading.main_thread() else "asked elsewhere")
        return Answer(id=request.id, ok=True, data={"choice": "a"})

    with FakeServer(calls("ask"), says("Good.")) as server:
        diary = Watching()
        agent = AgentClient(client_of(server), waitFor=answer)
        result = agent.stream("x", Toolkit(extra_tools=[ASK]), diary).get(10)
    assert order == ["told", "asked"]
    assert result.tool_calls[0].output == "told {'choice': 'a'}"


def test_a_question_can_be_answered_by_a_signal_later(qtbot: QtBot) -> None:
    replies: list[Reply] = []
    with FakeServer(calls("ask"), says("Good.")) as server:
        agent = AgentClient(client_of(server))
        agent.asked.connect(replies.append)
        resource = agent.stream("x", Toolkit(extra_tools=[ASK]))
        qtbot.waitUntil(lambda: bool(replies))
        assert not resource.isDone()
        assert replies[0].answer(True, {"choice": "b"})
        assert not replies[0].answer(True)
        assert resource.get(30).tool_calls[0].output == "told {'choice': 'b'}"


def test_without_anybody_to_ask_a_run_ends_pending_and_goes_on_later(qtbot: QtBot) -> None:
    toolkit = Toolkit(extra_tools=[ASK])
    with FakeServer(calls("ask"), says("Good.")) as server:
        agent = AgentClient(client_of(server))
        waiting = agent.run("x", toolkit).get(10)
        assert waiting.status == "pending"
        assert waiting.pending is not None
        answer = Answer(id=waiting.pending.request.id, ok=True, data={"choice": "c"})
        done = agent.resume(waiting, answer, toolkit).get(10)
    assert (done.status, done.text) == ("done", "Good.")


def test_a_question_of_a_cancelled_run_needs_no_answer_any_more(qtbot: QtBot) -> None:
    replies: list[Reply] = []
    with FakeServer(calls("ask"), says("Good.")) as server:
        agent = AgentClient(client_of(server))
        agent.asked.connect(replies.append)
        resource = agent.stream("x", Toolkit(extra_tools=[ASK]))
        qtbot.waitUntil(lambda: bool(replies))
        resource.cancel()
        qtbot.waitUntil(resource.isDone)
    assert replies[0].isSettled
    assert not replies[0].answer(True)


def test_a_coroutine_needs_a_loop_that_turns_on_the_gui_thread(qtbot: QtBot) -> None:
    async def answer(request: Request) -> Answer:
        await asyncio.sleep(0)
        return Answer(id=request.id, ok=True)

    with FakeServer(calls("ask")) as server:
        resource = AgentClient(client_of(server), waitFor=answer).run("x", Toolkit(extra_tools=[ASK]))
        qtbot.waitUntil(resource.isDone)
        with pytest.raises(RuntimeError, match="qasync"):
            resource.get()


def test_a_tool_that_touches_widgets_runs_on_the_gui_thread(qtbot: QtBot) -> None:
    seen: list[bool] = []

    def look(args: dict[str, Any]) -> str:
        seen.append(threading.current_thread() is threading.main_thread())
        return "looked"

    toolkit = Toolkit(extra_tools=[Tool.native("look", "Looks", {"type": "object"}, look, run_on="gui")])
    with FakeServer(calls("look"), says("Done.")) as server:
        result = AgentClient(client_of(server)).run("x", toolkit).get(10)
    assert seen == [True]
    assert result.tool_calls[0].output == "looked"


def test_the_end_of_the_listener_is_the_end_of_the_run(qtbot: QtBot) -> None:
    class Child(QObject, AgentListener):
        pass

    with FakeServer(stream(sse_text("a"), hold)) as server:
        listener = Child()
        resource = AgentClient(client_of(server)).stream("x", listener=listener)
        assert server.wait_requests()
        listener.deleteLater()
        qtbot.waitUntil(resource.isDone)
        assert resource.isCancelled()
        assert server.wait_closed()


def test_a_toolkit_is_entered_once_and_left_with_the_client(qtbot: QtBot) -> None:
    events: list[str] = []

    class Watched(Toolkit):
        async def __aenter__(self) -> Toolkit:
            events.append("entered")
            return await super().__aenter__()

        async def aclose(self) -> None:
            events.append("left")
            await super().aclose()

    toolkit = Watched()
    with FakeServer(says("a"), says("b")) as server:
        agent = AgentClient(client_of(server))
        agent.run("x", toolkit).get(10)
        agent.run("y", toolkit).get(10)
        assert events == ["entered"]
        agent.close()
        qtbot.waitUntil(lambda: events == ["entered", "left"])


def test_a_run_that_is_stopped_while_its_toolkit_starts_takes_it_from_no_other(qtbot: QtBot) -> None:
    gate = threading.Event()
    starts: list[str] = []

    class Slow(Toolkit):
        async def start(self) -> None:
            starts.append("begun")
            await asyncio.to_thread(gate.wait, 10)
            await super().start()
            starts.append("done")

    with FakeServer(says("Hello.")) as server:
        agent = AgentClient(client_of(server))
        toolkit = Slow(builtins=False, extra_tools=[WEATHER])
        first, second = agent.stream("x", toolkit), agent.stream("y", toolkit)
        qtbot.waitUntil(lambda: starts == ["begun"])
        first.cancel()
        gate.set()
        assert second.get(10).text == "Hello."
        assert starts == ["begun", "done"]
        assert [tool["function"]["name"] for tool in server.requests[0].json["tools"]] == ["get_weather"]
        agent.close()


def test_a_toolkit_that_could_not_start_is_started_again(qtbot: QtBot) -> None:
    failures = [OSError("not yet")]

    class Late(Toolkit):
        async def start(self) -> None:
            if failures:
                raise failures.pop()

    with FakeServer(says("Hello.")) as server:
        agent = AgentClient(client_of(server))
        toolkit = Late()
        with pytest.raises(OSError, match="not yet"):
            agent.stream("x", toolkit).get(10)
        assert agent.stream("x", toolkit).get(10).text == "Hello."
        agent.close()
