"""The loop against a scripted model: what goes out, what comes back, in which order it is told, and where it ends."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.history import CANCELLED, NO_ANSWER
from rillet.core.errors import InvalidRequestError, NetworkError, OverloadedError, ServerError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    Delta,
    Finished,
    ImagePart,
    PartDelta,
    ReasoningDelta,
    ReasoningPart,
    Restarted,
    RetryNotice,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    ToolResultPart,
    Usage,
    UsageDelta,
)
from support.scripted import BatchModel, Kind, ScriptedModel, calls, kinds, of_kind, says, shelf, tool

WEATHER = ("c1", "weather", '{"city": "Chennai"}')


def weather(args: dict[str, Any], _: object) -> str:
    return f"sunny in {args['city']}"


async def watched(agent: Agent, prompt: str = "hello", toolkit: Any = None) -> list[StreamEvent]:
    return [event async for event in agent.stream(prompt, toolkit)]


# Without tools


async def test_an_answer_without_tool_calls_is_the_end() -> None:
    model = ScriptedModel("Hello there.")
    result = await Agent(model).run("hello")
    assert result.text == "Hello there."
    assert result.status == "done"
    assert (result.turns, result.tool_calls, result.limit, result.pending) == (1, (), None, None)
    assert result.model == "scripted-1"
    assert result.messages == (ChatMessage.user("hello"), ChatMessage.assistant("Hello there."))


async def test_without_tools_none_are_offered() -> None:
    model = ScriptedModel("a", "b")
    await Agent(model).run("hello")
    await Agent(model).run("hello", shelf())
    assert [request.tools for request in model.requests] == [(), ()]


async def test_history_comes_before_the_prompt_and_is_part_of_the_result() -> None:
    model = ScriptedModel("Again?")
    history = [ChatMessage.user("hello"), ChatMessage.assistant("Hi.")]
    result = await Agent(model).run("hello", history=history)
    assert model.requests[0].messages == (*history, ChatMessage.user("hello"))
    assert result.messages == (*history, ChatMessage.user("hello"), ChatMessage.assistant("Again?"))


async def test_a_prompt_may_be_a_message_with_attachments() -> None:
    model = ScriptedModel("A cat.")
    prompt = ChatMessage.user("what is this?", ImagePart(b"png"))
    result = await Agent(model).run(prompt)
    assert model.requests[0].messages == (prompt,)
    assert result.messages[0] is prompt


@pytest.mark.parametrize(
    ("own", "skills", "sent"),
    [
        ("Be brief.", "Skills: none", "Be brief.\n\nSkills: none"),
        ("Be brief.", "", "Be brief."),
        (None, "Skills: none", "Skills: none"),
    ],
)
async def test_the_system_prompt_is_the_hosts_a_blank_line_and_the_skills(
    own: str | None, skills: str, sent: str
) -> None:
    model = ScriptedModel("ok")
    result = await Agent(model, system_prompt=own).run("hello", shelf(skills_prompt=skills))
    assert model.requests[0].messages[0] == ChatMessage.system(sent)
    assert all(message.role != "system" for message in result.messages), "it is made anew for each run"


async def test_without_any_system_prompt_none_is_sent() -> None:
    model = ScriptedModel("ok")
    await Agent(model).run("hello", shelf())
    assert [message.role for message in model.requests[0].messages] == ["user"]


async def test_requests_start_from_the_base_request() -> None:
    model = ScriptedModel(calls(WEATHER), "ok")
    base = ChatRequest([ChatMessage.user("ignored")], model="exact/Model:1", temperature=0.5, extra_body={"a": 1})
    agent = Agent(model, base_request=base, request_params={"b": 2})
    await agent.run("hello", shelf(tool("weather", weather)))
    for request in model.requests:
        assert request.model == "exact/Model:1"
        assert request.temperature == 0.5
        assert request.extra_body == {"a": 1, "b": 2}
        assert ChatMessage.user("ignored") not in request.messages


# With tools


async def test_a_tool_is_called_and_its_result_goes_back() -> None:
    model = ScriptedModel(calls(WEATHER, text="Let me look."), "It is sunny.")
    toolkit = shelf(tool("weather", weather))
    result = await Agent(model).run("weather?", toolkit)
    assert model.requests[0].tools == toolkit.specs
    turn = (
        ChatMessage.assistant("Let me look.", ToolCallPart(*WEATHER)),
        ChatMessage("tool", (ToolResultPart("c1", "sunny in Chennai"),)),
    )
    assert model.requests[1].messages == (ChatMessage.user("weather?"), *turn)
    assert result.messages == (*model.requests[1].messages, ChatMessage.assistant("It is sunny."))
    assert result.text == "It is sunny."
    [record] = result.tool_calls
    assert (record.id, record.name, record.args) == ("c1", "weather", {"city": "Chennai"})
    assert (record.output, record.is_error) == ("sunny in Chennai", False)
    assert record.ms > 0
    assert (result.tool_call_count, result.turns) == (1, 2)


async def test_events_come_in_the_stated_order() -> None:
    usage = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    model = ScriptedModel(
        [ReasoningDelta("hm"), *calls(WEATHER, text="Let me look.", usage=usage)], says("It is sunny.", usage=usage)
    )
    events = await watched(Agent(model), "weather?", shelf(tool("weather", weather)))
    assert kinds(events) == [
        Kind.TURN,
        Kind.REASONING,
        Kind.TEXT,
        Kind.TOOL_CALL_DELTA,
        Kind.USAGE,
        Kind.TOOL_CALL,
        Kind.TOOL_RESULT,
        Kind.TURN,
        Kind.TEXT,
        Kind.USAGE,
        Kind.DONE,
    ]
    assert [event.turn for event in of_kind(events, Kind.TURN)] == [1, 2]
    [call] = of_kind(events, Kind.TOOL_CALL)
    assert (call.id, call.name, call.args) == ("c1", "weather", {"city": "Chennai"})
    [ended] = of_kind(events, Kind.TOOL_RESULT)
    assert (ended.id, ended.name, ended.output, ended.is_error) == ("c1", "weather", "sunny in Chennai", False)


async def test_usage_is_summed_over_the_turns_and_told_once_per_turn() -> None:
    first = [UsageDelta(Usage(prompt_tokens=1)), *calls(WEATHER, usage=Usage(prompt_tokens=3, completion_tokens=2))]
    second = says("ok", usage=Usage(prompt_tokens=10, total_tokens=11, cached_tokens=4))
    events = await watched(Agent(ScriptedModel(first, second)), "?", shelf(tool("weather", weather)))
    told = [event.usage for event in of_kind(events, Kind.USAGE)]
    assert told == [
        Usage(prompt_tokens=3, completion_tokens=2),
        Usage(prompt_tokens=13, completion_tokens=2, total_tokens=11, cached_tokens=4),
    ]
    assert events[-1].result is not None
    assert events[-1].result.usage == told[-1]


async def test_without_counts_no_usage_is_told() -> None:
    events = await watched(Agent(ScriptedModel("ok")))
    assert of_kind(events, Kind.USAGE) == []
    assert events[-1].result is not None
    assert events[-1].result.usage is None


async def test_every_delta_becomes_one_event() -> None:
    image = ImagePart(b"png")
    error = OverloadedError("busy")
    script: list[Delta] = [
        RetryNotice(2, 0.5, error),
        TextDelta("a"),
        TextDelta(""),
        Restarted(),
        ReasoningDelta("", {"signature": "s"}),
        ReasoningDelta("b"),
        ToolCallDelta(0, "c1", "weather", '{"city":'),
        ToolCallDelta(0, None, None, ' "X"}'),
        PartDelta(image),
        Finished("tool_calls"),
    ]
    events = await watched(Agent(ScriptedModel(script, "ok")), "?", shelf(tool("weather", weather)))
    assert events[:7] == [
        StreamEvent(Kind.TURN, turn=1),
        StreamEvent(Kind.RETRY, attempt=2, delay=0.5, error=error),
        StreamEvent(Kind.TEXT, "a"),
        StreamEvent(Kind.RESTARTED),
        StreamEvent(Kind.REASONING, "b"),
        StreamEvent(Kind.TOOL_CALL_DELTA, '{"city":', id="c1", name="weather"),
        StreamEvent(Kind.TOOL_CALL_DELTA, ' "X"}'),
    ]
    assert events[7] == StreamEvent(Kind.PART, part=image)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
async def test_a_model_that_hands_out_batches_is_read_in_batches(size: int) -> None:
    model = BatchModel(calls(WEATHER, text="Let me look."), says("It is very sunny there."), size=size)
    events = await watched(Agent(model), "?", shelf(tool("weather", weather)))
    plain = ScriptedModel(calls(WEATHER, text="Let me look."), says("It is very sunny there."))
    expected = await watched(Agent(plain), "?", shelf(tool("weather", weather)))
    assert events[:-1] == expected[:-1]
    assert events[-1].result is not None
    assert events[-1].result.text == "It is very sunny there."


# Where it ends


async def test_after_max_turns_it_is_incomplete_and_says_why() -> None:
    model = ScriptedModel(*[calls((f"c{n}", "weather", '{"city": "X"}'), text=f"Turn {n}.") for n in range(3)])
    result = await Agent(model, max_turns=3).run("?", shelf(tool("weather", weather)))
    assert (result.status, result.limit, result.turns) == ("incomplete", "max_turns", 3)
    assert result.text == "Turn 2."
    assert result.tool_call_count == 3
    assert result.messages[-1].role == "tool", "the tools of the last turn were run"


async def test_a_run_goes_on_from_an_incomplete_one() -> None:
    model = ScriptedModel(calls(WEATHER), "Fine.")
    toolkit = shelf(tool("weather", weather))
    first = await Agent(model, max_turns=1).run("?", toolkit)
    second = await Agent(model).run("go on", toolkit, first.messages)
    assert model.requests[1].messages == (
        *first.messages,
        ChatMessage.assistant(NO_ANSWER),
        ChatMessage.user("go on"),
    )
    assert second.repairs == ("a missing answer was noted as such",)


async def test_a_model_that_says_nothing_ends_the_run_without_an_empty_message() -> None:
    result = await Agent(ScriptedModel([Finished("stop")])).run("hello")
    assert (result.status, result.text) == ("done", "")
    assert result.messages == (ChatMessage.user("hello"),)


async def test_a_model_that_says_only_blanks_has_said_nothing() -> None:
    result = await Agent(ScriptedModel(says(" \n"))).run("hello")
    assert (result.status, result.text) == ("done", " \n")
    assert result.messages == (ChatMessage.user("hello"),)


@pytest.mark.parametrize("prompt", ["", "  "])
async def test_where_nothing_was_said_nothing_is_sent(prompt: str) -> None:
    model = ScriptedModel("ok")
    with pytest.raises(InvalidRequestError, match="nothing to answer"):
        await Agent(model, system_prompt="Be brief.").run(prompt)
    assert model.requests == []


async def test_an_empty_prompt_has_what_was_said_last_answered_again() -> None:
    model = ScriptedModel("Hi.")
    result = await Agent(model).run("", history=[ChatMessage.user("hello")])
    assert result.messages == (ChatMessage.user("hello"), ChatMessage.assistant("Hi."))


async def test_an_answer_cut_by_the_token_limit_is_incomplete() -> None:
    result = await Agent(ScriptedModel(says("Once upon a", finish="length"))).run("a story")
    assert (result.status, result.limit, result.finish_reason) == ("incomplete", "max_tokens", "length")
    assert result.messages[-1] == ChatMessage.assistant("Once upon a")


async def test_a_refusal_is_told_apart_from_an_answer() -> None:
    result = await Agent(ScriptedModel([Finished("refusal", refusal="I cannot.")])).run("?")
    assert (result.text, result.refusal, result.finish_reason) == ("", "I cannot.", "refusal")


async def test_a_paused_answer_goes_on_and_is_one_answer() -> None:
    model = ScriptedModel(says("Searching… ", finish="pause"), says("found it."))
    result = await Agent(model).run("?")
    paused = ChatMessage.assistant("Searching… ")
    assert model.requests[1].messages == (ChatMessage.user("?"), paused)
    assert result.text == "Searching… found it."
    assert result.messages[1:] == (ChatMessage("assistant", (*paused.parts, TextPart("found it."))),)
    assert result.turns == 2


async def test_text_before_tool_calls_is_not_part_of_the_final_text() -> None:
    model = ScriptedModel(says("Wait. ", finish="pause"), calls(WEATHER, text="Looking. "), says("Sunny."))
    result = await Agent(model).run("?", shelf(tool("weather", weather)))
    assert result.text == "Sunny."


async def test_reasoning_goes_back_with_its_signature() -> None:
    thought = [ReasoningDelta("hm"), ReasoningDelta("", {"signature": "sig"})]
    model = ScriptedModel([*thought, *calls(WEATHER)], "Sunny.")
    await Agent(model).run("?", shelf(tool("weather", weather)))
    answer = model.requests[1].messages[1]
    assert answer.parts[0] == ReasoningPart("hm", provider_metadata={"signature": "sig"})


# Failures


async def test_an_error_ends_the_run_with_what_had_arrived() -> None:
    model = ScriptedModel([TextDelta("Hel"), TextDelta("lo"), ServerError("boom")])
    with pytest.raises(ServerError) as caught:
        await Agent(model).run("hello")
    assert caught.value.partial is not None
    assert caught.value.partial.text == "Hello"


async def test_an_answer_without_its_end_is_no_answer() -> None:
    with pytest.raises(NetworkError) as caught:
        await Agent(ScriptedModel([TextDelta("Hel")])).run("hello")
    assert caught.value.partial is not None
    assert caught.value.partial.text == "Hel"


async def test_nothing_is_sent_again_by_the_loop() -> None:
    model = ScriptedModel([OverloadedError("busy")], "never")
    with pytest.raises(OverloadedError):
        await Agent(model).run("hello")
    assert len(model.requests) == 1


async def test_a_broken_history_is_repaired_and_the_repair_is_told() -> None:
    broken = [ChatMessage.user("?"), ChatMessage.assistant("", ToolCallPart(*WEATHER))]
    model = ScriptedModel("ok")
    told: list[StreamEvent] = []
    result = await Agent(model).run("go on", history=broken, on_event=told.append)
    assert told[0].type is Kind.REPAIRED
    assert told[0].repairs == result.repairs
    assert "a tool call without a result was noted as cancelled" in result.repairs
    assert ChatMessage.tool("c1", CANCELLED, is_error=True) in model.requests[0].messages


async def test_images_of_a_result_reach_the_model() -> None:
    image = ImagePart(b"png")
    model = ScriptedModel(calls(("c1", "look", "{}")), "A cat.")
    events = await watched(Agent(model), "?", shelf(tool("look", lambda *_: ToolResult("here", images=(image,)))))
    assert model.requests[1].messages[-1].parts == (ToolResultPart("c1", "here", images=(image,)),)
    assert of_kind(events, Kind.TOOL_RESULT)[0].images == (image,)


@pytest.mark.parametrize("name", ["max_turns", "max_parallel_tools"])
def test_limits_count_from_one(name: str) -> None:
    options: Any = {name: 0}
    with pytest.raises(ValueError, match="count from 1"):
        Agent(ScriptedModel(), **options)
