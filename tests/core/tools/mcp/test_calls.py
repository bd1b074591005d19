"""A call from its first byte to its result: progress, questions, cancellation, sessions of today."""

from __future__ import annotations

import asyncio
import json
import os
import random
from typing import TYPE_CHECKING, Any

import mcp_types as protocol
import pytest

from rillet.core.tools.mcp.calls import Calls, RunningCall
from rillet.core.tools.mcp.elicitation import Declined, question, reply
from rillet.core.tools.mcp.log_ring import LogRing
from rillet.core.tools.mcp.patience import Patience
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.tool import ToolContext
from rillet.core.types.suspension import Answer, Request
from support.mcp.running import QUICK, SOON, call, running, scripted

if TYPE_CHECKING:
    from pathlib import Path

COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


def form(message: str = "Which colour?", schema: Any = None) -> protocol.ElicitRequestFormParams:
    return protocol.ElicitRequestFormParams(message=message, requested_schema=COLOUR if schema is None else schema)


def visit(url: str) -> protocol.ElicitRequestURLParams:
    return protocol.ElicitRequestURLParams(message="Look there.", url=url, elicitation_id="1")


def field(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string", **more}}}


async def blue(request: Request) -> Answer:
    return Answer(id=request.id, ok=True, data={"colour": "blue", "more": "nobody asked"})


# What is asked.


def test_a_question_is_a_request_with_the_form_as_its_schema() -> None:
    request = question("s", "paint", {"a": 1}, form())
    assert (request.kind, request.url) == ("input", None)
    assert request.prompt == "The server s asks, for its tool paint: Which colour?"
    assert request.data == {"server": "s", "tool": "paint", "schema": COLOUR}


def test_the_same_question_of_the_same_call_has_the_same_id_and_no_other() -> None:
    first = question("s", "paint", {"a": 1}, form())
    assert question("s", "paint", {"a": 1}, form()).id == first.id
    others = [
        question("t", "paint", {"a": 1}, form()),
        question("s", "draw", {"a": 1}, form()),
        question("s", "paint", {"a": 2}, form()),
        question("s", "paint", {"a": 1}, form("Which?")),
        question("s", "paint", {"a": 1}, form(schema=field("size"))),
    ]
    assert first.id not in {other.id for other in others}


@pytest.mark.parametrize(
    "params",
    [
        form(schema=field("password")),
        form(schema=field("apiKey")),
        form(schema=field("access_token")),
        form(schema=field("x", title="Your PIN")),
        form(schema=field("x", format="password")),
        form(schema=field("x", description="The API key of the service")),
        form(message="Please enter your password."),
        form(message="Paste the seed phrase of your wallet"),
        form(schema={}),
        form(schema={"type": "object", "properties": {}}),
        form(schema={"type": "object", "properties": {"a": 5}}),
        form(schema={"type": "object", "properties": {str(n): {"type": "string"} for n in range(60)}}),
        form(message="x" * 5000),
    ],
)
def test_a_form_is_no_place_for_secrets_or_floods(params: protocol.ElicitRequestFormParams) -> None:
    with pytest.raises(Declined):
        question("s", "t", {}, params)


@pytest.mark.parametrize(
    "params",
    [
        form(schema=field("name", description="Your name. Do not enter passwords or a PIN here.")),
        form(schema=field("email")),
        form(schema=field("max_lines")),
        form(schema=field("pinned")),
        form(message="How many words may it have, without any credentials in it?"),
    ],
)
def test_ordinary_questions_are_asked(params: protocol.ElicitRequestFormParams) -> None:
    assert question("s", "t", {}, params).kind == "input"


@pytest.mark.parametrize("url", ["https://example.com/pay?x=1", "http://127.0.0.1:8000/", "http://localhost/"])
def test_an_address_to_visit_is_a_request_to_go_there(url: str) -> None:
    request = question("s", "t", {}, visit(url))
    assert (request.kind, request.url) == ("authorization", url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "https://localhost/admin", "https://[::1]/"])
def test_a_server_elsewhere_sends_nobody_to_this_machine(url: str) -> None:
    with pytest.raises(Declined):
        question("s", "t", {}, visit(url), is_local=False)


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "javascript:alert(1)", "file:///etc/passwd", "calc:", "https://", "https://u:p@h/"),
        *("ms-msdt:x", "https://h/\u202e", "https://[bad", "HTTP://example.com"),
    ],
)
def test_an_address_that_is_not_safe_is_shown_to_nobody(url: str) -> None:
    with pytest.raises(Declined):
        question("s", "t", {}, visit(url))


@pytest.mark.parametrize(
    ("answer", "action", "content"),
    [
        (Answer(id="x", ok=True, data={"colour": "blue"}), "accept", {"colour": "blue"}),
        (Answer(id="x", ok=True, data={"colour": "blue", "other": "1"}), "accept", {"colour": "blue"}),
        (Answer(id="x", ok=True, data={"colour": 5}), "cancel", None),
        (Answer(id="x", ok=True), "cancel", None),
        (Answer(id="x", ok=False), "cancel", None),
        (Answer(id="x", ok=False, reason="I do not like it"), "decline", None),
    ],
)
def test_a_server_is_told_what_fits_its_form_or_that_there_is_no_answer(
    answer: Answer, action: str, content: object
) -> None:
    told = reply(question("s", "t", {}, form()), answer)
    assert (told.action, told.content) == (action, content)


def test_what_was_left_out_is_what_the_form_says() -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "default": "Ann"}, "age": {"type": "integer"}},
    }
    request = question("s", "t", {}, form(schema=schema))
    assert reply(request, Answer(id="x", ok=True, data={"age": 5})).content == {"name": "Ann", "age": 5}
    assert reply(request, Answer(id="x", ok=True, data={"name": "Bob"})).content == {"name": "Bob"}
    assert reply(request, Answer(id="x", ok=True)).content == {"name": "Ann"}


# Whom to ask.


async def test_a_question_of_one_chat_is_never_put_in_another() -> None:
    calls = Calls(LogRing())
    for chat in ("one", "other"):
        calls.add(RunningCall("s", "t", {}, ToolContext(chat=chat, ask=blue), SOON))
    assert (await calls.elicit(form())).action == "decline"


async def test_of_several_calls_none_is_suspended_for_a_question_that_may_be_another_ones() -> None:
    calls = Calls(LogRing())
    both = [RunningCall("s", tool, {}, ToolContext(), SOON) for tool in ("pay", "paint")]
    for each in both:
        calls.add(each)
    assert (await calls.elicit(form())).action == "decline"
    assert [each.suspended_on for each in both] == [None, None]


async def test_of_several_calls_the_one_that_was_repeated_with_the_answer_gets_it() -> None:
    calls = Calls(LogRing())
    answer = Answer(id=question("s", "pay", {}, form()).id, ok=True, data={"colour": "green"})
    calls.add(RunningCall("s", "pay", {}, ToolContext(answer=answer), SOON))
    calls.add(RunningCall("s", "paint", {}, ToolContext(), SOON))
    assert (await calls.elicit(form())).content == {"colour": "green"}


async def test_a_question_that_belongs_to_no_call_is_declined() -> None:
    assert (await Calls(LogRing()).elicit(form())).action == "decline"


async def test_one_question_at_a_time() -> None:
    asked: list[Request] = []
    answers: asyncio.Queue[Answer] = asyncio.Queue()

    async def ask(request: Request) -> Answer:
        asked.append(request)
        return await answers.get()

    running_call = RunningCall("s", "t", {}, ToolContext(ask=ask), SOON)
    async with Patience(SOON) as patience:
        running_call.limited_by(patience)
        first = asyncio.create_task(running_call.elicit(form()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (await running_call.elicit(form("And which size?"))).action == "cancel"
        answers.put_nowait(Answer(id="x", ok=True, data={"colour": "red"}))
        assert (await first).content == {"colour": "red"}
    assert len(asked) == 1


async def test_a_host_that_fails_to_ask_tells_the_server_nothing_of_it() -> None:
    async def ask(request: Request) -> Answer:
        raise OSError("canary")

    calls = Calls(LogRing())
    running_call = RunningCall("s", "t", {}, ToolContext(ask=ask), SOON)
    calls.add(running_call)
    async with Patience(SOON) as patience:
        running_call.limited_by(patience)
        told = await calls.elicit(form())
    assert "canary" not in told.model_dump_json()
    assert told.action == "decline"


# The whole way.


async def test_progress_is_passed_on() -> None:
    told: asyncio.Queue[tuple[float, float | None, str]] = asyncio.Queue()
    async with running(scripted("progress-for-ever", name="s")) as servers:
        ctx = ToolContext(progress=lambda done, total, message: told.put_nowait((done, total, message)))
        calling = asyncio.create_task(call(servers, "s_echo", ctx=ctx))
        assert await told.get() == (1.0, None, "")
        calling.cancel()


async def test_a_server_that_is_always_done_is_heard_once() -> None:
    told: list[float] = []
    ctx = ToolContext(progress=lambda done, total, message: told.append(done))
    running_call = RunningCall("s", "echo", {}, ctx, SOON)
    for done in range(1, 1001):
        await running_call.on_progress(done, done, None)
    assert len(told) < 100


async def test_the_end_of_progress_is_told_however_soon_it_comes() -> None:
    told: list[float] = []
    ctx = ToolContext(progress=lambda done, total, message: told.append(done))
    running_call = RunningCall("s", "echo", {}, ctx, SOON)
    await running_call.on_progress(1, 2, None)
    await running_call.on_progress(2, 2, None)
    assert told == [1, 2]


async def test_the_user_is_asked_in_the_middle_of_a_call() -> None:
    async with running(scripted("asks", name="s")) as servers:
        result = await call(servers, "s_echo", ctx=ToolContext(ask=blue))
    assert json.loads(result.output) == {"action": "accept", "content": {"colour": "blue"}}


async def test_time_to_think_is_not_the_servers() -> None:
    async def slowly(request: Request) -> Answer:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 3 * QUICK)
        return await blue(request)

    async with running(scripted("asks", name="s", limits={"call_timeout": 2 * QUICK})) as servers:
        result = await call(servers, "s_echo", ctx=ToolContext(ask=slowly))
    assert not result.is_error


async def test_without_anybody_there_the_call_suspends_and_is_repeated_with_the_answer() -> None:
    async with running(scripted("asks", name="s")) as servers:
        suspended = await call(servers, "s_echo")
        request = suspended.pending
        assert request is not None
        assert request.kind == "input"
    # Another program, later: the request has waited in a file.
    request = Request.from_json(request.to_json())
    async with running(scripted("asks", name="s")) as servers:
        answer = Answer(id=request.id, ok=True, data={"colour": "green"})
        result = await call(servers, "s_echo", ctx=ToolContext(answer=answer))
        assert json.loads(result.output) == {"action": "accept", "content": {"colour": "green"}}
        refused = await call(servers, "s_echo", ctx=ToolContext(answer=Answer(id=request.id, ok=False)))
        assert json.loads(refused.output) == {"action": "cancel"}


async def test_an_answer_to_another_question_is_not_used() -> None:
    async with running(scripted("asks", name="s")) as servers:
        answer = Answer(id="mcp-of-another-call", ok=True, data={"colour": "green"})
        result = await call(servers, "s_echo", ctx=ToolContext(answer=answer))
        assert result.pending is not None


async def test_a_secret_is_never_asked_for() -> None:
    async def ask(request: Request) -> Answer:
        raise AssertionError("nobody should be asked")

    async with running(scripted("asks-for-a-secret", name="s")) as servers:
        result = await call(servers, "s_echo", ctx=ToolContext(ask=ask))
        assert json.loads(result.output) == {"action": "decline"}
        assert any("may be a secret" in line for line in servers.servers["s"].log.lines)


async def test_a_question_is_gone_when_its_call_is() -> None:
    asking = asyncio.Event()
    gone = asyncio.Event()

    async def ask(request: Request) -> Answer:
        asking.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        raise AssertionError

    async with running(scripted("asks-and-waits", name="s")) as servers:
        calling = asyncio.create_task(call(servers, "s_echo", ctx=ToolContext(ask=ask)))
        async with asyncio.timeout(SOON):
            await asking.wait()
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            await gone.wait()


async def test_a_cancelled_call_is_told_to_the_server_which_goes_on_working() -> None:
    async with running(scripted("tells-cancellation", name="s")) as servers:
        waiting = asyncio.create_task(call(servers, "s_echo", {"text": "wait"}))
        await asyncio.sleep(0)
        first = await call(servers, "s_echo", {"text": "tell"})
        assert json.loads(first.output) == []
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        told = json.loads((await call(servers, "s_echo", {"text": "tell"})).output)
        assert len(told) == 1


@pytest.mark.parametrize("behaviour", ["never-answers-call", "never-reads-calls"])
async def test_cancelling_does_not_wait_for_a_server_that_does_not_listen(behaviour: str) -> None:
    async with running(scripted(behaviour, name="s")) as servers:
        large = {"text": "x" * 3_000_000} if behaviour == "never-reads-calls" else {}
        calling = asyncio.create_task(call(servers, "s_echo", large))
        for _ in range(10):
            await asyncio.sleep(0)
        calling.cancel()
        async with asyncio.timeout(QUICK):
            with pytest.raises(asyncio.CancelledError):
                await calling


async def test_stopping_at_any_moment_leaves_a_server_that_works() -> None:
    moments = random.Random(4711)
    async with running(scripted("good", name="s")) as servers:
        tasks = len(asyncio.all_tasks())
        for _ in range(int(os.environ.get("RILLET_MCP_STOPS", "100"))):
            calling = asyncio.create_task(call(servers, "s_echo", {"text": "x" * moments.randrange(1000)}))
            for _ in range(moments.randrange(30)):
                await asyncio.sleep(0)
            calling.cancel()
            await asyncio.wait([calling])
            assert len(asyncio.all_tasks()) == tasks
        assert (await call(servers, "s_echo", {"text": "hello"})).output == "hello"


async def test_arguments_with_half_a_character_arrive() -> None:
    async with running(scripted("good", name="s")) as servers:
        assert (await call(servers, "s_echo", {"text": "a\ud83d"})).output == "a\ufffd"


async def test_the_workspace_is_named_only_where_it_is_trusted(tmp_path: Path) -> None:
    async with running(scripted("wants-the-roots", name="s")) as servers:
        assert json.loads((await call(servers, "s_echo")).output) == "refused"
    trusted = Surroundings(workspace=tmp_path)
    async with running(scripted("wants-the-roots", name="s"), surroundings=trusted) as servers:
        (root,) = json.loads((await call(servers, "s_echo")).output)["roots"]
        assert root["uri"] == tmp_path.as_uri()


async def test_a_server_of_today_asks_by_its_answer() -> None:
    async with running(scripted("of-today", name="s")) as servers:
        result = await call(servers, "s_echo", ctx=ToolContext(ask=blue))
        responses, state = json.loads(result.output)
        assert responses["k"]["content"] == {"colour": "blue"}
        assert state == "state"
        suspended = await call(servers, "s_echo")
        assert suspended.pending is not None
        answer = Answer(id=suspended.pending.id, ok=True, data={"colour": "red"})
        result = await call(servers, "s_echo", ctx=ToolContext(answer=answer))
        assert json.loads(result.output)[0]["k"]["content"] == {"colour": "red"}
