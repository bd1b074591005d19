"""Nothing that a message holds makes the view reach for the network or a file, or shows something else than text."""

from __future__ import annotations

import gc
import html
import re
import socket
from collections import Counter
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel

from rillet.core.attachments import kinds
from rillet.widgets import ChatView
from rillet.widgets.links import allowed
from rillet.widgets.markdown.document import sound
from rillet.widgets.markdown.html import html_of
from support.hostile import Hostile, documents
from support.hostile.document import Place
from support.hostile.show import complaints, is_red, show
from support.views import ANSWER, text_on_screen
from support.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

CARRIERS = sorted({document.carrier for document in documents("http://127.0.0.1:1", "/canary.png")})
WARM = f"""{ANSWER}

$$\\frac{{1}}{{x}}$$ and \\(y\\), a note[^1] and \U0001f600 \u65e5\u672c \u05d0\u05d1

[^1]: the note

![picture](https://example.org/x.png)
"""


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    made = Watch(tmp_path_factory.mktemp("bait"))
    yield made
    made.close()


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    """A view that has shown everything of which the first one opens something: fonts, lexers, the engine's thread."""
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(760, 620)
    made.show()
    show(made, Hostile("", WARM))
    formulas = made.transcript._documents.formulas
    qtbot.waitUntil(lambda: not formulas._under_way)
    for place in get_args(Place):
        show(made, Hostile("", WARM, place))
    return made


def test_there_are_enough_documents_and_no_two_are_alike() -> None:
    made = documents("http://127.0.0.1:1", "/canary.png")
    counts = Counter(document.carrier for document in made)
    assert len(made) == len(set(made)) >= 400
    assert len(counts) >= 20
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("carrier", CARRIERS)
def test_nothing_is_loaded_opened_or_taken_for_markup(carrier: str, view: ChatView, watch: Watch, qtbot: QtBot) -> None:
    wrong: dict[str, list[str]] = {}
    with watch:
        for document in documents(watch.base, str(watch.canary)):
            if document.carrier != carrier:
                continue
            images = show(view, document)
            found = complaints(view) + watch.seen
            if document.shows and document.shows not in text_on_screen(view.transcript):
                found.append(f"does not show {document.shows!r}")
            if any(map(is_red, images)):
                found.append("the canary is on the screen")
            if found:
                wrong[document.text[:80]] = list(found)
                watch.seen.clear()
        formulas = view.transcript._documents.formulas
        qtbot.waitUntil(lambda: not formulas._under_way, timeout=60_000)
        show(view, Hostile("", "The end"))
    assert wrong == {}
    assert watch.seen == []


_FRAGMENTS = st.sampled_from(
    [document.text for document in documents("http://127.0.0.1:1", "/x.png") if len(document.text) < 400]
)
_GLUE = st.sampled_from(["", " ", "\n", "\n\n", "\n> ", "\n- ", "`", "**", "|", "\\", "](", "<", "$", "```", "\u202e"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(_FRAGMENTS, _GLUE), min_size=2, max_size=6),
    st.sampled_from(get_args(Place)),
)
def test_no_mixture_of_them_gets_through_either(
    view: ChatView, watch: Watch, parts: list[tuple[str, str]], place: Place
) -> None:
    text = "".join(part + glue for part, glue in parts)[:600]
    with watch:
        show(view, Hostile("mixture", text, place))
        assert complaints(view) == []
    assert watch.seen == []


def test_the_watch_sees_a_file_that_qt_opens(watch: Watch, qtbot: QtBot) -> None:
    with watch:
        label = QLabel(f'<img src="{watch.canary}">')
        qtbot.addWidget(label)
        assert is_red(label.grab().toImage())
    assert watch.seen == (["the file was opened"] if watch.watches_the_file else [])
    with watch:
        document = QTextDocument()
        document.setMarkdown(f"![x]({watch.canary.as_uri()})")
        document.size()
    assert watch.seen == (["the file was opened"] if watch.watches_the_file else [])


def test_the_watch_sees_sockets_and_files_of_python(watch: Watch, tmp_path: Path) -> None:
    host, _, port = watch.base.removeprefix("http://").partition(":")
    with watch, socket.create_connection((host, int(port))):
        pass
    assert any(line.startswith("socket.connect") for line in watch.seen)
    assert "the server was asked" in watch.seen
    with watch, (tmp_path / "new.txt").open("w"):
        pass
    assert [line.split()[0] for line in watch.seen] == ["open"]
    with watch:
        held = socket.socket()
    assert "a socket that is still open" in watch.seen
    held.close()
    gc.collect()


def test_pasting_and_dropping_html_opens_nothing_and_keeps_text_only(watch: Watch, qtbot: QtBot) -> None:
    kinds.kind_of(b"", "")  # (its import reads a table of the system, once)
    made = ChatView()
    qtbot.addWidget(made)
    made.show()
    for document in documents(watch.base, str(watch.canary)):
        if document.carrier not in ("HTML block", "data URL"):
            continue
        data = QMimeData()
        data.setHtml(f"before {document.text} after")
        with watch:
            made.composer.setText("")
            made.composer._field.insertFromMimeData(data)
            made.grab()
        assert watch.seen == []
        assert made.composer.text().startswith("before")


def test_what_is_copied_holds_no_picture_and_no_link_to_elsewhere(watch: Watch) -> None:
    for document in documents(watch.base, str(watch.canary)):
        if len(document.text) < 10_000:
            data = html_of(sound(document.text))
            assert not re.search(r"<(img|script|style|link|iframe|object|embed|svg|video|audio|form|base|meta)\b", data)
            assert all(allowed(html.unescape(address)) for address in re.findall(r'href="([^"]*)"', data))
