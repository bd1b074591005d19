"""Type hints → what the model is told of a value (JSON schema), and how the JSON that it sends becomes that value.

Pure. Above: ``fields`` (what a class says of its own), ``schema``, which chooses among the members of a union. Below:
``native`` puts the parameters of a function together.

    str int float bool None Any      themselves
    Literal, Enum                    enum; members of an Enum by value
    list, Sequence, set, tuple …     array, of what they hold
    dict, Mapping                    object
    dataclass, TypedDict, NamedTuple object, closed; recursive ones are defined once and referred to
    X | Y, Optional                  anyOf; the first that fits is taken
    Annotated[X, "what it is"]       X with that description
    date, time, datetime, UUID, Path, Decimal   string or number, and read back

Guarantee: a hint that means nothing here is a ``TypeError`` that names it, never a parameter that silently got lost.
"""

from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import msgspec

from rillet.core.tools.fields import MISSING, Field, fields_of, has_fields, own_docstring
from rillet.core.tools.schema import problems

Read: TypeAlias = Callable[[Any], Any]

_PLAIN: Mapping[Any, tuple[str, Read]] = {
    str: ("string", lambda value: value),
    int: ("integer", int),
    float: ("number", float),
    bool: ("boolean", lambda value: value),
    type(None): ("null", lambda value: value),
    None: ("null", lambda value: value),
}
_TEXTUAL: Mapping[Any, tuple[dict[str, Any], Read]] = {
    datetime.datetime: ({"type": "string", "format": "date-time"}, datetime.datetime.fromisoformat),
    datetime.date: ({"type": "string", "format": "date"}, datetime.date.fromisoformat),
    datetime.time: ({"type": "string", "format": "time"}, datetime.time.fromisoformat),
    uuid.UUID: ({"type": "string", "format": "uuid"}, uuid.UUID),
    decimal.Decimal: ({"type": "number"}, lambda value: decimal.Decimal(str(value))),
    pathlib.Path: ({"type": "string"}, pathlib.Path),
    pathlib.PurePath: ({"type": "string"}, pathlib.PurePath),
}
_ARRAYS: Mapping[Any, Callable[[list[Any]], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: frozenset,
    collections.abc.MutableSet: set,
}
_OBJECTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


class Shape(NamedTuple):
    """A type as both sides see it."""

    schema: dict[str, Any]
    read: Read
    """A value that satisfies the schema → the Python value. ValueError: it is none after all (a 30th of February)."""


class Shapes:
    """The shapes of one schema, which share their definitions."""

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}
        self._open: dict[type, _Open] = {}
        self._done: dict[type, Shape] = {}

    def record(self, fields: list[Field], build: Callable[[dict[str, Any]], Any]) -> Shape:
        """An object with these properties and no others. ``build`` gets those that were sent, by name.

        Raises:
            TypeError: a hint means nothing here.
        """
        shapes = {}
        for field in fields:
            try:
                shapes[field.name] = _described(self.of(field.hint), field)
            except TypeError as error:
                raise TypeError(f"{field.name}: {error}") from None
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {name: shape.schema for name, shape in shapes.items()},
            "additionalProperties": False,
        }
        if required := [field.name for field in fields if field.required]:
            schema["required"] = required

        def read(value: dict[str, Any]) -> Any:
            return build({name: _read(shapes[name], item, name) for name, item in value.items()})

        return Shape(schema, read)

    def of(self, hint: Any) -> Shape:
        """The shape of a hint.

        Raises:
            TypeError: it means nothing here.
        """
        if typing.get_origin(hint) is typing.Annotated:
            meant, *notes = typing.get_args(hint)
            texts = [note if isinstance(note, str) else getattr(note, "description", None) for note in notes]
            return _with_description(self.of(meant), next(filter(None, texts), ""))
        if hint in _PLAIN:
            kind, read = _PLAIN[hint]
            return Shape({"type": kind}, read)
        if hint in (Any, object):
            return Shape({}, lambda value: value)
        if hint in _TEXTUAL:
            return Shape(dict(_TEXTUAL[hint][0]), _TEXTUAL[hint][1])
        if isinstance(hint, type) and not typing.get_args(hint):
            if issubclass(hint, enum.Enum):
                return _members(hint)
            if has_fields(hint):
                return self._class(hint)
        return self._generic(hint, typing.get_origin(hint) or hint, typing.get_args(hint))

    def _generic(self, hint: Any, origin: Any, args: tuple[Any, ...]) -> Shape:
        if origin is typing.Literal:
            values = {value.value if isinstance(value, enum.Enum) else value: value for value in args}
            return Shape(_enumeration(list(values)), lambda value: values[value])
        if origin in (typing.Union, types.UnionType):
            return self._union(args)
        if origin is tuple and args and args[-1] is not ...:
            return self._fixed(args)
        if origin in _ARRAYS:
            item = self.of(args[0]) if args else Shape({}, lambda value: value)
            collect = _ARRAYS[origin]
            unique = {"uniqueItems": True} if issubclass(origin, collections.abc.Set) else {}
            return Shape({"type": "array", "items": item.schema} | unique, lambda value: collect(_each(item, value)))
        if origin in _OBJECTS:
            if args and args[0] is not str:
                raise TypeError(f"the keys of JSON objects are strings, not {_name(args[0])}")
            item = self.of(args[1]) if args else Shape({}, lambda value: value)
            named = {"additionalProperties": item.schema} if item.schema else {}
            return Shape(
                {"type": "object"} | named, lambda value: {key: _read(item, each, key) for key, each in value.items()}
            )
        if origin in (typing.Required, typing.NotRequired):
            return self.of(args[0])
        for further in ("__supertype__", "__value__", "__bound__"):  # NewType, a type alias, a TypeVar
            if (meant := getattr(hint, further, None)) is not None:
                return self.of(meant)
        raise TypeError(
            f"{_name(hint)} cannot be said as a JSON schema: use a dataclass or a TypedDict, or Tool.native"
        )

    def _union(self, args: tuple[Any, ...]) -> Shape:
        shapes = [self.of(arg) for arg in args]
        definitions = self.definitions

        def read(value: Any) -> Any:
            fitting = [shape for shape in shapes if not problems(shape.schema | {"$defs": definitions}, value)]
            if not fitting:
                raise ValueError("it is none of what is allowed")
            for shape in fitting[:-1]:
                try:
                    return shape.read(value)
                except ValueError:  # of the right type, and yet none: the next may take it
                    continue
            return fitting[-1].read(value)

        return Shape(_alternatives([shape.schema for shape in shapes]), read)

    def _fixed(self, args: tuple[Any, ...]) -> Shape:
        """A tuple with so many members."""
        shapes = [self.of(arg) for arg in args]
        schema = {
            "type": "array",
            "prefixItems": [shape.schema for shape in shapes],
            "minItems": len(shapes),
            "maxItems": len(shapes),
        }
        return Shape(schema, lambda value: tuple(_read(shape, item) for shape, item in zip(shapes, value, strict=True)))

    def _class(self, cls: type) -> Shape:
        """A class with fields; one that stands within itself is defined once, and referred to."""
        if cls in self._done:
            return self._done[cls]
        if (outer := self._open.get(cls)) is not None:
            outer.referred = True
            return Shape({"$ref": f"#/$defs/{outer.name}"}, outer.read)
        taken = {each.name for each in self._open.values()} | self.definitions.keys()
        name = next(n for n in (cls.__name__, *(f"{cls.__name__}{at}" for at in range(2, 1000))) if n not in taken)
        here = self._open[cls] = _Open(name)
        shape = self.record(fields_of(cls), lambda values: cls(**values))
        del self._open[cls]
        if said := own_docstring(cls).description:
            shape.schema["description"] = said
        here.shape = shape
        if here.referred:
            self.definitions[name] = shape.schema
            shape = Shape({"$ref": f"#/$defs/{name}"}, shape.read)
        self._done[cls] = shape
        return shape


@dataclass
class _Open:
    """A class whose fields are being looked at."""

    name: str
    referred: bool = False
    shape: Shape | None = None

    def read(self, value: Any) -> Any:
        assert self.shape is not None
        return self.shape.read(value)


def _members(cls: type[enum.Enum]) -> Shape:
    """By value where values are JSON, else by name."""
    by_value = {member.value: member for member in cls if isinstance(member.value, str | int | float | None)}
    members = by_value if len(by_value) == len(cls) else dict(cls.__members__)
    return Shape(_enumeration(list(members)), lambda value: members[value])


def _described(shape: Shape, field: Field) -> Shape:
    """With what is said of the field where it stands, and with its default."""
    shape = _with_description(shape, field.description if "description" not in shape.schema else "")
    if field.default is MISSING or field.default is None:
        return shape
    try:
        default = _json(field.default)
    except (TypeError, ValueError):
        return shape
    return shape._replace(schema=shape.schema | {"default": default})


def _with_description(shape: Shape, text: str) -> Shape:
    return shape._replace(schema=shape.schema | {"description": text}) if text else shape


def _enumeration(values: list[Any]) -> dict[str, Any]:
    """The type is said as well: several providers insist on one."""
    kinds: dict[str, list[Any]] = {}
    for value in values:
        if type(value) not in _PLAIN:
            raise TypeError(f"{value!r} is no value of JSON")
        kinds.setdefault(_PLAIN[type(value)][0], []).append(value)
    return _alternatives([{"type": kind, "enum": members} for kind, members in kinds.items()])


def _alternatives(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One schema for several. Lists of types would be shorter, but Gemini refuses them under any name."""
    flat = [each for schema in schemas for each in (schema["anyOf"] if schema.keys() == {"anyOf"} else [schema])]
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def _read(shape: Shape, value: Any, where: str = "") -> Any:
    try:
        return shape.read(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}" if where else str(error)) from None


def _each(shape: Shape, values: list[Any]) -> list[Any]:
    return [_read(shape, value, f"[{at}]") for at, value in enumerate(values)]


def _json(value: Any) -> Any:
    """A value as JSON would hold it.

    Raises:
        TypeError: it cannot.
    """
    return msgspec.to_builtins(value, enc_hook=_as_text)


def _as_text(value: Any) -> str:
    if isinstance(value, pathlib.PurePath):
        return str(value)
    raise TypeError(f"a {_name(type(value))} is no JSON")


def _name(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)
