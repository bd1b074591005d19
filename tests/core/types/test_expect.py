"""Mistakes of newcomers are answered where they are made, with what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet import Agent, ChatMessage, ChatRequest, ImagePart, Toolkit, tool

if TYPE_CHECKING:
    from collections.abc import Callable

GREETING = ChatMessage.user("Hi")
WRONG: Any = print  # (whatever is given in a wrong place is wrong for the type checker too)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda wrong: ChatRequest("Hi"), r"cannot be a str: write ChatMessage\.user"),  # type: ignore[arg-type]
        (lambda wrong: ChatRequest([{"role": "user"}]), "cannot be a dict"),  # type: ignore[list-item]
        (lambda wrong: ChatRequest(GREETING), "messages cannot be a ChatMessage: a list"),  # type: ignore[arg-type]
        (lambda wrong: ChatRequest([ChatMessage]), "the class ChatMessage itself"),  # type: ignore[list-item]
        (lambda wrong: ChatMessage("user", "Hi"), "made of cannot be a str"),  # type: ignore[arg-type]
        (lambda wrong: ChatMessage.user(["Hi"]), "text of a message cannot be a list"),  # type: ignore[arg-type]
        (lambda wrong: ChatMessage.user("Hi", b"png"), r"cannot be a bytes: write ImagePart"),  # type: ignore[arg-type]
        (lambda wrong: ImagePart("cat.png"), "cannot be a str: read the file"),  # type: ignore[arg-type]
        (lambda wrong: Toolkit(extra_tools=[wrong]), "decorate a function with @tool"),
        (lambda wrong: Toolkit(mcp={"mcpServers": {}}), r"McpServers\.from_config"),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_with_what_to_write_instead(
    make: Callable[[Any], object], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        make(WRONG)


async def test_a_list_of_tools_is_no_toolkit() -> None:
    agent = Agent.create(base_url="http://127.0.0.1:9/v1", model="m")
    tools: Any = [tool(_add)]
    with pytest.raises(TypeError, match=r"cannot be a list: write Toolkit\(extra_tools="):
        await agent.run("go", tools)


def _add(a: int, b: int) -> int:
    return a + b
