"""Any colour as accent: made darker, or lighter, until everything that is drawn with it can be read.

Above: ``tokens``. Below: ``options``. Free of Qt. Guarantee: whatever is asked for, the contrasts that the built-in
themes keep are kept; the hue stays.
"""

from __future__ import annotations

import colorsys
import re
from dataclasses import replace
from typing import Final

from rillet.widgets.theme.tokens import Tokens, contrast, mix

ACCENTS: Final = {
    "Stream": "#0B7671",
    "Blue": "#2563C9",
    "Violet": "#7446C8",
    "Rose": "#C2386B",
    "Orange": "#B8560B",
    "Green": "#2E7D32",
    "Graphite": "#59626C",
}
"""Colours to offer in settings; any other works too."""

_STEPS: Final = 40


def with_accent(tokens: Tokens, colour: str) -> Tokens:
    """The theme with ``colour`` (``#RRGGBB``) in the place of its accent.

    Raises:
        ValueError: it is no such colour.
    """
    if not re.fullmatch("#[0-9A-Fa-f]{6}", colour):
        raise ValueError(f"{colour!r} is not a colour of the form #RRGGBB")
    lightnesses = (step / _STEPS for step in range(_STEPS + 1))
    candidates = (_derived(tokens, _towards(colour.upper(), tokens.dark, share)) for share in lightnesses)
    return next(each for each in candidates if _is_legible(each))


def _towards(colour: str, light: bool, share: float) -> str:
    """The colour, lighter or darker by ``share`` of the way; the hue stays."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)))
    end = 1.0 if light else 0.0
    channels = colorsys.hls_to_rgb(hue, lightness + (end - lightness) * share, saturation)
    return "#" + "".join(f"{round(channel * 255):02X}" for channel in channels)


def _derived(tokens: Tokens, accent: str) -> Tokens:
    """All that is made from the accent. Soft grounds take as much of it as in the built-in themes, if text allows."""
    dark = tokens.dark
    hover = mix(accent, tokens.text, 0.2 if dark else 0.14)
    pressed = mix(accent, tokens.window, 0.2) if dark else mix(accent, tokens.text, 0.28)
    states = (accent, hover, pressed)
    inks = ("#FFFFFF", mix("#000000", accent, 0.1))
    text, muted = (tokens.text,), (tokens.text, tokens.muted)
    return replace(
        tokens,
        accent=accent,
        accent_hover=hover,
        accent_pressed=pressed,
        accent_soft=_ground(tokens, accent, 0.2 if dark else 0.13, muted),
        on_accent=max(inks, key=lambda ink: min(contrast(ink, state) for state in states)),
        selection=_ground(tokens, accent, 0.36 if dark else 0.26, text),
        bubble=_ground(tokens, accent, 0.1 if dark else 0.07, muted),
    )


def _ground(tokens: Tokens, accent: str, most: float, inks: tuple[str, ...]) -> str:
    """The surface with at most this share of the accent, and no more than the inks on it bear."""
    shares = (most * step / _STEPS for step in range(_STEPS, -1, -1))
    grounds = (mix(tokens.surface, accent, share) for share in shares)
    return next(each for each in grounds if all(contrast(ink, each) >= tokens.text_contrast for ink in inks))


def _is_legible(tokens: Tokens) -> bool:
    text, control = tokens.text_contrast, tokens.control_contrast
    grounds = (tokens.window, tokens.surface, tokens.sidebar, tokens.bubble, tokens.code_inline)
    states = (tokens.accent, tokens.accent_hover, tokens.accent_pressed)
    return (
        all(contrast(tokens.accent, ground) >= text for ground in grounds)
        and all(contrast(tokens.on_accent, state) >= text for state in states)
        and all(contrast(state, ground) >= control for state in states for ground in (tokens.window, tokens.surface))
        and all(contrast(tokens.accent, ground) >= control for ground in (tokens.code, tokens.accent_soft))
    )
