from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.code import CodeBlock
from support.views import answer, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.view import Transcript


def _blocks(view: Transcript) -> list[CodeBlock]:
    blocks = [block for block in view._stage.blocks.values() if isinstance(block, CodeBlock)]
    return sorted(blocks, key=lambda block: block.y())


def _copy(block: CodeBlock) -> Button:
    return next(button for button in block.findChildren(Button) if button.accessibleName() == "Copy code")


def _head(block: CodeBlock) -> str:
    return "".join(label.text() for label in block.findChildren(QLabel) if label.isVisible())


def test_copy_takes_the_whole_fence_without_its_marks(qtbot: QtBot) -> None:
    code = "\n".join(f"line {i}" for i in range(150))
    view = transcript(qtbot, height=4000)
    view.reset([answer(f"Text.\n\n~~~c\n{code}\n~~~\n\nMore.")])
    first, *_ = _blocks(view)
    button = _copy(first)
    button.click()
    assert QGuiApplication.clipboard().text() == code
    assert button.text() == "Copied"
    qtbot.waitUntil(lambda: button.text() == "Copy")


def test_only_the_first_part_of_a_fence_has_a_head(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer("```rust\n" + "x\n" * 150 + "```")])
    heads = [_head(block) for block in _blocks(view)]
    assert heads[0] == "rust"
    assert len(heads) == 3
    assert heads[1:] == ["", ""]


def test_parts_of_a_fence_touch(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer("```\n" + "x\n" * 150 + "```")])
    first, second, third = _blocks(view)
    assert first.geometry().bottom() + 1 == second.y()
    assert second.geometry().bottom() + 1 == third.y()


def test_a_language_of_any_length_leaves_room_for_the_button(qtbot: QtBot) -> None:
    view = transcript(qtbot, width=420)
    view.reset([answer("```" + "x" * 500 + "\ncode\n```")])
    (block,) = _blocks(view)
    button = _copy(block)
    assert button.mapTo(block, button.rect().bottomRight()).x() < block.width()


def test_long_lines_scroll_and_short_ones_do_not(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("```\n" + "x" * 300 + "\n```\n\n```\nx\n```\n")])
    long, short = _blocks(view)
    assert long._bar.isVisible()
    assert not short._bar.isVisible()
    long._bar.setValue(50)
    assert long.text_view.horizontalScrollBar().value() == 50
