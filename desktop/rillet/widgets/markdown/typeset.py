"""TeX → a drawing, by ziamath: pure Python, a few milliseconds for each formula, so on any thread but the GUI's.

Knows no Qt. Below: ``formulas`` asks for drawings and keeps them. ziamath is imported with the first formula (0.13 s).
Guarantee: the drawing is paths and nothing else, whatever the TeX says: it names no file and no address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNKNOWN = re.compile(r">\s*\\[A-Za-z]")
_TAG = re.compile(r"\\(?:tag\*?)\{([^{}]*)\}")
_RAISED = re.compile(r"(\\begin\{(\w*matrix|cases|array)\}(?:(?!\\begin).)*?\\end\{\2\})(?=\s*[\^_])", re.DOTALL)
"""A matrix with an exponent: latex2mathml 3.81 loses the exponent unless braces hold the matrix together."""
_FOREIGN = re.compile(r"<(?!/?(?:svg|g|path|rect|line)\b)|url\(|href=")
_INVISIBLE = re.compile(r"\\(?:label\{[^{}]*\}|nonumber|notag)")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A formula laid out.

    Attributes:
        svg: UTF-8 text; every path is in the colour that was asked for.
        width, height: Logical pixels.
        depth: How far it reaches below the base line.
    """

    svg: bytes
    width: float
    height: float
    depth: float


def typeset(tex: str, size: float, colour: str, *, display: bool) -> Drawing | None:
    """Lay out ``tex`` with letters of ``size`` pixels in ``colour`` (``#RRGGBB``).

    None when it cannot be drawn as it is meant: the TeX is unbalanced, a command is unknown, or a script is missing.
    """
    from xml.etree import ElementTree

    from ziamath.config import config
    from ziamath.tex import tex2mml
    from ziamath.zmath import Math

    config.svg2 = False  # <symbol> and <use>, its default, are drawn empty by QtSvg (seen with Qt 6.11)
    if not tex.isascii() and any(map(_is_missing, tex)):
        return None
    try:
        plain = _RAISED.sub(r"{\1}", _TAG.sub(r"\\qquad (\1)", _INVISIBLE.sub("", tex)))
        mathml = tex2mml(plain, inline=not display)
        if _UNKNOWN.search(mathml):
            return None
        root = ElementTree.fromstring(mathml)  # noqa: S314 (written by latex2mathml a line above, without entities)
        root.attrib["mathcolor"] = colour
        formula = Math(root, size)
        svg = formula.svg()
    except Exception:  # noqa: BLE001 (a boundary: the package raises whatever its tables and stacks run into)
        return None
    return _drawing(svg, -formula.getyofst())


def warm_up() -> None:
    """Import ziamath and read its font now, on any thread but the GUI's, at a moment when nobody waits."""
    typeset("x", 16.0, "#000000", display=False)


def _is_missing(letter: str) -> bool:
    """Whether the font for formulas lacks ``letter``: Hangul, kana, ideographs, emoji."""
    return "\u1100" <= letter <= "\u11ff" or (letter >= "\u2e80" and not "\U0001d400" <= letter <= "\U0001d7ff")


def _drawing(svg: str, depth: float) -> Drawing | None:
    size = re.search(r'\swidth="([\d.]+)"\s+height="([\d.]+)"', svg[:400])
    if size is None or _FOREIGN.search(svg):
        return None
    return Drawing(svg.encode(), float(size[1]), float(size[2]), max(0.0, depth))
