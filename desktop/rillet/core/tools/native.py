"""Functions of the host as tools.

Above: ``tool``, ``hints`` (type hints → schema), ``docstring``, ``outputs``. Below: ``toolkit``; hosts use
``Tool.native`` and ``@tool``. Guarantees: the function runs where it was said to: coroutines on the loop, ordinary
functions in the pool, so that they hold up no stream, and those for the GUI on its thread; it is called only with
arguments that satisfy the schema. No thread is started here: the pool is the loop's own.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias, overload

from rillet.core.tools.docstring import read_docstring
from rillet.core.tools.fields import MISSING, Field
from rillet.core.tools.hints import Shapes
from rillet.core.tools.outputs import result_of
from rillet.core.tools.tool import Effect, RunOn, Tool, ToolContext, ToolResult

Function: TypeAlias = Callable[..., Any]


def native(
    name: str,
    description: str,
    schema: Mapping[str, Any],
    fn: Function,
    *,
    run_on: RunOn | None = None,
    effects: frozenset[Effect] = frozenset(),
    trusted_output: bool = False,
) -> Tool:
    """A tool from a function of the arguments (a dict), and of the ``ToolContext`` if it takes a second one.

    ``run_on``: "loop" for coroutine functions and "pool" for all others, if not said otherwise.

    Raises:
        ValueError: the name is none, or the function cannot run where it should.
    """
    fitted = _with_context(fn)
    place = _place(fn, run_on)

    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        return result_of(await _called(fitted, (args, ctx), place, ctx))

    return Tool(name, description, schema, execute, effects=effects, trusted_output=trusted_output, run_on=place)


@overload
def tool(fn: Function, /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    run_on: RunOn | None = None,
    effects: frozenset[Effect] = frozenset(),
    trusted_output: bool = False,
) -> Callable[[Function], Tool]: ...


def tool(
    fn: Function | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    run_on: RunOn | None = None,
    effects: frozenset[Effect] = frozenset(),
    trusted_output: bool = False,
) -> Tool | Callable[[Function], Tool]:
    """A tool from a function: its name, its docstring and its type hints say all that a model needs to know.

        @tool
        def get_weather(city: Annotated[str, "Name of the city"], days: int = 1) -> str:
            "The weather of the next days."

    Parameters with a default, and those that may be None, need not be sent. One of type ``ToolContext`` gets the
    context, and the model never hears of it. The name then stands for the ``Tool``, which is not called by hand: to
    keep the function too, write ``weather = tool(get_weather)``; a method becomes one once it is bound. See ``hints``
    for the types, which have to be imported when the module runs (ruff:
    ``runtime-evaluated-decorators = ["rillet.tool"]``), and ``Tool.native`` for ``run_on``.

    Raises:
        TypeError: a parameter has no type hint, or one that no JSON schema can say.
        ValueError: the name is none, or the function cannot run where it should.
    """
    if fn is None:
        return functools.partial(
            tool,
            name=name,
            description=description,
            run_on=run_on,
            effects=effects,
            trusted_output=trusted_output,
        )
    plain = _innermost(fn)
    place = _place(fn, run_on)
    signature = _Signature.of(fn)
    shape = signature.shapes.record(signature.fields, lambda values: values)
    definitions = signature.shapes.definitions
    schema = shape.schema | ({"$defs": definitions} if definitions else {})

    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        try:
            values = shape.read(args)
        except ValueError as error:
            return ToolResult(f"these arguments cannot be taken: {error}", is_error=True)
        positional, named = signature.bind(values, ctx)
        return result_of(await _called(functools.partial(fn, **named), positional, place, ctx))

    return Tool(
        name or str(getattr(plain, "__name__", type(plain).__name__)),
        read_docstring(inspect.getdoc(plain)).description if description is None else description,
        schema,
        execute,
        effects=effects,
        trusted_output=trusted_output,
        run_on=place,
    )


@dataclass(frozen=True, slots=True)
class _Signature:
    """The parameters of a function."""

    shapes: Shapes
    fields: list[Field]
    parameters: list[inspect.Parameter]
    contexts: frozenset[str]
    """Those that get the context."""

    @classmethod
    def of(cls, fn: Function) -> _Signature:
        hints = _hints(fn)
        said = read_docstring(inspect.getdoc(_innermost(fn))).parameters
        bound = fn.keywords if isinstance(fn, functools.partial) else {}
        fields, parameters, contexts = [], [], set()
        for parameter in inspect.signature(fn).parameters.values():
            name = parameter.name
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"{name}: a tool has parameters with names, no {parameter}")
            if name in bound:
                continue
            if name not in hints and name in ("self", "cls"):
                raise TypeError(
                    f"{name}: a method becomes a tool when it is bound, tool(object.method), not in its class"
                )
            if name not in hints:
                raise TypeError(f"{name}: needs a type hint, or the tool a schema (Tool.native)")
            parameters.append(parameter)
            if _is_context(hints[name]):
                contexts.add(name)
                continue
            default = MISSING if parameter.default is parameter.empty else parameter.default
            required = default is MISSING and not _may_be_none(hints[name])
            fields.append(Field(name, hints[name], default, required, said.get(name, "")))
        return cls(Shapes(), fields, parameters, frozenset(contexts))

    def bind(self, values: dict[str, Any], ctx: ToolContext) -> tuple[list[Any], dict[str, Any]]:
        """What the function is called with."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in self.contexts:
                value: Any = ctx
            elif parameter.name in values:
                value = values[parameter.name]
            else:
                value = None if parameter.default is parameter.empty else parameter.default
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, named


async def _called(fn: Function, args: Iterable[Any], place: RunOn, ctx: ToolContext) -> Any:
    """Call a function where it belongs; what it returns may still have to be awaited, here."""
    match place:
        case "loop":
            value = fn(*args)
        case "pool":
            value = await asyncio.to_thread(fn, *args)
        case "gui":
            if ctx.on_gui is None:
                raise RuntimeError("this tool needs a window, and there is none")
            value = await ctx.on_gui(functools.partial(fn, *args))
    return await value if hasattr(value, "__await__") else value


def _place(fn: Function, wanted: RunOn | None) -> RunOn:
    call = _code(fn)
    if inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call):
        raise ValueError("a tool returns once: give a list back instead of yielding")
    if not inspect.iscoroutinefunction(call):
        return wanted or "pool"
    if wanted not in (None, "loop"):
        raise ValueError(f"a coroutine runs on the loop, not on {wanted!r}: use an ordinary function")
    return "loop"


def _with_context(fn: Function) -> Callable[[dict[str, Any], ToolContext], Any]:
    """A function of two, from one that may be content with the arguments."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except ValueError:  # some built-in functions do not say
        return lambda args, ctx: fn(args)
    needed = [each for each in parameters if each.kind is each.VAR_POSITIONAL or each.default is each.empty]
    takes_two = len([each for each in needed if each.kind is not each.KEYWORD_ONLY]) > 1
    return fn if takes_two else lambda args, ctx: fn(args)


def _hints(fn: Function) -> dict[str, Any]:
    """The hints of its parameters. ``ToolContext`` need not be importable: linters move such imports to TYPE_CHECKING.

    Raises:
        TypeError: one names what does not exist.
    """
    call = inspect.unwrap(_code(fn))
    known = {"ToolContext": ToolContext} | getattr(call, "__globals__", {})
    try:
        hints = {name: hint for name, hint in inspect.get_annotations(call).items() if name != "return"}
        return typing.get_type_hints(SimpleNamespace(__annotations__=hints), globalns=known, include_extras=True)
    except NameError as error:
        raise TypeError(f"a type hint cannot be resolved: {error}") from None


def _code(fn: Function) -> Any:
    """The function that runs when ``fn`` is called."""
    plain = _innermost(fn)
    return plain if inspect.isroutine(plain) else type(plain).__call__


def _innermost(fn: Function) -> Any:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def _is_context(hint: Any) -> bool:
    return hint is ToolContext or ToolContext in typing.get_args(hint)


def _may_be_none(hint: Any) -> bool:
    if typing.get_origin(hint) is typing.Annotated:
        return _may_be_none(typing.get_args(hint)[0])
    return hint in (None, type(None)) or type(None) in typing.get_args(hint)
