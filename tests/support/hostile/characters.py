"""Characters that are not seen, turn others around, or are only half there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.hostile.document import Hostile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.hostile.document import Bait

_CONTROLS = (
    "\0\x01\x07\x08\x0b\x0c\x1b\x7f\x85\xa0\xad\u200b\u2028\u2029\u3164\ufdd0\ufdd1\ufeff\ufff9\ufffa\ufffc\U000e0001"
)


def _controls(_bait: Bait) -> Iterator[Hostile]:
    for char in _CONTROLS:
        yield Hostile("control character", f"a{char}b `c{char}d`\n\n    e{char}f\n\n| {char} |\n|-|\n| {char} |\n")
        yield Hostile("control character", f"a{char}b\n{char}\n# not a heading", "user")


def _names(_bait: Bait) -> Iterator[Hostile]:
    for char in (*_CONTROLS, "\u202e", "\u2066", "\ud800", "\n" * 200, " " * 500, "x" * 20_000):
        text = f"report{char}fdp.exe; rm -rf {char}"
        yield Hostile("name of a tool or file", text, "tool")
        yield Hostile("name of a tool or file", text, "approval")
        yield Hostile("name of a tool or file", text, "file")


def _directions(_bait: Bait) -> Iterator[Hostile]:
    for char in "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        yield Hostile("direction", f"{char}abc **d{char}e** [f{char}](https://a.example) `g{char}h`\n\nnext")
        yield Hostile("direction", f"```python\nif admin{char}: # {char}\n    pass\n```")
        yield Hostile("direction", f"{char * 200}\u05d0bc {char}1 2 3", "user")


def _surrogates(_bait: Bait) -> Iterator[Hostile]:
    for text in (
        "\ud800",
        "\udfff",
        "a\ud800b",
        "\udc00\ud800",
        "\ud83d\ude00",
        "**\ud800**",
        "`\udc00`",
        "[\ud800](https://a.example/\udc00)",
        "![\ud800](https://a.example/\ud800.png)",
        "```\ud800\n\udc00\n```",
        "| \ud800 |\n|-|\n| \udfff |",
        "$\ud800$ \\(\udc00\\)",
        "# \ud83d",
    ):
        yield Hostile("surrogate", text)
        yield Hostile("surrogate", text, "streamed")


def _many_marks(_bait: Bait) -> Iterator[Hostile]:
    for text in (
        "Z" + "\u0300\u0316" * 2000,
        "\u0e49" * 3000,
        "\U0001f468\u200d\U0001f469\u200d" * 800,
        "\U0001f3f4" + "\U000e0067" * 3000,
        "\u2764\ufe0f" * 3000,
        "\ufdfd" * 2000,
        "\U0001f1e6" * 4000,
        "\u1160" * 4000,
        "\u200d" * 20_000,
        "\u0600" * 3000,
        "\u05d0\u0041" * 4000,
    ):
        yield Hostile("marks upon marks", text)


def _entities(bait: Bait) -> Iterator[Hostile]:
    for text in (
        f"&lt;img src={bait.image}&gt;",
        f"&#60;img src={bait.file}&#62;",
        "&#x202e;abc",
        "&#0;&#xD800;&#x110000;&#xFFFC;&#x2029;&#xFDD0;",
        "&NewLine;&Tab;&nbsp;&zwj;&rlm;&shy;",
        "&amp;lt;b&amp;gt;",
        f"[a](&#102;ile://{bait.canary})",
        f"![a](&#102;ile://{bait.canary})",
        "&nosuchentity;&#99999999999;",
        "&CounterClockwiseContourIntegral;" * 500,
        "&#105;&#102;&#x72;ame",
    ):
        yield Hostile("entity", text)
        yield Hostile("entity", text, "user", shows=text[:40])


CARRIERS: tuple[Callable[[Bait], Iterator[Hostile]], ...] = (
    _controls,
    _names,
    _directions,
    _surrogates,
    _many_marks,
    _entities,
)
