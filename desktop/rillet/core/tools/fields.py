"""Classes that are nothing but fields: dataclasses, TypedDicts and NamedTuples, and what they say of each field.

Pure. Above: ``docstring``. Below: ``hints`` makes objects of them.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Final, NamedTuple

from rillet.core.tools.docstring import Docstring, read_docstring

MISSING: Final = object()
"""No default."""


class Field(NamedTuple):
    """A parameter of a function, or a field of a class."""

    name: str
    hint: Any
    default: Any = MISSING
    required: bool = True
    description: str = ""


def has_fields(cls: type) -> bool:
    """Whether it is a class of one of these kinds."""
    return dataclasses.is_dataclass(cls) or typing.is_typeddict(cls) or _is_named_tuple(cls)


def fields_of(cls: type) -> list[Field]:
    """The fields of a class that has some.

    Raises:
        TypeError: a type hint names what does not exist.
    """
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise TypeError(f"a type hint of {cls.__name__} cannot be resolved: {error}") from None
    said = own_docstring(cls).parameters
    if dataclasses.is_dataclass(cls):
        return [
            Field(
                each.name,
                hints[each.name],
                default=MISSING if each.default is dataclasses.MISSING else each.default,
                required=each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING,
                description=each.metadata.get("description") or said.get(each.name, ""),
            )
            for each in dataclasses.fields(cls)
            if each.init
        ]
    if typing.is_typeddict(cls):
        return [
            Field(name, hint, required=_required(cls, name, hint), description=said.get(name, ""))
            for name, hint in hints.items()
        ]
    defaults = getattr(cls, "_field_defaults", {})
    names = getattr(cls, "_fields", ())
    return [
        Field(name, hints.get(name, Any), defaults.get(name, MISSING), name not in defaults, said.get(name, ""))
        for name in names
    ]


def _required(cls: Any, name: str, hint: Any) -> bool:
    """Whether a key of a TypedDict has to be there. (``__required_keys__`` overlooks markers inside of strings.)"""
    origin = typing.get_origin(hint)
    if origin in (typing.Required, typing.NotRequired):
        return origin is typing.Required
    return name in cls.__required_keys__


def own_docstring(cls: type) -> Docstring:
    """What its author wrote; dataclasses and named tuples write one themselves otherwise."""
    text = cls.__dict__.get("__doc__") or ""
    return read_docstring("" if text.startswith(f"{cls.__name__}(") else text)


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")
