"""Every combination of choices can be read: scheme, contrast, accent and density."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.theme.accent import ACCENTS, with_accent
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens, contrast
from rillet.widgets.theme.typography import Typography

TEXT_ON = {
    "text": ("window", "surface", "sidebar", "bubble", "code", "accent_soft", "selection", "hover", "pressed"),
    "muted": ("window", "surface", "sidebar", "bubble", "code", "accent_soft", "hover"),
    "accent": ("window", "surface", "sidebar", "bubble", "code_inline"),
    "on_accent": ("accent", "accent_hover", "accent_pressed"),
}
CONTROLS_ON = {
    "outline": ("window", "surface", "sidebar"),
    "accent": ("window", "surface", "sidebar", "bubble", "code", "accent_soft"),
    "accent_hover": ("window", "surface"),
    "accent_pressed": ("window", "surface"),
}
HUES = [f"#{r}{g}{b}" for r, g, b in itertools.product(("00", "55", "AA", "FF"), repeat=3)]
BASES = {"light": LIGHT, "dark": DARK, "high light": HIGH_LIGHT, "high dark": HIGH_DARK}


def shortfalls(tokens: Tokens) -> list[tuple[str, str, float]]:
    """Pairs that do not reach the contrast that the theme promises."""
    wanted = [(TEXT_ON, tokens.text_contrast), (CONTROLS_ON, tokens.control_contrast)]
    return [
        (name, ground, ratio)
        for table, least in wanted
        for name, grounds in table.items()
        for ground in grounds
        if (ratio := contrast(getattr(tokens, name), getattr(tokens, ground))) < least
    ]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("accent", [*ACCENTS.values(), *HUES])
def test_every_accent_can_be_read_on_every_theme(base: str, accent: str) -> None:
    assert shortfalls(with_accent(BASES[base], accent)) == []


@given(st.integers(0, 0xFFFFFF), st.sampled_from(list(BASES.values())))
def test_whatever_colour_is_asked_for_can_be_read(colour: int, base: Tokens) -> None:
    assert shortfalls(with_accent(base, f"#{colour:06X}")) == []


def test_an_accent_that_can_be_read_is_taken_as_it_is() -> None:
    assert with_accent(LIGHT, "#2563c9").accent == "#2563C9"
    assert with_accent(LIGHT, "#2563C9").text == LIGHT.text


@pytest.mark.parametrize("colour", ["", "red", "#FFF", "#12345G", "#1234567"])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    with pytest.raises(ValueError, match="not a colour"):
        with_accent(LIGHT, colour)


def test_high_contrast_asks_for_more() -> None:
    for tokens in (HIGH_LIGHT, HIGH_DARK):
        assert (tokens.text_contrast, tokens.control_contrast) == (7.0, 4.5)
        assert shortfalls(tokens) == []


@pytest.mark.parametrize(
    ("scheme", "wish", "desktop", "asks", "expected"),
    [
        ("system", "system", "light", False, LIGHT),
        ("system", "system", "dark", False, DARK),
        ("system", "system", "dark", True, HIGH_DARK),
        ("light", "system", "dark", False, LIGHT),
        ("dark", "high", "light", False, HIGH_DARK),
        ("system", "normal", "light", True, LIGHT),
    ],
)
def test_a_choice_goes_before_the_desktop(scheme: str, wish: str, desktop: str, asks: bool, expected: Tokens) -> None:
    options = ThemeOptions(scheme=scheme, contrast=wish)  # type: ignore[arg-type]  # parametrised text
    assert options.tokens(desktop, high_contrast=asks) is expected  # type: ignore[arg-type]


def test_density_changes_gaps_and_nothing_else() -> None:
    compact = ThemeOptions(typography=Typography(density="compact")).tokens("light")
    spacious = ThemeOptions(typography=Typography(density="spacious")).tokens("light")
    assert compact.gap_4 < LIGHT.gap_4 < spacious.gap_4
    assert compact.text == spacious.text == LIGHT.text
    assert compact.radius == LIGHT.radius
