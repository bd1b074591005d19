from __future__ import annotations

import datetime
import decimal
import enum
import json
import typing
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypedDict, Union

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.fields import Field
from rillet.core.tools.hints import Shapes
from rillet.core.tools.schema import problems


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Odd(enum.Enum):
    ONE = (1,)
    TWO = (2,)


@dataclass
class Place:
    """Somewhere.

    Attributes:
        name: What people call it.
    """

    name: str
    height: float = 0.0
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", metadata={"description": "For people."})


class Point(NamedTuple):
    x: float
    y: float = 1.5


class Order(TypedDict):
    what: str
    count: NotRequired[int]


class Loose(TypedDict, total=False):
    a: typing.Required[int]
    b: int


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)


@dataclass
class Everything:
    place: Place
    units: list[Unit]
    places: dict[str, Place]
    day: datetime.date
    moment: datetime.datetime
    id: uuid.UUID
    pair: tuple[int, str, bool]
    word: Literal["x", 3]
    choice: Place | str | None = None
    names: frozenset[str] = frozenset()


class Other:
    @dataclass
    class Node:
        next: Other.Node | None = None


@dataclass
class Husband:
    wife: Wife | None = None


@dataclass
class Wife:
    husband: Husband | None = None


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


UserId = NewType("UserId", int)


def schema(hint: Any) -> dict[str, Any]:
    return Shapes().of(hint).schema


def read(hint: Any, value: Any) -> Any:
    shapes = Shapes()
    shape = shapes.of(hint)
    assert problems(shape.schema | {"$defs": shapes.definitions}, value) == []
    return shape.read(value)


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (float, {"type": "number"}),
        (Any, {}),
        (None, {"type": "null"}),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
        ),
        (dict, {"type": "object"}),
        (dict[str, Any], {"type": "object"}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "b"], {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "string", "enum": ["b"]}]}),
        (Literal["a"] | None, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
        (
            Literal[1, "b"] | None,
            {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "string", "enum": ["b"]}, {"type": "null"}]},
        ),
        (Unit, {"type": "string", "enum": ["c", "f"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Odd, {"type": "string", "enum": ["ONE", "TWO"]}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            Union[int, str],  # noqa: UP007 (as hosts write it)
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        ),
        (list[int] | str, {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]}),
        (Annotated[int, "How many"], {"type": "integer", "description": "How many"}),
        (Annotated[int, {"unhashable": 1}], {"type": "integer"}),
        (list[Annotated[str, "One"]], {"type": "array", "items": {"type": "string", "description": "One"}}),
        (UserId, {"type": "integer"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (Path, {"type": "string"}),
        (
            Point,
            {
                "type": "object",
                "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 1.5}},
                "additionalProperties": False,
                "required": ["x"],
            },
        ),
        (
            Order,
            {
                "type": "object",
                "properties": {"what": {"type": "string"}, "count": {"type": "integer"}},
                "additionalProperties": False,
                "required": ["what"],
            },
        ),
    ],
)
def test_a_hint_becomes_a_schema(hint: Any, expected: dict[str, Any]) -> None:
    assert schema(hint) == expected


def test_a_dataclass_says_what_its_docstring_and_fields_say() -> None:
    assert schema(Place) == {
        "type": "object",
        "description": "Somewhere.",
        "properties": {
            "name": {"type": "string", "description": "What people call it."},
            "height": {"type": "number", "default": 0.0},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": "string", "description": "For people.", "default": ""},
        },
        "additionalProperties": False,
        "required": ["name"],
    }


def test_a_key_that_is_required_in_a_loose_typed_dict_is_required() -> None:
    assert schema(Loose)["required"] == ["a"]


@pytest.mark.parametrize(
    ("hint", "sent", "expected"),
    [
        (float, 3, 3.0),
        (int, 3.0, 3),
        (Unit, "f", Unit.FAHRENHEIT),
        (Odd, "TWO", Odd.TWO),
        (Literal["a", 1], 1, 1),
        (set[int], [1, 2], {1, 2}),
        (frozenset[int], [1], frozenset({1})),
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[int, Unit], [1, "c"], (1, Unit.CELSIUS)),
        (dict[str, Unit], {"a": "c"}, {"a": Unit.CELSIUS}),
        (Place, {"name": "Oslo", "height": 23}, Place("Oslo", 23.0)),
        (list[Place], [{"name": "Oslo"}], [Place("Oslo")]),
        (Point, {"x": 1}, Point(1.0, 1.5)),
        (Order, {"what": "tea"}, {"what": "tea"}),
        (Node, {"value": 1, "children": [{"value": 2}]}, Node(1, [Node(2)])),
        (Circle | Square, {"side": 2}, Square(2.0)),
        (Circle | Square | None, None, None),
        (list[Node] | Node, {"value": 1}, Node(1)),
        (datetime.datetime | str, "soon", "soon"),
        (datetime.date, "2026-11-30", datetime.date(2026, 11, 30)),
        (datetime.datetime, "2026-11-30T20:00:00Z", datetime.datetime(2026, 11, 30, 20, tzinfo=datetime.UTC)),
        (decimal.Decimal, 1.1, decimal.Decimal("1.1")),
        (uuid.UUID, "12345678123456781234567812345678", uuid.UUID("12345678123456781234567812345678")),
        (Path, "a/b", Path("a/b")),
        (Any, {"a": [1]}, {"a": [1]}),
    ],
)
def test_what_is_sent_becomes_the_value_of_the_hint(hint: Any, sent: Any, expected: Any) -> None:
    value = read(hint, sent)
    assert value == expected
    assert type(value) is type(expected)


def test_a_class_within_itself_is_defined_once_and_referred_to() -> None:
    shapes = Shapes()
    assert shapes.of(list[Node]).schema == {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    assert shapes.of(Node).schema == {"$ref": "#/$defs/Node"}
    assert list(shapes.definitions) == ["Node"]
    assert shapes.definitions["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}


def test_classes_within_each_other_can_be_read() -> None:
    value = read(Wife, {"husband": {"wife": {"husband": None}}})
    assert value == Wife(Husband(Wife(None)))


def test_two_classes_of_one_name_have_two_definitions() -> None:
    shapes = Shapes()
    shapes.record([Field("one", Node), Field("other", Other.Node)], dict)
    assert set(shapes.definitions) == {"Node", "Node2"}
    assert "value" in shapes.definitions["Node"]["properties"]
    assert "next" in shapes.definitions["Node2"]["properties"]


def test_what_is_no_such_day_is_said_with_its_place() -> None:
    shape = Shapes().record([Field("days", list[datetime.date])], dict)
    with pytest.raises(ValueError, match=r"days: \[1\]: "):
        shape.read({"days": ["2026-02-01", "2026-02-30"]})


@pytest.mark.parametrize(
    "hint", [complex, bytes, Literal[b"x"], dict[int, str], typing.Callable[[], int], list[complex]]
)
def test_a_hint_that_means_nothing_is_an_error_that_names_the_parameter(hint: Any) -> None:
    with pytest.raises(TypeError, match="thing: "):
        Shapes().record([Field("thing", hint)], dict)


T = typing.TypeVar("T", bound=int)
alias = getattr(typing, "TypeAliasType", None)


@pytest.mark.skipif(alias is None, reason="came with Python 3.12")
def test_an_alias_is_what_it_stands_for() -> None:
    assert alias is not None
    assert schema(list[alias("Names", list[str])]) == schema(list[list[str]])  # type: ignore[misc]


def test_a_type_variable_is_what_bounds_it() -> None:
    assert schema(list[T]) == schema(list[int])  # type: ignore[valid-type]


def test_what_is_too_large_to_be_checked_is_refused_where_it_cannot_be_read() -> None:
    shape = Shapes().of(list[Circle | Square])
    with pytest.raises(ValueError, match=r"\[0\]: it is none of what is allowed"):
        shape.read([{"side": 1, "radius": 1}])


def test_a_default_that_is_no_json_is_left_out() -> None:
    shape = Shapes().record([Field("x", Any, default=object(), required=False)], dict)
    assert shape.schema["properties"] == {"x": {}}


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text(st.characters(codec="utf-8"), max_size=5)
PLACES = st.builds(Place, WORDS, FLOATS, st.lists(WORDS, max_size=3), WORDS)


@given(
    st.builds(
        Everything,
        place=PLACES,
        places=st.dictionaries(WORDS, PLACES, max_size=2),
        pair=st.tuples(st.integers(), WORDS, st.booleans()),
        choice=st.none() | WORDS | PLACES,
        names=st.frozensets(WORDS, max_size=3),
    )
)
def test_every_value_comes_back_from_its_json(value: Everything) -> None:
    assert read(Everything, json.loads(msgspec.json.encode(value))) == value
