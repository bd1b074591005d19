"""The colours and measures of the look, as plain values.

Knows nothing of Qt: colours are ``#RRGGBB`` text, measures are logical pixels. Below, ``palette`` turns a set of tokens
into a QPalette, fonts and a style sheet; widgets and documents take their colours from nowhere else. Guarantee, held by
a test: every text colour stands at least 4.5:1 against the grounds it is used on, every control at least 3:1 (WCAG 2.2,
1.4.3 and 1.4.11); with high contrast 7:1 and 4.5:1 (1.4.6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

MEASURE: Final = 720
"""The widest a line of text gets: about 90 characters."""
MARGIN: Final = 24
"""Least space left and right of the text column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One theme's colours by purpose, and the measures shared by all themes."""

    dark: bool
    text_contrast: float = 4.5
    """Least contrast of text (WCAG 2.2: 1.4.3; 1.4.6 where more is asked for)."""
    control_contrast: float = 3.0
    """Least contrast of what makes a control recognisable (1.4.11)."""

    window: str
    """Behind everything."""
    surface: str
    """Cards, fields, menus."""
    sidebar: str
    text: str
    muted: str
    """Secondary text and icons at rest."""
    disabled: str
    """Text and icons of what cannot be used now; exempt from contrast."""
    border: str
    """Hairlines that only decorate."""
    outline: str
    """Edges that make a control recognisable."""
    accent: str
    """Links, focus rings, the primary button."""
    accent_hover: str
    accent_pressed: str
    accent_soft: str
    """Ground of the selected row."""
    on_accent: str
    """Text on the accent."""
    hover: str
    """Ground of a row or quiet button under the pointer."""
    pressed: str
    selection: str
    """Ground of selected text."""
    mark: str
    """Ground of a search hit."""
    bubble: str
    danger: str
    warning: str
    good: str

    code: str
    """Ground of code."""
    code_inline: str
    """Ground of code inside a sentence, which has no edge."""
    code_comment: str
    code_keyword: str
    code_string: str
    code_number: str
    code_function: str
    code_builtin: str

    gap_1: int = 4
    gap_2: int = 8
    gap_3: int = 12
    gap_4: int = 16
    gap_6: int = 24
    gap_8: int = 32
    radius: int = 8
    """Rows and cards."""
    radius_large: int = 18
    """Bubble and composer."""
    column: int = 720
    """The widest a line of text gets."""
    sidebar_width: int = 264
    header_height: int = 44


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def mix(ground: str, colour: str, share: float) -> str:
    """``ground`` with ``share`` (0 to 1) of ``colour`` over it."""
    pairs = zip(_channels(ground), _channels(colour), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    shares = (channel / 255 for channel in _channels(colour))
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


LIGHT: Final = Tokens(
    dark=False,
    window="#F7F7F5",
    surface="#FFFFFF",
    sidebar="#EFEEEB",
    text="#1F2328",
    muted="#5B626B",
    disabled=mix("#FFFFFF", "#1F2328", 0.38),
    border="#DFDDD8",
    outline="#85878B",
    accent="#0B7671",
    accent_hover=mix("#0B7671", "#1F2328", 0.14),
    accent_pressed=mix("#0B7671", "#1F2328", 0.28),
    accent_soft="#DCF0EE",
    on_accent="#FFFFFF",
    hover=mix("#F7F7F5", "#1F2328", 0.05),
    pressed=mix("#F7F7F5", "#1F2328", 0.1),
    selection=mix("#FFFFFF", "#0B7671", 0.26),
    mark="#FFE08A",
    bubble="#E9F2F1",
    danger="#B42318",
    warning="#8A5A00",
    good="#1A7F4B",
    code="#F3F2EF",
    code_inline=mix("#FFFFFF", "#1F2328", 0.09),
    code_comment="#626973",
    code_keyword="#A0337C",
    code_string="#2B6A2B",
    code_number="#8F5200",
    code_function="#1F5FB0",
    code_builtin="#0B6B67",
)

DARK: Final = Tokens(
    dark=True,
    window="#16181A",
    surface="#1C1F22",
    sidebar="#121416",
    text="#E6E7E8",
    muted="#9AA1A9",
    disabled=mix("#1C1F22", "#E6E7E8", 0.36),
    border="#2C3034",
    outline="#6B7178",
    accent="#4FC3BA",
    accent_hover=mix("#4FC3BA", "#E6E7E8", 0.2),
    accent_pressed=mix("#4FC3BA", "#16181A", 0.2),
    accent_soft="#17393A",
    on_accent="#0C1F1E",
    hover=mix("#16181A", "#E6E7E8", 0.06),
    pressed=mix("#16181A", "#E6E7E8", 0.11),
    selection=mix("#1C1F22", "#4FC3BA", 0.36),
    mark="#6B5310",
    bubble="#22302F",
    danger="#FF8A80",
    warning="#E8B65A",
    good="#6FCF97",
    code="#121416",
    code_inline=mix("#1C1F22", "#E6E7E8", 0.12),
    code_comment="#8B939C",
    code_keyword="#E08BC4",
    code_string="#98C379",
    code_number="#E5B567",
    code_function="#7FB2F0",
    code_builtin="#5CC8BF",
)

HIGH_LIGHT: Final = replace(
    LIGHT,
    text_contrast=7.0,
    control_contrast=4.5,
    window="#FFFFFF",
    sidebar="#F4F4F4",
    text="#000000",
    muted="#333333",
    disabled="#6B6B6B",
    border="#8A8A8A",
    outline="#4A4A4A",
    accent="#00504C",
    accent_hover=mix("#00504C", "#000000", 0.14),
    accent_pressed=mix("#00504C", "#000000", 0.28),
    hover="#EAEAEA",
    pressed="#DDDDDD",
    selection="#B5DDDA",
    mark="#FFD84D",
    bubble="#EAF3F2",
    danger="#8A1008",
    warning="#5C3B00",
    good="#0B4F2C",
    code="#F6F6F6",
    code_inline="#EBEBEB",
    code_comment="#3F464E",
    code_keyword="#7A1A5C",
    code_string="#1A4A1A",
    code_number="#603600",
    code_function="#0C3F80",
    code_builtin="#054A47",
)

HIGH_DARK: Final = replace(
    DARK,
    text_contrast=7.0,
    control_contrast=4.5,
    window="#000000",
    surface="#0C0C0C",
    sidebar="#050505",
    text="#FFFFFF",
    muted="#D4D7DA",
    disabled="#8E8E8E",
    border="#8A8A8A",
    outline="#B4B8BC",
    accent="#7BE9E0",
    accent_hover=mix("#7BE9E0", "#FFFFFF", 0.2),
    accent_pressed=mix("#7BE9E0", "#000000", 0.2),
    accent_soft="#0E3431",
    on_accent="#000000",
    hover="#1C1C1C",
    pressed="#2A2A2A",
    selection="#1F5854",
    mark="#5A4300",
    bubble="#172321",
    danger="#FFB3AB",
    warning="#FFD79A",
    good="#9FEBBE",
    code="#000000",
    code_inline="#222222",
    code_comment="#B4BBC2",
    code_keyword="#F5B1DF",
    code_string="#BDE5A0",
    code_number="#FFD699",
    code_function="#A9CFFF",
    code_builtin="#8CEBE2",
)
