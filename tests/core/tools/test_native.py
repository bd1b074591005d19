from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import pytest

import rillet
from rillet.core.tools.native import tool
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from rillet.core.tools.tool import ToolContext  # noqa: TC004 (hints have to resolve without it)

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def context(**fields: Any) -> ToolContext:
    from rillet.core.tools.tool import ToolContext

    return ToolContext(**fields)


def call(tool: Tool, args: dict[str, Any], ctx: ToolContext | None = None) -> ToolResult:
    return asyncio.run(tool.run(args, ctx or context()))


@dataclass
class Place:
    name: str
    height: float = 0


@tool
def get_weather(
    city: Annotated[str, "Name of the city"],
    unit: Literal["c", "f"] = "c",
    days: int = 1,
    near: Optional[Place] = None,  # noqa: UP045 (as hosts write it)
) -> str:
    """The weather of the next days.

    Args:
        days: How many days.
    """
    return f"{city} {unit} {days} {near}"


def test_a_tool_is_known_by_name_docstring_and_hints() -> None:
    assert get_weather.name == "get_weather"
    assert get_weather.description == "The weather of the next days."
    assert get_weather.source == "native"
    assert get_weather.input_schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city"},
            "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
            "days": {"type": "integer", "description": "How many days.", "default": 1},
            "near": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "height": {"type": "number", "default": 0}},
                        "additionalProperties": False,
                        "required": ["name"],
                    },
                    {"type": "null"},
                ]
            },
        },
        "additionalProperties": False,
        "required": ["city"],
    }


def test_arguments_arrive_as_their_types_and_defaults_fill_the_rest() -> None:
    assert call(get_weather, {"city": "Oslo"}).output == "Oslo c 1 None"
    args = {"city": "Oslo", "unit": "f", "days": 2, "near": {"name": "Moss", "height": 1}}
    assert call(get_weather, args).output == "Oslo f 2 Place(name='Moss', height=1.0)"


@pytest.mark.parametrize("args", [{}, {"city": 5}, {"city": "Oslo", "days": "2"}, {"city": "Oslo", "town": "Moss"}])
def test_wrong_arguments_go_back_to_the_model_and_nothing_runs(args: dict[str, Any]) -> None:
    ran: list[dict[str, Any]] = []
    weather = Tool.native("weather", "", get_weather.input_schema, ran.append)
    for each in (weather, get_weather):
        result = call(each, args)
        assert result.is_error
        assert result.output.startswith(f"the arguments of {each.name} are wrong: ")
    assert ran == []


def test_an_explicit_schema_takes_a_function_of_the_arguments() -> None:
    weather = Tool.native("get_weather", "Current weather", CITY, lambda args: "sunny in " + args["city"])
    assert call(weather, {"city": "Chennai"}) == ToolResult("sunny in Chennai")


def test_a_function_of_two_gets_the_context_as_well() -> None:
    both = Tool.native("both", "", CITY, lambda args, ctx: f"{args['city']} {ctx.call_id}")
    assert call(both, {"city": "Oslo"}, context(call_id="c1")).output == "Oslo c1"


def test_a_second_parameter_with_a_default_is_no_context() -> None:
    one = Tool.native("one", "", CITY, lambda args, separator=" ": separator.join(args))
    assert call(one, {"city": "Oslo"}).output == "city"


def test_a_context_is_given_to_the_function_and_hidden_from_the_model() -> None:
    @tool
    def whoami(ctx: ToolContext, name: str = "me") -> str:
        return f"{name} {ctx.call_id}"

    assert list(whoami.input_schema["properties"]) == ["name"]
    assert call(whoami, {}, context(call_id="c1")).output == "me c1"


def test_what_may_be_none_need_not_be_sent() -> None:
    @tool
    def search(text: Optional[str], limit: int | None) -> str:  # noqa: UP045
        return f"{text} {limit}"

    assert "required" not in search.input_schema
    assert call(search, {}).output == "None None"
    assert call(search, {"limit": 2, "text": None}).output == "None 2"


def test_an_ordinary_function_runs_in_the_pool_and_a_coroutine_on_the_loop() -> None:
    @tool
    def pooled() -> bool:
        return threading.current_thread() is threading.main_thread()

    @tool
    async def looped() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert (pooled.run_on, looped.run_on) == ("pool", "loop")
    assert (call(pooled, {}).output, call(looped, {}).output) == ("false", "true")


def test_a_quick_function_may_run_on_the_loop() -> None:
    here = Tool.native("here", "", {}, lambda args: threading.current_thread().name, run_on="loop")
    assert call(here, {}).output == threading.main_thread().name


def test_a_function_for_the_gui_runs_there() -> None:
    calls = []

    async def on_gui(fn: Callable[[], Any]) -> Any:
        calls.append("gui")
        return fn()

    shown = Tool.native("shown", "", {}, lambda args: "shown", run_on="gui")
    assert call(shown, {}, context(on_gui=on_gui)).output == "shown"
    assert calls == ["gui"]
    assert call(shown, {}).is_error


def test_an_awaitable_that_an_ordinary_function_returns_is_awaited_on_the_loop() -> None:
    async def later() -> str:
        return threading.current_thread().name

    assert call(Tool.native("later", "", {}, lambda args: later()), {}).output == threading.main_thread().name


def test_what_a_function_raises_is_an_error_for_the_model() -> None:
    @tool
    def fails() -> None:
        raise LookupError("no such city")

    assert call(fails, {}) == ToolResult("LookupError: no such city", is_error=True)


def test_a_function_that_ends_the_program_ends_only_its_call() -> None:
    @tool
    async def leaves() -> None:
        raise SystemExit(3)

    assert call(leaves, {}) == ToolResult("SystemExit: 3", is_error=True)


def test_a_day_that_is_none_goes_back_to_the_model() -> None:
    import datetime

    def on(day: datetime.date) -> str:
        return day.isoformat()

    on.__annotations__["day"] = datetime.date
    result = call(tool(on), {"day": "2026-02-30"})
    assert result.is_error
    assert result.output.startswith("these arguments cannot be taken: day: ")


def test_name_description_and_effects_can_be_said() -> None:
    @tool(name="rm", description="Removes it.", effects=frozenset({Effect.WRITE}), run_on="loop", trusted_output=True)
    def remove(path: str) -> None:
        """Something else."""

    assert (remove.name, remove.description, remove.run_on) == ("rm", "Removes it.", "loop")
    assert remove.effects == {Effect.WRITE}
    assert remove.trusted_output


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, by: int = 1) -> int:
        self.count += by
        return self.count

    def add(self, by: int, /, *, twice: bool = False) -> int:
        """Add to it."""
        return self(by * (1 + twice))


def test_methods_objects_and_partial_functions_are_functions_too() -> None:
    counter = Counter()
    assert call(tool(counter.add), {"by": 2, "twice": True}).output == "4"
    whole = tool(name="count")(counter)
    assert (whole.description, call(whole, {}).output) == ("Counts.", "5")
    twice = tool(functools.partial(counter.add, twice=True))
    assert (twice.name, list(twice.input_schema["properties"])) == ("add", ["by"])
    assert call(twice, {"by": 1}).output == "7"


def test_a_decorated_function_keeps_its_own_hints() -> None:
    def logged(fn: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(fn)
        def inner(*args: Any, **kwargs: Any) -> str:
            return fn(*args, **kwargs) + "!"

        return inner

    @tool
    @logged
    def greet(name: str) -> str:
        """Greet."""
        return name

    assert call(greet, {"name": "Ada"}).output == "Ada!"


def no_hint(x) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001
def many(*xs: int) -> None: ...
def any_name(**xs: int) -> None: ...
def unknown(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def strange(x: complex) -> None: ...


@pytest.mark.parametrize("fn", [no_hint, many, any_name, unknown, strange])
def test_a_parameter_that_cannot_be_said_is_an_error_at_once(fn: Callable[..., None]) -> None:
    with pytest.raises(TypeError):
        tool(fn)


def gives() -> Iterator[int]:
    yield 1


async def gives_later() -> AsyncIterator[int]:
    yield 1


async def waits() -> None: ...


def test_a_method_that_is_decorated_in_its_class_says_how_it_becomes_a_tool() -> None:
    def method(self, x: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        """Do it."""

    with pytest.raises(TypeError, match=r"tool\(object\.method\)"):
        tool(method)


def test_a_function_that_cannot_run_where_it_should_is_an_error_at_once() -> None:
    for fn in (gives, gives_later):
        with pytest.raises(ValueError, match="yield"):
            tool(fn)
    with pytest.raises(ValueError, match="loop"):
        tool(run_on="gui")(waits)
    with pytest.raises(ValueError, match="loop"):
        Tool.native("waits", "", {}, waits, run_on="pool")


def test_a_name_that_providers_refuse_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="no name for a tool"):
        tool(lambda: None)


def test_hosts_find_it_all_in_one_place() -> None:
    assert rillet.tool is tool
    assert rillet.Tool is Tool
