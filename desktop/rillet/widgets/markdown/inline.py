"""The inside of a paragraph: inline tokens → characters with formats.

Above: ``formats``, ``math``, and ``parse`` whose tokens it reads. Below: ``build``, ``table``. Guarantee: only what
``links`` allows becomes a link, and one that reads like another is marked; an image is named, never loaded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor

from rillet.widgets.links import IMAGE, allowed, destination, mark
from rillet.widgets.markdown.document import ASIDE, inert, inert_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

    from rillet.widgets.markdown.formats import Formats
    from rillet.widgets.markdown.math import MathWriter

_BARE = re.compile(
    r"""(?P<web>https?://[^\s<>"`{}|\\^]+)
    |(?<![^\s*_~(])(?P<www>www\.[^\s<>"`{}|\\^]+)
    |(?<![\w.+@-])(?P<mail>[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z0-9]+)(?![\w@-])""",
    re.IGNORECASE | re.VERBOSE,
)
"""GFM's extended autolinks."""
_BACKWARDS: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""The blocks of letters that are written from right to left."""
_LEFT_TO_RIGHT: Final = "\u200e"
_BEFORE: Final = {"web": "", "www": "https://", "mail": "mailto:"}
_TRAILING: Final = ".,:;!?'\"*_~"


def write_inline(
    cursor: QTextCursor,
    tokens: Sequence[Token],
    formats: Formats,
    base: QTextCharFormat,
    math: MathWriter | None = None,
) -> None:
    """Insert ``tokens`` (the children of one inline token) at the cursor, on the ground of ``base``.

    Without ``math`` formulas are their source.
    """
    current, outer, linked = base, [], 0
    begun, address = 0, ""
    backwards = False
    for token in tokens:
        match token.type:
            case "text":
                _write_text(cursor, token.content, formats, current, linked=bool(linked))
                backwards = backwards or _BACKWARDS.search(token.content) is not None
            case "softbreak":
                cursor.insertText(" ", current)
            case "hardbreak":
                cursor.insertText("\u2028", current)
            case "code_inline":
                _write_code(cursor, token.content, formats.inline_code(current), backwards=backwards)
            case "strong_open" | "em_open" | "s_open":
                outer.append(current)
                current = _emphasised(current, token.type)
            case "link_open":
                outer.append(current)
                linked += 1
                begun, address = cursor.position(), str(token.attrGet("href") or "")
                if allowed(address):
                    current = formats.link(current, address)
            case "strong_close" | "em_close" | "s_close":
                current = outer.pop()
            case "link_close":
                linked -= 1
                current = outer.pop()
                _write_mark(cursor, _text_from(cursor, begun), address, formats, current)
            case "image":
                _write_image(cursor, token, formats, current)
            case "math_inline" if math is not None:
                math.write(cursor, token.content, token.markup, current, display=token.meta["display"])
            case "math_inline":
                cursor.insertText(inert(token.markup), current)
            case "footnote_label":
                cursor.insertText(inert(token.content), formats.footnote_label(current))
            case _:
                cursor.insertText(inert(token.content), current)


def _emphasised(current: QTextCharFormat, kind: str) -> QTextCharFormat:
    result = QTextCharFormat(current)
    if kind == "strong_open":
        result.setFontWeight(
            QFont.Weight.Bold if current.fontWeight() == QFont.Weight.DemiBold else QFont.Weight.DemiBold
        )
    elif kind == "em_open":
        result.setFontItalic(True)
    else:
        result.setFontStrikeOut(True)
    return result


def _write_code(cursor: QTextCursor, text: str, style: QTextCharFormat, *, backwards: bool) -> None:
    """Code reads from left to right, also behind Hebrew and Arabic letters, where ``[-8, 8]`` would be turned around.

    Marks of direction on both sides see to that. (Not isolates: they would have an effect on what is around them.)
    """
    if not backwards:
        cursor.insertText(inert_code(text), style)
        return
    aside = QTextCharFormat(style)
    aside.setProperty(ASIDE, True)
    cursor.insertText(_LEFT_TO_RIGHT, aside)
    cursor.insertText(inert_code(text), style)
    cursor.insertText(_LEFT_TO_RIGHT, aside)


def _write_text(cursor: QTextCursor, text: str, formats: Formats, current: QTextCharFormat, *, linked: bool) -> None:
    """Text; bare addresses in it become links, unless it stands in a link already."""
    text = inert(text).replace("\n", " ")  # an entity: a line end of the source is a token of its own
    at = 0
    if not linked and ("://" in text or "@" in text or "www." in text.lower()):
        for found in _BARE.finditer(text):
            kind = found.lastgroup or "web"
            shown = found[0] if kind == "mail" else _trimmed(found[0])
            start = found.start()
            if start > at:
                cursor.insertText(text[at:start], current)
            address = _BEFORE[kind] + shown
            if allowed(address):
                cursor.insertText(shown, formats.link(current, address))
                _write_mark(cursor, shown, address, formats, current)
            else:
                cursor.insertText(shown, current)
            at = start + len(shown)
    if at < len(text):
        cursor.insertText(text[at:], current)


def _trimmed(address: str) -> str:
    """The address without the punctuation of the sentence around it (GFM: extended autolinks)."""
    end = len(address)
    surplus = address.count(")") - address.count("(")
    while end:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def _write_mark(cursor: QTextCursor, text: str, address: str, formats: Formats, current: QTextCharFormat) -> None:
    """Where a link leads that reads like another one, behind it."""
    if leads := mark(text, address):
        cursor.insertText(f" [{inert(leads)}]", formats.warning(current))


def _text_from(cursor: QTextCursor, begun: int) -> str:
    written = QTextCursor(cursor)
    written.setPosition(begun, QTextCursor.MoveMode.KeepAnchor)
    return written.selectedText()


def _write_image(cursor: QTextCursor, token: Token, formats: Formats, current: QTextCharFormat) -> None:
    """What the picture shows and where it lies; a click asks for it, unless it stands in a link."""
    address = str(token.attrGet("src") or "")
    pieces = (" " if child.type.endswith("break") else child.content for child in token.children or ())
    alt = " ".join(inert("".join(pieces)).split())
    label = f"image: {alt}" if alt else "image"
    placeholder = QTextCharFormat(current)
    placeholder.setForeground(formats.muted.foreground())
    leads = destination(address)
    if leads is not None and address[:4].lower() == "http":
        label = f"{label} ({inert(leads.label)})"
        if not current.isAnchor():
            placeholder = formats.link(current, IMAGE + address)
    cursor.insertText(label, placeholder)
