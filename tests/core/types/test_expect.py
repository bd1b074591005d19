"""Mistakes of newcomers are answered where they are made, with what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet import (
    Agent,
    AsyncLlmClient,
    ChatMessage,
    ChatRequest,
    EmbeddingRequest,
    ImagePart,
    Provider,
    Request,
    Toolkit,
    ToolResult,
    tool,
)
from support.fake_server import FakeServer, answer
from support.scripted import ScriptedModel, calls

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
        (lambda wrong: EmbeddingRequest(["a", 1], "m"), "an input cannot be an int: only texts"),  # type: ignore[list-item]
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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prompt": None}, "a prompt cannot be None: write a text"),
        ({"prompt": "go", "history": "before"}, "message of the history cannot be a str"),
        ({"prompt": "go", "on_event": "print"}, "on_event cannot be a str: give it a function"),
    ],
)
async def test_a_run_refuses_what_it_cannot_begin_with(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        await Agent.create(base_url="http://127.0.0.1:9/v1", model="m").run(**options)


def test_the_path_of_a_file_is_no_store_of_conversations() -> None:
    path: Any = "memory.db"
    with pytest.raises(TypeError, match=r"write ConversationFile\(path\)"):
        Agent.create(base_url="http://127.0.0.1:9/v1", model="m", conversation_store=path)


async def test_an_answer_that_is_none_ends_the_run_with_how_one_is_written() -> None:
    def asks() -> ToolResult:
        return ToolResult.suspended(Request(id="q", kind="question", prompt="Which?"))

    def yes(request: Request) -> Any:
        return True

    agent = Agent(ScriptedModel(calls(("c1", "asks", "{}"))), wait_for=yes)
    with pytest.raises(TypeError, match=r"write Answer\(id=request\.id, ok=True\)"):
        await agent.run("go", Toolkit(builtins=False, extra_tools=[tool(asks)]))


async def test_a_closed_client_says_so_whether_it_had_connections_or_not() -> None:
    with FakeServer(answer("a")) as server:
        for requests in (0, 1):
            async with AsyncLlmClient(Provider("p", "openai", f"{server.url}/v1", default_model="m")) as client:
                for _ in range(requests):
                    await client.chat(ChatRequest([GREETING]))
            with pytest.raises(RuntimeError, match="this client was closed"):
                await client.chat(ChatRequest([GREETING]))
        assert len(server.requests) == 1


def _add(a: int, b: int) -> int:
    return a + b
