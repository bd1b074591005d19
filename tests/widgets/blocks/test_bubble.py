"""What the bubble says of a link is what a person has to know before following it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from rillet.widgets.blocks.bubble import LinkBubble
from rillet.widgets.links import IMAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM = QSize(700, 300)


@pytest.fixture
def bubble(qapp: object) -> Iterator[LinkBubble]:
    parent = QWidget()
    yield LinkBubble(parent)
    parent.deleteLater()


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("https://example.org/path", ["example.org"]),
        ("https://xn--bcher-kva.example/", ["b\u00fccher.example (xn--bcher-kva.example)"]),
        (
            "https://xn--pple-43d.example/",
            ["\u0430pple.example (xn--pple-43d.example)", "The name mixes letters of several scripts"],
        ),
        ("https://google.com@evil.example/", ["evil.example", "What stands before the @ is not where it leads"]),
        ("mailto:a@example.org", ["Mail to a@example.org"]),
        (f"{IMAGE}https://example.org/x.png", ["Image from example.org"]),
    ],
)
def test_who_it_is_comes_first_and_the_address_last(bubble: LinkBubble, address: str, lines: list[str]) -> None:
    assert bubble.tell(address, ROOM) == "\n".join(lines)
    assert bubble.text().split("\n") == [*lines, address.removeprefix(IMAGE)]
    assert not bubble.isHidden()


@pytest.mark.parametrize("address", ["", "file:///etc/passwd", f"{IMAGE}file:///etc/passwd", "javascript:alert(1)"])
def test_where_no_link_may_lead_it_says_nothing(bubble: LinkBubble, address: str) -> None:
    bubble.tell("https://example.org", ROOM)
    assert bubble.tell(address, ROOM) == ""
    assert bubble.isHidden()


def test_a_long_address_does_not_push_the_host_away(bubble: LinkBubble) -> None:
    bubble.tell("https://evil.example/" + "x" * 100_000, ROOM)
    assert bubble.text().startswith("evil.example\n")
    assert len(bubble.text()) < 400
    assert bubble.width() <= ROOM.width()


def test_a_long_host_is_broken_and_never_shortened(bubble: LinkBubble) -> None:
    host = ".".join(["bank-example-com"] * 14) + ".evil.example"
    bubble.tell(f"https://{host}/", QSize(420, 300))
    *lines, _address = bubble.text().split("\n")
    assert len(lines) > 1
    assert "".join(lines) == host
    assert bubble.width() <= 420


def test_what_looks_like_html_is_text(bubble: LinkBubble) -> None:
    bubble.tell("https://example.org/?<b>x</b>", ROOM)
    assert bubble.textFormat() is Qt.TextFormat.PlainText
    assert "<b>" in bubble.text()
