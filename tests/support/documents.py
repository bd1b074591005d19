"""What a QTextDocument says, as plain values that two documents can be compared by."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCharFormat, QTextDocument, QTextList

from rillet.widgets.markdown.math import SOURCE


def described(document: QTextDocument) -> list[tuple[Any, ...]]:
    """Every block of ``document``: its frame, list, format, and fragments of text with their formats."""
    lists: dict[int, int] = {}
    frames: dict[int, int] = {}
    result = []
    block = document.begin()
    while block.isValid():
        result.append((*_place(block, lists, frames), _block_format(block.blockFormat()), *_text(block)))
        block = block.next()
    return result


def colours(document: QTextDocument) -> list[list[tuple[int, int, str]]]:
    """The ranges that a highlighter coloured, line by line, with neighbours of one colour joined."""
    result = []
    block = document.begin()
    while block.isValid():
        spans: list[tuple[int, int, str]] = []
        for span in block.layout().formats():
            name = span.format.foreground().color().name()
            if spans and spans[-1][2] == name and spans[-1][0] + spans[-1][1] == span.start:
                spans[-1] = (spans[-1][0], spans[-1][1] + span.length, name)
            else:
                spans.append((span.start, span.length, name))
        result.append(spans)
        block = block.next()
    return result


def links(document: QTextDocument) -> list[tuple[str, str]]:
    """Text and address of every link."""
    result = []
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            if fragment.charFormat().isAnchor():
                result.append((fragment.text(), fragment.charFormat().anchorHref()))
            iterator += 1
        block = block.next()
    return result


def _place(block: QTextBlock, lists: dict[int, int], frames: dict[int, int]) -> tuple[Any, ...]:
    frame = block.document().frameAt(block.position())
    place: list[Any] = [frames.setdefault(frame.objectIndex(), len(frames))]
    of: QTextList | None = block.textList()  # None outside a list, whatever the binding declares
    if of is not None:
        form = of.format()
        number = lists.setdefault(of.objectIndex(), len(lists))
        place.append((number, of.itemNumber(block), form.style(), form.start(), form.indent()))
    else:
        place.append(None)
    return tuple(place)


def _block_format(form: QTextBlockFormat) -> tuple[Any, ...]:
    return (
        form.topMargin(),
        form.bottomMargin(),
        form.indent(),
        form.lineHeight(),
        form.lineHeightType(),
        form.headingLevel(),
        form.intProperty(QTextBlockFormat.Property.BlockQuoteLevel),
        form.marker(),
        form.background().color().name() if form.hasProperty(QTextBlockFormat.Property.BackgroundBrush) else "",
    )


def _text(block: QTextBlock) -> tuple[Any, ...]:
    fragments = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        fragments.append((fragment.text(), *_characters(fragment.charFormat())))
        iterator += 1
    # The format of a block without text decides its height.
    return (tuple(fragments), () if fragments else _characters(block.charFormat()))


def _characters(form: QTextCharFormat) -> tuple[Any, ...]:
    return (
        form.foreground().color().name(),
        form.background().color().name(),
        form.fontWeight(),
        form.fontItalic(),
        form.fontStrikeOut(),
        form.fontPointSize(),
        tuple(form.fontFamilies() or ()),
        form.anchorHref(),
        form.verticalAlignment(),
        form.stringProperty(SOURCE),
    )
