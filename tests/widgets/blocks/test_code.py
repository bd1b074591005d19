"""Code blocks: one fence over many tiles, with its head, its numbers, and lines that scroll or wrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QTextEdit

from rillet.widgets.blocks.attentive import AttentiveButton
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.code import CodeBlock, gutter
from rillet.widgets.transcript.model import Entry, Foot
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


def _toggle(block: CodeBlock, name: str) -> AttentiveButton:
    return next(each for each in block.findChildren(AttentiveButton) if each.accessibleName() == name)


def test_long_lines_wrap_where_that_is_wanted(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer("```\n" + ("x" * 300 + "\n") * 100 + "```\n\nAfter.\n\n```\n" + "y" * 300 + "\n```")])
    *parts, other = _blocks(view)
    heights = [part.height() for part in parts]
    _toggle(parts[0], "Wrap long lines").click()
    *parts, other = _blocks(view)
    assert all(after > 2 * before for before, after in zip(heights, [part.height() for part in parts], strict=False))
    assert not any(part._bar.isVisible() or part.text_view.horizontalScrollBar().maximum() for part in parts)
    assert other._bar.isVisible()
    _toggle(parts[0], "Wrap long lines").click()
    assert [part.height() for part in _blocks(view)[:2]] == heights[:2]


def test_wrapped_code_is_as_high_as_its_lines_at_every_width(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=2000)
    view.reset([answer("```\n" + "some words " * 40 + "\n```\n\nAfter.")])
    _toggle(_blocks(view)[0], "Wrap long lines").click()
    for width in (420, 700):
        view.resize(width, 2000)
        (block,) = _blocks(view)
        document = block.text_view.document()
        assert block.text_view.height() == document.size().height()
        assert document.size().width() <= block.text_view.width()


def test_lines_are_numbered_through_the_whole_fence(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    view.reset([answer("```\n" + "x\n" * 150 + "```")])
    before = _blocks(view)
    left = before[0].text_view.x()
    _toggle(before[0], "Line numbers").click()
    blocks = _blocks(view)
    assert [block._first_number for block in blocks] == [1, 65, 129]
    assert blocks[0].tile is not None
    assert {block.text_view.x() for block in blocks} == {left + gutter(blocks[0].tile, view._stage._theme)}
    drawn = before[0].grab().toImage()
    _toggle(blocks[0], "Line numbers").click()
    assert drawn != before[0].grab().toImage()
    assert {block.text_view.x() for block in _blocks(view)} == {left}


def test_the_choice_stays_while_code_arrives(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=4000)
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.grow(entry, "markdown", "```\n" + "x\n" * 10)
    _toggle(_blocks(view)[0], "Line numbers").click()
    _toggle(_blocks(view)[0], "Wrap long lines").click()
    view.grow(entry, "markdown", ("y" * 300 + "\n") * 80)
    view.finish(entry)
    blocks = _blocks(view)
    assert len(blocks) > 1
    assert {block.text_view.lineWrapMode() for block in blocks} == {QTextEdit.LineWrapMode.WidgetWidth}
    assert all(block.tile is not None and block.tile.shared.numbered for block in blocks)


def test_toggles_are_seen_with_the_mouse_the_keyboard_or_when_on(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("```\nx\n```")])
    (block,) = _blocks(view)
    block._attend(attended=False)
    toggle = _toggle(block, "Wrap long lines")
    empty = toggle.grab().toImage()
    block._attend(attended=True)
    assert toggle.grab().toImage() != empty
    block._attend(attended=False)
    assert toggle.grab().toImage() == empty
    toggle.click()
    assert toggle.grab().toImage() != empty
