"""A real model calls a real tool, reads what it gave, and answers: the built-in one, with worked examples before it.

A model this small has to be shown what calls look like; three examples in the history do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet import Agent, AsyncLlmClient, ChatMessage, ChatRequest, StreamEvent, ToolCallPart, Toolkit, tool
from rillet.core.providers.local_model import local_provider
from rillet.core.providers.local_server import LocalServer

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE = Path(__file__).parents[2] / "support" / "tools.jinja"
EXAMPLES = {"Rome": 28, "Oslo": 9, "Madrid": 31}
PARIS = 17


def worked_examples() -> list[ChatMessage]:
    """What calls look like, and what is to be made of their results."""
    history = []
    for number, (city, degrees) in enumerate(EXAMPLES.items()):
        call = ToolCallPart(f"c{number}", "get_weather", f'{{"city": "{city}"}}')
        history += [
            ChatMessage.user(f"What is the weather in {city}?"),
            ChatMessage.assistant("", call),
            ChatMessage.tool(call.id, f'{{"temp_c": {degrees}}}'),
            ChatMessage.assistant(f"It is {degrees} degrees in {city}."),
        ]
    return history


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = LocalServer(template=TEMPLATE.read_text(encoding="utf-8"))
    if not server.is_available:
        pytest.skip(f"NOT TESTED: A REAL MODEL CALLS A TOOL: {server.missing}")
    yield server
    server.stop()


async def test_the_built_in_model_calls_a_tool_and_answers_with_what_it_gave(server: LocalServer) -> None:
    asked: list[str] = []

    @tool
    def get_weather(city: str) -> str:
        """Get the current weather for a city."""
        asked.append(city)
        return f'{{"temp_c": {PARIS}}}'

    kinds = []
    async with (
        AsyncLlmClient(local_provider(server)) as client,
        Toolkit(builtins=False, extra_tools=[get_weather]) as toolkit,
    ):
        agent = Agent(client, base_request=ChatRequest((), temperature=0.0, max_tokens=60))
        result = await agent.run(
            "What is the weather in Paris?",
            toolkit,
            worked_examples(),
            on_event=lambda event: kinds.append(event.type),
        )
    assert asked == ["Paris"]
    assert result.status == "done"
    assert result.turns == 2
    assert re.search(rf"\b{PARIS}\b", result.text), result.text
    calls = (StreamEvent.Kind.TOOL_CALL, StreamEvent.Kind.TOOL_RESULT, StreamEvent.Kind.DONE)
    assert [kind for kind in kinds if kind in calls] == list(calls)
