"""Every colour can be read where it is used (WCAG 2.2: 4.5 for text, 3 for controls; 7 and 4.5 in high contrast)."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens, contrast, mix

ALL = {"light": LIGHT, "dark": DARK, "high light": HIGH_LIGHT, "high dark": HIGH_DARK}
THEMES = pytest.mark.parametrize("tokens", ALL.values(), ids=ALL)

GROUNDS = ("window", "surface", "sidebar", "bubble", "code")
TEXT_ON = {
    "text": (*GROUNDS, "accent_soft", "selection", "mark", "hover", "pressed", "code_inline"),
    "muted": (*GROUNDS, "hover", "code_inline", "accent_soft"),
    "accent": ("window", "surface", "sidebar", "bubble", "code_inline"),
    "danger": ("window", "surface"),
    "warning": ("window", "surface"),
    "good": ("window", "surface"),
    "code_comment": ("code",),
    "code_keyword": ("code",),
    "code_string": ("code",),
    "code_number": ("code",),
    "code_function": ("code",),
    "code_builtin": ("code",),
    "on_accent": ("accent", "accent_hover", "accent_pressed"),
}
CONTROLS_ON = {
    "outline": ("window", "surface", "sidebar"),
    "accent": (*GROUNDS, "accent_soft"),
    "accent_hover": ("window", "surface"),
    "accent_pressed": ("window", "surface"),
}


@THEMES
@pytest.mark.parametrize(("name", "ground"), [(name, ground) for name, on in TEXT_ON.items() for ground in on])
def test_text_has_the_contrast_that_reading_needs(tokens: Tokens, name: str, ground: str) -> None:
    assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= tokens.text_contrast


@THEMES
@pytest.mark.parametrize(("name", "ground"), [(name, ground) for name, on in CONTROLS_ON.items() for ground in on])
def test_a_control_stands_out_from_its_ground(tokens: Tokens, name: str, ground: str) -> None:
    assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= tokens.control_contrast


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["high light", "high dark"])
def test_with_high_contrast_even_what_is_switched_off_can_be_seen(tokens: Tokens) -> None:
    assert all(contrast(tokens.disabled, ground) >= 3 for ground in (tokens.surface, tokens.window, tokens.pressed))


@THEMES
def test_every_colour_is_a_plain_hex_triplet(tokens: Tokens) -> None:
    colours = [value for field in fields(tokens) if isinstance(value := getattr(tokens, field.name), str)]
    assert len(colours) > 25
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in colours)


def test_the_themes_share_their_measures() -> None:
    measures = [field.name for field in fields(Tokens) if field.type == "int"]
    assert measures
    assert all(len({getattr(tokens, name) for tokens in ALL.values()}) == 1 for name in measures)


def test_the_promised_contrasts_are_those_of_the_standard() -> None:
    assert (LIGHT.text_contrast, LIGHT.control_contrast) == (DARK.text_contrast, DARK.control_contrast) == (4.5, 3.0)


def test_contrast_runs_from_one_to_twenty_one() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)  # the well-known lightest grey for text


def test_mixing_takes_the_named_share() -> None:
    assert mix("#000000", "#FFFFFF", 0.0) == "#000000"
    assert mix("#000000", "#FFFFFF", 1.0) == "#FFFFFF"
    assert mix("#102030", "#FF8000", 0.5) == "#885018"
