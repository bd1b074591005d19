from __future__ import annotations

import datetime
import enum
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rillet.core.tools.outputs import result_of
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ImagePart

PNG = b"\x89PNG\r\n\x1a\n and so on"
JPEG = b"\xff\xd8\xff and so on"


@dataclass
class Place:
    name: str
    where: tuple[float, float]


class Unit(enum.Enum):
    CELSIUS = "c"


class Thing:
    def __str__(self) -> str:
        return "a thing"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\n", "as it is\n"),
        (None, ""),
        (True, "true"),
        (3, "3"),
        (2.5, "2.5"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        ([], "[]"),
        (("a", 1), '["a",1]'),
        ({1}, "[1]"),
        (OrderedDict(a=1), '{"a":1}'),
        (Place("Oslo", (59.9, 10.7)), '{"name":"Oslo","where":[59.9,10.7]}'),
        ([Unit.CELSIUS, Path("a/b")], '["c","a/b"]'),
        (datetime.date(2026, 11, 30), "2026-11-30"),
        (Path("a/b"), "a/b"),
        (Thing(), "a thing"),
        ([Thing()], '["a thing"]'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (10**400, str(10**400)),
        (b"text", "text"),
        ({"a": "\ud83d"}, '{"a":"\ufffd"}'),
    ],
)
def test_a_value_becomes_text(value: Any, text: str) -> None:
    assert result_of(value) == ToolResult(text)


@pytest.mark.parametrize(("data", "media_type"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (b"GIF89a", "image/gif")])
def test_pictures_are_told_by_their_bytes(data: bytes, media_type: str) -> None:
    assert result_of(data) == ToolResult("", images=(ImagePart(data, media_type=media_type),))


def test_a_picture_among_texts_stays_a_picture() -> None:
    image = ImagePart(url="https://example.com/a.png")
    assert result_of(["before", image, PNG, {"a": 1}]) == ToolResult(
        'before\n{"a":1}', images=(image, ImagePart(PNG, media_type="image/png"))
    )


def test_a_result_stays_what_it_is() -> None:
    result = ToolResult("no", is_error=True, metadata={"a": 1})
    assert result_of(result) is result


def test_bytes_that_mean_nothing_to_a_model_are_an_error() -> None:
    with pytest.raises(TypeError, match="3 bytes"):
        result_of(b"\xff\xfe\x00")


def test_what_holds_itself_is_an_error_and_no_endless_text() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert len(result_of(loop).output) < 100
