"""The text of a Word document as Markdown: headings, paragraphs, lists, tables, notes.

Reads WordprocessingML (ECMA-376 Part 1, section 17) with defusedxml: a document type, and with it every entity, is
refused, as Part 2 of the standard says. Above: ``packed``, ``problems``. Below: ``extractor``. What was deleted under
"track changes" and what is hidden is left out: people do not see it, so a model should not obey it.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import ParseError

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from rillet.core.attachments.packed import Packed
from rillet.core.attachments.problems import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from rillet.core.attachments.caps import Caps

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT: Final = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_SKIPPED: Final = frozenset(("del", "moveFrom", "instrText", "delText", "delInstrText", "Fallback"))
_HEADING: Final = re.compile(r"heading ?([1-6])$", re.IGNORECASE)
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml")
_DEEPEST: Final = 100
"""Elements in each other that are gone into."""


def pieces(data: bytes, caps: Caps) -> Iterator[str]:
    """The text, a paragraph or a table at a time.

    Raises:
        Unreadable: it is damaged, or made to do harm.
    """
    packed = Packed(data, caps)
    if packed.is_locked:
        raise Unreadable("password")
    headings = _heading_styles(packed)
    for block in _blocks(packed.read("word/document.xml")):
        if text := _block_text(block, headings):
            yield f"{text}\n\n"
    for part in _NOTES:
        if part in packed.names:
            for note in _children(packed.read(part), frozenset(("footnote", "endnote"))):
                if text := " ".join(filter(None, (_runs(each) for each in note.iter() if _name(each) == "p"))).strip():
                    yield f"[^{note.get(f'{_W}id', '')}]: {text}\n"


def _blocks(xml: bytes) -> Iterator[Element]:
    return _children(xml, frozenset(("p", "tbl")))


def _children(xml: bytes, wanted: frozenset[str]) -> Iterator[Element]:
    """Elements of these names that stand in no other of them; each is forgotten once the next is asked for."""
    inside = 0
    try:
        for event, element in ElementTree.iterparse(io.BytesIO(xml), events=("start", "end"), forbid_dtd=True):
            if _name(element) not in wanted:
                continue
            inside += 1 if event == "start" else -1
            if event == "end" and not inside:
                yield element
                element.clear()
    except (ParseError, DefusedXmlException, RecursionError, ValueError) as error:
        raise Unreadable("bomb" if isinstance(error, DefusedXmlException) else "broken") from error


def _heading_styles(packed: Packed) -> dict[str, int]:
    """Styles of headings by their ids, which are in the language of whoever wrote; their names are not."""
    if "word/styles.xml" not in packed.names:
        return {}
    found: dict[str, int] = {}
    for style in _children(packed.read("word/styles.xml"), frozenset(("style",))):
        name = next((each for each in style if _name(each) == "name"), None)
        said = "" if name is None else name.get(f"{_W}val") or name.get(f"{_STRICT}val") or ""
        if level := _HEADING.match(said):
            found[_value(style, "styleId")] = int(level[1])
        elif said.lower() == "title":
            found[_value(style, "styleId")] = 1
    return found


def _block_text(block: Element, headings: dict[str, int]) -> str:
    return _table(block) if _name(block) == "tbl" else _paragraph(block, headings)


def _paragraph(paragraph: Element, headings: dict[str, int]) -> str:
    text = _runs(paragraph).strip()
    properties = next((each for each in paragraph if _name(each) == "pPr"), None)
    if not text or properties is None:
        return text
    style = next((_value(each, "val") for each in properties if _name(each) == "pStyle"), "")
    if style in headings:
        return f"{'#' * headings[style]} {text}"
    if (numbering := next((each for each in properties if _name(each) == "numPr"), None)) is not None:
        level = next((_value(each, "val") for each in numbering if _name(each) == "ilvl"), "0")
        return f"{'  ' * min(int(level) if level.isdigit() else 0, 8)}- {text}"
    return text


def _table(table: Element) -> str:
    rows = [
        [_cell(cell) for cell in row if _name(cell) in ("tc", "sdt")] for row in table if _name(row) in ("tr", "sdt")
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows if row]
    if lines:
        lines.insert(1, f"|{'---|' * len(rows[0])}")
    return "\n".join(lines)


def _cell(cell: Element) -> str:
    """What stands in a cell, in one line, with what a table in it says."""
    text = " ".join(filter(None, (_runs(each).strip() for each in cell.iter() if _name(each) == "p")))
    return " ".join(text.replace("|", "\\|").split())


def _runs(element: Element, depth: int = 0) -> str:
    """The visible text below an element."""
    found: list[str] = []
    for each in element:
        match _name(each):
            case "t":
                found.append(each.text or "")
            case "tab":
                found.append("\t")
            case "br" | "cr":
                found.append("\n")
            case "noBreakHyphen":
                found.append("-")
            case "footnoteReference" | "endnoteReference":
                found.append(f"[^{_value(each, 'id')}]")
            case "r" if _is_hidden(each):
                pass
            case name if name not in _SKIPPED and name != "pPr" and depth < _DEEPEST:
                found.append(_runs(each, depth + 1))
    return "".join(found)


def _is_hidden(run: Element) -> bool:
    properties = next((each for each in run if _name(each) == "rPr"), None)
    if properties is None:
        return False
    vanish = next((each for each in properties if _name(each) == "vanish"), None)
    return vanish is not None and _value(vanish, "val") not in ("0", "false", "off")


def _name(element: Element) -> str:
    """The name without its space: the strict form of the standard has another one."""
    return element.tag.rpartition("}")[2]


def _value(element: Element, name: str) -> str:
    return element.get(f"{_W}{name}") or element.get(f"{_STRICT}{name}") or ""
