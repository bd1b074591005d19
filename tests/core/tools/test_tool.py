from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.tool import Tool, ToolContext, ToolResult
from rillet.core.types import ToolSpec
from rillet.core.types.suspension import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}


def tool(execute: Callable[[], Awaitable[Any]]) -> Tool:
    async def executed(args: dict[str, Any], ctx: ToolContext) -> Any:
        return await execute()

    return Tool("t", "Does it.", SCHEMA, executed)


def call(each: Tool, args: dict[str, Any] | None = None, **context: Any) -> ToolResult:
    return asyncio.run(each.run(args or {}, ToolContext(**context)))


async def fine() -> ToolResult:
    return ToolResult("fine")


async def forever() -> ToolResult:
    await asyncio.get_running_loop().create_future()
    return ToolResult("never")


@pytest.mark.parametrize("name", ["a", "get_weather", "A-1", "x" * 64])
def test_a_name_is_what_every_provider_takes(name: str) -> None:
    assert Tool(name, "", {}, tool(fine).execute).spec == ToolSpec(name, "", {})


@pytest.mark.parametrize("name", ["", "a b", "a.b", "größe", "x" * 65, "a\n"])
def test_any_other_name_is_an_error_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="no name for a tool"):
        Tool(name, "", {}, tool(fine).execute)


def test_what_a_tool_gives_is_the_result() -> None:
    assert call(tool(fine)) == ToolResult("fine")


def test_arguments_that_break_the_schema_run_nothing() -> None:
    async def never() -> ToolResult:
        raise AssertionError("called")

    assert call(tool(never), {"x": "one"}) == ToolResult(
        'the arguments of t are wrong: x must be an integer, not "one"', is_error=True
    )


@pytest.mark.parametrize(
    ("error", "output"),
    [
        (LookupError("no such city"), "LookupError: no such city"),
        (KeyError(), "KeyError"),
        (SystemExit(1), "SystemExit: 1"),
        (RecursionError("deep"), "RecursionError: deep"),
        (ExceptionGroup("two", [ValueError("a")]), "ExceptionGroup: two (1 sub-exception)"),
        (TimeoutError("the database"), "TimeoutError: the database"),
    ],
)
def test_what_a_tool_raises_is_an_error_for_the_model(error: BaseException, output: str) -> None:
    async def fails() -> ToolResult:
        raise error

    assert call(tool(fails)) == ToolResult(output, is_error=True)


def test_what_is_no_result_is_an_error() -> None:
    async def text() -> str:
        return "text"

    result = call(tool(text))
    assert result.is_error
    assert "str" in result.output


def test_what_a_tool_raises_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> ToolResult:
        raise ValueError("canary")

    with caplog.at_level(logging.INFO):
        call(tool(fails))
    assert "ValueError" in caplog.text
    assert "canary" not in caplog.text


def test_a_call_takes_no_longer_than_it_may() -> None:
    assert call(tool(forever), timeout=0.01) == ToolResult("t did not end within 0.01 s", is_error=True)


def test_a_cancelled_call_is_cancelled() -> None:
    async def main() -> None:
        task = asyncio.create_task(tool(forever).run({}, ToolContext()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_what_a_tool_waited_for_may_be_cancelled_without_the_call() -> None:
    async def waits() -> ToolResult:
        other = asyncio.ensure_future(forever())
        asyncio.get_running_loop().call_soon(other.cancel)
        return await other

    assert call(tool(waits)) == ToolResult("CancelledError", is_error=True)


def test_a_suspended_result_carries_its_request() -> None:
    request = Request(id="1", kind="input", prompt="Which one?")
    suspended = ToolResult.suspended(request)
    assert (suspended.pending, suspended.output, suspended.is_error) == (request, "Which one?", False)
    assert ToolResult("x", metadata={"pending": "no request"}).pending is None
