"""How text is set: families, size, density, zoom, and the fonts that come of them on this desktop.

Above: nothing. Below: ``palette`` builds themes from it. Knows no colours. Guarantees: fall-backs are named, and only
such as exist here; without a wish the size is the desktop's own, but never below what can be read comfortably.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Final, Literal, TypeAlias

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo

Density: TypeAlias = Literal["compact", "comfortable", "spacious"]

BODY_POINTS: Final = 11.0
LINE_HEIGHT: Final = 1.5
CODE_SCALE: Final = 0.92
CODE_LINE_HEIGHT: Final = 1.45
_LINE_SCALE: Final[dict[Density, float]] = {"compact": 0.9, "comfortable": 1.0, "spacious": 1.12}

# Without named fall-backs fontconfig may pick a bold CJK face for one paragraph and a regular one for the next. Those
# with signs come first: in a CJK face an operator is as wide as an ideograph.
_FALLBACKS: Final = (
    "Noto Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans Math",
    "Noto Sans Symbols",
    "Segoe UI Symbol",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei UI",
    "Yu Gothic UI",
    "PingFang SC",
    "Hiragino Sans",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Noto Naskh Arabic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Color Emoji",
    "Segoe UI Emoji",
    "Apple Color Emoji",
)
_MONO: Final = (
    "JetBrains Mono",
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Noto Sans Mono CJK SC",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Typography:
    """What a person asks of text.

    Attributes:
        family: Of running text; None is the desktop's.
        mono_family: Of code; None is the first good one that is installed.
        points: Size of running text; None is the desktop's, at least ``BODY_POINTS``.
        density: How much room lines and blocks have.
        scale: What sizes are multiplied with: a zoom, or a quieter voice.
    """

    family: str | None = None
    mono_family: str | None = None
    points: float | None = None
    density: Density = "comfortable"
    scale: float = 1.0

    def fonts(self) -> tuple[QFont, QFont]:
        """Body and code: what is asked for, then the system's own families, then those fall-backs that exist here."""
        system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        points = (self.points or max(BODY_POINTS, system.pointSizeF())) * self.scale
        body = QFont(system)
        wanted = [self.family] if self.family else []
        body.setFamilies([*dict.fromkeys((*wanted, *system.families(), *_installed(_FALLBACKS)))])
        body.setPointSizeF(points)
        mono = QFont(body)
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        wanted = [self.mono_family] if self.mono_family else []
        mono.setFamilies([*dict.fromkeys((*wanted, *_installed(_MONO), *fixed.families(), *_installed(_FALLBACKS)))])
        mono.setStyleHint(QFont.StyleHint.Monospace)
        mono.setPointSizeF(points * CODE_SCALE)
        return body, mono

    def lines(self) -> tuple[int, int]:
        """Line heights of body and code in logical pixels."""
        body, mono = self.fonts()
        room = _LINE_SCALE[self.density]
        return (
            ceil(QFontInfo(body).pixelSize() * LINE_HEIGHT * room),
            ceil(QFontInfo(mono).pixelSize() * CODE_LINE_HEIGHT * room),
        )


@cache
def _installed(families: tuple[str, ...]) -> tuple[str, ...]:
    # A family that is missing costs Qt a search of all aliases, and a warning on macOS.
    known = _known_families()
    return tuple(name for name in families if name.casefold() in known)


@cache
def _known_families() -> frozenset[str]:
    # Asked for once: ``hasFamily`` makes this list anew for every name, 2 ms before the first paint.
    return frozenset(name.casefold() for name in QFontDatabase.families())
